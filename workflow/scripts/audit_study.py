"""Hash the results of a study again, report what differs from its manifest, and fail if anything does."""

import sys
from pathlib import Path

from replication.platform.audit import audit, describe
from replication.platform.provenance import TrailError, read_manifest, read_records, read_set_aside
from replication.platform.readable import show


def faults(audited):
    parts = [(len(audited.faults), "file does not match its manifest", "files do not match the manifest")]
    parts += [(len(audited.configuration), "key of the configuration changed", "keys of the configuration changed")]
    return " and ".join(f"{n} {singular if n == 1 else plural}" for n, singular, plural in parts if n)


params, log = snakemake.params, Path(snakemake.log[0])
try:
    manifest, records = read_manifest(params.manifest), read_records(params.records)
    audited = audit(manifest, records, params.configuration, read_set_aside(params.records))
except TrailError as error:
    log.write_text(f"{error}\n", encoding="utf-8")
    sys.exit(f"\nThere is nothing to audit. {error}\n")
text = describe(audited)
if not audited.is_intact:
    # The last paragraph is what a failed run ends with.
    text += f"\n\nThe study {audited.study} is not intact: {faults(audited)}. {log} lists them."
log.write_text(f"{text}\n", encoding="utf-8")
if not audited.is_intact:
    sys.exit(f"\n{text}\n")
show(f"\n{text}")

"""Hash the results of a study again, say what is not as its manifest says, and fail if anything is not."""

import sys
from pathlib import Path

from replication.platform.audit import audit, describe
from replication.platform.trail import TrailError, read_manifest, read_records

params, log = snakemake.params, Path(snakemake.log[0])
try:
    found = audit(read_manifest(params.manifest), read_records(params.records), params.configuration)
except TrailError as error:
    log.write_text(f"{error}\n", encoding="utf-8")
    sys.exit(f"\nThere is nothing to audit. {error}\n")
text = describe(found)
log.write_text(f"{text}\n", encoding="utf-8")
if not found.is_intact:
    keys = f" and {len(found.configuration)} keys of the configuration changed" if found.configuration else ""
    sys.exit(
        f"\n{text}\n\nThe study {found.study} is not intact: {len(found.faults)} files are not as they should be"
        f"{keys}; they stand in {log} too.\n"
    )
print(f"\n{text}", flush=True)

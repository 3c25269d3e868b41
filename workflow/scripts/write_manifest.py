"""Write the manifest of a study: how every result was made, and from which data."""

from pathlib import Path

from replication.platform.job import job
from replication.platform.provenance import commit, gather, read_records, write_json

with job(snakemake, "manifest") as say:
    params = snakemake.params
    manifest = gather(
        results=snakemake.input,
        records=read_records(params.records),
        study=snakemake.config["study"],
        folder=str(Path(snakemake.output.manifest).parent),
        configuration=params.configuration,
        rules=params.makers,
        commit=commit(),
    )
    write_json(manifest, snakemake.output.manifest)
    say(
        f"{len(manifest['results'])} results of {len(manifest['jobs'])} jobs, {len(manifest['data'])} files behind them"
    )
    for path, entry in manifest["without_record"].items():
        say(f"{path}: {entry['reason']}")

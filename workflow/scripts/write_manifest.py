"""Write the manifest of a study: how every result was made, and from which data."""

import subprocess
from pathlib import Path

from replication.platform.job import job
from replication.platform.provenance import gather, read_records, write_manifest


def commit():
    """Commit of the repository, if this is one and git is there."""
    try:
        answer = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


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
    write_manifest(manifest, snakemake.output.manifest)
    say(
        f"{len(manifest['results'])} results of {len(manifest['jobs'])} jobs, {len(manifest['data'])} files behind them"
    )
    for path, entry in manifest["without_record"].items():
        say(f"{path}: {entry['reason']}")

"""Judge every claim from the metrics alone."""

from pathlib import Path

from consensus_embedding.claims import judge_claims, read_claims, summary_line
from consensus_embedding.experiments.tidy import read_table, write_table
from job import job

with job(snakemake.log[0], "claims") as say:
    metrics = {Path(path).parent.name: read_table(path) for path in snakemake.input.metrics}
    ledger = judge_claims(read_claims(snakemake.input.claims), metrics)
    write_table(ledger, snakemake.output.ledger)
    say(summary_line(ledger))

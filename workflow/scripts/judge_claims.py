"""Judge every claim from the metrics alone."""

from pathlib import Path

from job import job
from consensus_embedding.claims import judge_claims, read_claims, summary_line
from consensus_embedding.experiments.tidy import read_table, write_table
from consensus_embedding.metrics_rows import rows_table

with job(snakemake, "claims") as say:
    metrics = {Path(path).parent.name: read_table(path) for path in snakemake.input.metrics}
    rows = {}
    ledger = judge_claims(read_claims(snakemake.input.claims), metrics, rows)
    write_table(rows_table(rows, dict(zip(ledger["id"], ledger["experiment"], strict=True))), snakemake.output.rows)
    write_table(ledger, snakemake.output.ledger)
    say(summary_line(ledger))

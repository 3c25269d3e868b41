"""Judge every claim from the metrics alone."""

from pathlib import Path

from replication.catalogue.stages import STAGES
from replication.claims.answers import counted, summary_line
from replication.claims.judging import judge_claims, read_claims
from replication.claims.metrics_rows import rows_table
from replication.platform.job import job
from replication.shared.tidy import read_table, write_table

with job(snakemake, "claims") as say:
    metrics = {Path(path).parent.name: read_table(path) for path in snakemake.input.metrics}
    rows = {}
    ledger = judge_claims(read_claims(snakemake.input.claims), metrics, rows, stages=STAGES)
    write_table(rows_table(rows, dict(zip(ledger["id"], ledger["experiment"], strict=True))), snakemake.output.rows)
    write_table(ledger, snakemake.output.ledger)
    say(summary_line(counted(ledger)))

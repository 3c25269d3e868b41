"""Experiment mce_cost: seconds of a median consensus over the numbers of runs and points."""

from replication.platform.job import job
from replication.papers.tomo2025 import mce_cost
from replication.shared.tidy import write_table
from threadpoolctl import threadpool_limits

with job(snakemake, "mce_cost") as say:
    with threadpool_limits(1):
        metrics = mce_cost.run(snakemake.params.parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

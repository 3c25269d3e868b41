"""Experiment theory_strength, on simulated embeddings."""

from replication.platform.job import job
from replication.papers.viswanath2012 import theory_strength
from replication.shared.tidy import write_table

with job(snakemake, "theory_strength") as say:
    metrics = theory_strength.run(parameters=snakemake.params.parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

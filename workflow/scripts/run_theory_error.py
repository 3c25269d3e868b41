"""Experiment theory_error, on simulated embeddings."""

from job import job
from consensus_embedding.experiments import theory_error
from consensus_embedding.experiments.tidy import write_table

with job(snakemake, "theory_error") as say:
    metrics = theory_error.run(parameters=snakemake.params.parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

"""Experiment theory_strength, on simulated embeddings."""

from job import job
from consensus_embedding.experiments import theory_strength
from consensus_embedding.experiments.tidy import write_table

with job(snakemake, "theory_strength") as say:
    metrics = theory_strength.run(parameters=snakemake.params.parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

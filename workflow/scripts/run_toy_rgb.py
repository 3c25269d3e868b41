"""Experiment toy_rgb: the colour image of Fig. 1."""

from job import job, save_arrays
from consensus_embedding.experiments import toy_rgb
from consensus_embedding.experiments.tidy import write_table

with job(snakemake, "toy_rgb") as say:
    metrics, pictures = toy_rgb.run(parameters=snakemake.params.parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

"""Experiment toy_rgb: the colour image of Fig. 1."""

from replication.platform.job import job, save_arrays
from replication.papers.viswanath2012 import toy_rgb
from replication.shared.tidy import write_table

with job(snakemake, "toy_rgb") as say:
    metrics, pictures = toy_rgb.run(parameters=snakemake.params.parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

"""Experiment toy_rgb: the colour image of Fig. 1."""

from replication.platform.job import job, save_arrays
from replication.papers.viswanath2012 import toy_rgb
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "toy_rgb") as say:
    parameters = from_section(toy_rgb.ToyStudy, snakemake.params.parameters, "toy_rgb")
    metrics, pictures = toy_rgb.run(parameters=parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

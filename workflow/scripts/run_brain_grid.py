"""Experiment brain_grid: white against grey matter over noise and non-uniformity."""

from replication.platform.job import job
from replication.papers.viswanath2012 import brain_grid
from replication.shared.tidy import read_table, write_table

with job(snakemake, "brain_grid"):
    metrics = brain_grid.run([read_table(path) for path in snakemake.input.parts])
    write_table(metrics, snakemake.output.metrics)

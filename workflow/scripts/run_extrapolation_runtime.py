"""Experiment extrapolation_runtime: a new sample extrapolated, and the embedding computed anew."""

from replication.platform.job import job
from replication.papers.sparks2011 import extrapolation_runtime
from replication.shared.tidy import write_table

with job(snakemake, "extrapolation_runtime") as say:
    params = snakemake.params
    metrics = extrapolation_runtime.run(params.parameters, params.roll, seed=params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

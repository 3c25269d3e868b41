"""Experiment extrapolation_runtime: a new sample extrapolated, and the embedding computed again."""

from replication.platform.job import job
from replication.papers.sparks2011 import extrapolation_runtime
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "extrapolation_runtime") as say:
    params = snakemake.params
    roll = from_section(extrapolation_runtime.TimedRoll, params.roll, "swiss_roll")
    metrics = extrapolation_runtime.run(params.parameters, roll, seed=params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

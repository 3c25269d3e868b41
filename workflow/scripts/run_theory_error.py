"""Experiment theory_error, on simulated embeddings."""

from replication.platform.job import job
from replication.papers.viswanath2012 import theory_error
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "theory_error") as say:
    parameters = from_section(theory_error.ErrorStudy, snakemake.params.parameters, "theory_error")
    metrics = theory_error.run(parameters=parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

"""Experiment theory_strength, on simulated embeddings."""

from replication.platform.job import job
from replication.papers.viswanath2012 import theory_strength
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "theory_strength") as say:
    parameters = from_section(theory_strength.StrengthStudy, snakemake.params.parameters, "theory_strength")
    metrics = theory_strength.run(parameters=parameters, seed=snakemake.params.seed, progress=say)
    write_table(metrics, snakemake.output.metrics)

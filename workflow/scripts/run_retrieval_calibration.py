"""Experiment retrieval_calibration: picks the details that Sparks 2011 leaves open."""

from replication.platform.job import job
from replication.papers.sparks2011 import retrieval_calibration
from replication.shared.tidy import write_table

with job(snakemake, "retrieval_calibration") as say:
    params = snakemake.params
    metrics, picks = retrieval_calibration.run(
        params.parameters, params.configured, params.simulator, params.grid,
        seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

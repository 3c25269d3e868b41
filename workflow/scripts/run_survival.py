"""Experiment survival: survival of two risk groups."""

from replication.platform.job import every, job
from replication.datasets.feature_set import load_feature_set
from replication.papers.ginsburg2016 import survival
from replication.shared.tidy import write_table

with job(snakemake, "survival") as say:
    params = snakemake.params
    name = params.parameters["features"]
    metrics = survival.run(
        load_feature_set(snakemake.input.table), params.parameters, params.settings, name=name, source=params.source,
        seed=params.seed, n_jobs=snakemake.threads,
        progress=every(2 * params.parameters["partitions"], say, "partitions"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)

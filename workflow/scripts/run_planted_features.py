"""Experiment planted_features: rankings against a known truth."""

from replication.platform.job import every, job
from replication.papers.ginsburg2016 import planted_features
from replication.shared.tidy import write_table

with job(snakemake, "planted_features") as say:
    params = snakemake.params
    metrics = planted_features.run(
        params.parameters, params.settings, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(
            len(planted_features.cells(params.parameters)) * params.parameters["draws"], say, "data sets"
        ),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)

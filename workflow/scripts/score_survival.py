"""Survival of two risk groups of one data set."""

from replication.platform.job import every, job
from replication.data.feature_set import load_feature_set
from replication.papers.ginsburg2016 import survival
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, f"survival, {snakemake.wildcards.set}") as say:
    params, parameters = snakemake.params, snakemake.params.parameters
    metrics = survival.run(
        load_feature_set(snakemake.input.table), settings_of(FeatureSettings, params.settings, "feature_embedding"),
        cohort=parameters["cohort"], partitions=parameters["partitions"], folds=parameters["folds"],
        name=snakemake.wildcards.set, source=params.source, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(2 * parameters["partitions"], say, "partitions"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.scores)

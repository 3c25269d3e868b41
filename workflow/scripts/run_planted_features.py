"""Experiment planted_features: rankings against a known truth."""

from replication.platform.job import every, job
from replication.papers.ginsburg2016 import planted_features
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "planted_features") as say:
    params = snakemake.params
    parameters = settings_of(planted_features.PlantedStudy, params.parameters, "planted_features")
    settings = settings_of(FeatureSettings, params.settings, "feature_embedding")
    metrics = planted_features.run(
        parameters, settings, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(len(planted_features.cells(parameters)) * parameters.draws, say, "data sets"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)

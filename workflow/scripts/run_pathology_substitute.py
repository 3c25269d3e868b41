"""Experiment pathology_substitute: finds data as hard as the private studies of Ginsburg 2016, by its filters."""

from replication.platform.job import job
from replication.data.feature_set import load_feature_set
from replication.papers.ginsburg2016 import pathology_substitute
from replication.papers.ginsburg2016.pathology import PathologyStudy
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "pathology_substitute") as say:
    params = snakemake.params
    parameters = settings_of(pathology_substitute.PathologySubstitute, params.parameters, "pathology_substitute")
    paths = zip(parameters.features, snakemake.input.tables, strict=True)
    metrics, picks = pathology_substitute.run(
        {name: load_feature_set(path) for name, path in paths},
        tuple(settings_of(PathologyStudy, one, "pathology.sets") for one in params.studies),
        parameters, settings_of(FeatureSettings, params.settings, "feature_embedding"),
        sources=params.sources, seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

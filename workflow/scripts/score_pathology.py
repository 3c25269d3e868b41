"""Rankings of the features of one pathology study of Ginsburg 2016, on its substitute."""

from replication.platform.job import every, job
from replication.data.feature_set import load_feature_set
from replication.papers.ginsburg2016 import pathology
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, f"pathology, {snakemake.wildcards.study}") as say:
    params = snakemake.params
    parameters = settings_of(pathology.Pathology, params.parameters, "pathology")
    settings = settings_of(FeatureSettings, params.settings, "feature_embedding")
    (item,) = parameters.sets
    say(f"cohorts of {item.training} and {item.test} samples of {item.features}")
    metrics = pathology.run(
        load_feature_set(snakemake.input.table), item, parameters, settings,
        source=params.source, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(pathology.n_rounds(parameters, settings), say, "rounds"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.scores)

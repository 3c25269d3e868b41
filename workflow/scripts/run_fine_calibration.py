"""Experiment fine_calibration: picks the details that Ginsburg 2016 leaves open."""

from replication.platform.job import job
from replication.data.feature_set import load_feature_set
from replication.papers.ginsburg2016 import fine_calibration
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "fine_calibration") as say:
    params, parameters = snakemake.params, snakemake.params.parameters
    tables = {name: load_feature_set(path) for name, path in zip(params.sets, snakemake.input.tables, strict=True)}
    metrics, picks = fine_calibration.run(
        tables, params.sources, settings_of(FeatureSettings, params.configured, "feature_embedding"),
        options=parameters["options"], rounds=parameters["rounds"], margin=parameters["margin"],
        seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

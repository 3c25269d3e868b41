"""Experiment survival: survival of two risk groups."""

import pandas as pd
from replication.platform.job import every, job
from replication.datasets.feature_set import load_feature_set
from replication.papers.ginsburg2016 import survival
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "survival") as say:
    params, parameters, parts = snakemake.params, snakemake.params.parameters, []
    settings = from_section(FeatureSettings, params.settings, "feature_embedding")
    for name, path in zip(parameters["features"], snakemake.input.tables, strict=True):
        say(f"{name}: two risk groups")
        parts.append(
            survival.run(
                load_feature_set(path), settings,
                cohort=parameters["cohort"], partitions=parameters["partitions"], folds=parameters["folds"],
                name=name, source=params.sources[name], seed=params.seed, n_jobs=snakemake.threads,
                progress=every(2 * parameters["partitions"], say, "partitions"),
            )
        )  # fmt: skip
    write_table(pd.concat(parts, ignore_index=True), snakemake.output.metrics)

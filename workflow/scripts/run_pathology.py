"""Experiment pathology: the four studies of Ginsburg 2016 on substitutes."""

import pandas as pd
from replication.platform.job import every, job
from replication.datasets.feature_set import load_feature_set
from replication.papers.ginsburg2016 import pathology
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "pathology") as say:
    params, parts = snakemake.params, []
    parameters = from_section(pathology.Pathology, params.parameters, "pathology")
    settings = from_section(FeatureSettings, params.settings, "feature_embedding")
    for item, path in zip(parameters.sets, snakemake.input.tables, strict=True):
        say(f"{item.name}: cohorts of {item.training} and {item.test} samples of {item.features}")
        parts.append(
            pathology.run(
                load_feature_set(path), item, parameters, settings,
                source=params.sources[item.features], seed=params.seed, n_jobs=snakemake.threads,
                progress=every(pathology.n_rounds(parameters, settings), say, "rounds"),
            )
        )  # fmt: skip
    write_table(pd.concat(parts, ignore_index=True), snakemake.output.metrics)

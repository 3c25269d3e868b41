"""Stability and accuracy of selected features on one data set."""

import numpy as np
from replication.platform.job import every, job
from consensus_embedding.features.feature_importance import UNEQUAL
from replication.data.feature_set import load_feature_set
from replication.papers.ginsburg2016 import feature_selection
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, f"feature_selection, {snakemake.wildcards.set}") as say:
    params, table = snakemake.params, load_feature_set(snakemake.input.table)
    parameters = settings_of(feature_selection.FeatureSelection, params.parameters, "feature_selection")
    settings = settings_of(FeatureSettings, params.settings, "feature_embedding")
    spread = table.values.var(axis=0)
    if settings.scaling == "none" and spread.max() > UNEQUAL * np.median(spread):
        say(
            f"features are not scaled, and the largest variance is {spread.max() / max(np.median(spread), 1e-300):.3g} "
            "times the median: those of the largest variance will lead; set scaling: standard"
        )
    metrics = feature_selection.run(
        table, parameters, settings,
        name=snakemake.wildcards.set, source=params.source, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(feature_selection.n_rounds(table, parameters, settings), say, "rounds"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.scores)

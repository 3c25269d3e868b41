"""
The experiment feature_selection in few rounds, for one universe of choices (FI-01 to FI-18 of the sets that it runs).

Logistic regression and SVM alone: forests take most of the time. Variants are left out, since universes are variants.
Sets have validation samples of their own: without them a round that takes all samples (CH-38) would leave none to
score on.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from consensus_embedding.utils.text import InputError

from replication.data.feature_set import load_feature_set
from replication.data.feature_sources import source_of_features
from replication.papers.ginsburg2016 import feature_selection
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.settings import settings_of
from replication.platform.steps import Work

# Training samples of the full Gisette, which half of the validation samples may replace.
GISETTE_SAMPLES = 6000


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """Stability and accuracy of selected features."""
    settings = settings_of(FeatureSettings, config["feature_embedding"], "feature_embedding")
    parameters = reduced_parameters(config["feature_selection"])
    items, tables = {item["name"]: item for item in config["features"]["sets"]}, []
    for name, path in zip(config["feature_selection"]["sets"], files["tables"], strict=True):
        table = load_feature_set(path)
        if table.validation is None:
            raise InputError(
                f"{name}: a universe needs validation samples, found none; name another set in "
                "multiverse.reduced.features.feature_selection.sets."
            )
        halved = len(table.training_part()[1]) < GISETTE_SAMPLES
        source = source_of_features(items[name], halve_gisette=halved)
        own = {"name": name, "source": source, "work": Work(seed=seed)}
        tables.append(feature_selection.run(table, parameters, settings, **own))
    return {"feature_selection": pd.concat(tables, ignore_index=True)}


def reduced_parameters(section: Mapping) -> feature_selection.FeatureSelection:
    """The section feature_selection without forests and variants."""
    keys = {key: value for key, value in section.items() if key != "sets"}
    parameters = settings_of(feature_selection.FeatureSelection, keys, "feature_selection")
    return parameters.replace(forests=parameters.forests.replace(rounds=0), variants=())

"""Where the tables of features lie, and what they are made from. Light: the rules read it."""

from __future__ import annotations

from typing import Any

from replication.data.feature_sources import source_of_features
from replication.platform.study import Study
from replication.shared.rows import number_of_rows

FEATURES = "features"


def feature_sets(study: Study) -> dict[str, Any]:
    """Tables of features by their names."""
    return {item["name"]: item for item in study["features"]["sets"]}


def gisette_is_halved(study: Study) -> bool:
    """Whether half of the validation samples of Gisette replace its training samples, which are not downloaded."""
    return "gisette_train" not in study["data"]["sets"]


def source(study: Study, name: str) -> str:
    """Where a table of features comes from; empty if there is none of the name."""
    item = feature_sets(study).get(name)
    # The section of another paper, which may not be there.
    sets = {genes["name"]: genes for genes in study.config.get("genes", {}).get("sets", [])}
    genes = sets.get(item.get("expression")) if item else None
    if genes and "planted" in genes:
        return "simulated"
    if genes and not genes.get("training", "").startswith("resources/data/"):
        return "own"
    return source_of_features(item, halve_gisette=gisette_is_halved(study)) if item else ""


def embedding(study: Study, name: str) -> dict[str, Any]:
    """How a table is embedded; features of the user's own are standardised, unless the configuration says otherwise."""
    item = feature_sets(study)[name]
    scaling = item.get("scaling", "standard" if "table" in item else None)
    return {**study["feature_embedding"], **({"scaling": scaling} if scaling else {})}


def longer(study: Study, name: str) -> float:
    """
    How many times as long a round of a user's own table takes as one of 100 samples: 25 times with 1,500, as measured.

    Where the samples are not counted, since it is not CSV or TSV, a round takes as many as it may.
    """
    table, settings = feature_sets(study)[name].get("table"), study["feature_embedding"]
    if table is None:
        return 1.0
    n, most = number_of_rows(table), settings["round_most"]
    return max(1.0, (min(settings["round_share"] * n, most) if n else most) / 100) ** 1.2


def features(name: str) -> str:
    """A table of features, as it was read."""
    return f"{FEATURES}/{name}.npz"


def are_own(study: Study, names: list[str]) -> bool:
    """Whether tables of features are all the user's own."""
    return all(source(study, name) == "own" for name in names)

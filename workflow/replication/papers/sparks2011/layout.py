"""The sets of items to retrieve from, and what of the configuration each of them reads. Light: the rules read it."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from replication.papers.sparks2011.settings import EmbeddingDetails
from replication.platform.study import Study, named_files

# On the page of both experiments.
TABLE_NEEDED = (
    "Table needed: the smallest share M from which on a method stays at most 0.05 below the embedding of all objects, "
    "by the one-sided 95 % bound of the paired difference over the draws. SSGE is scored on objects whose own labels "
    "it was given: that part of the shortfall of OSE-SSL, and of its growth with S, is built in. Recomputed SSGE as "
    "the reference shows what is left."
)


def own_items(study: Study) -> dict[str, dict[str, Any]]:
    """Name -> what the configuration says of a set of the user's own."""
    return {item["name"]: item for item in study["gland_retrieval"]["own"]}


def retrieval_sets(study: Study) -> list[str]:
    """All sets that are scored: those that are made, then the user's own."""
    return [*study["gland_retrieval"]["sets"], *own_items(study)]


def items_files(study: Study, name: str) -> list[PurePath]:
    """The tables behind a set of the user's own; the others are made."""
    return [PurePath(path) for path in named_files(own_items(study).get(name, {})).values()]


def set_settings(study: Study, name: str) -> dict[str, Any]:
    """What a set reads of the configuration; nothing of the others."""
    if name in own_items(study):
        return {"own": own_items(study)[name]}
    if name == "glands":
        parameters = study.only("gland_retrieval", "query_draws", "glands", "size", "separation", "variants")
        return {"simulator": study["glands"], "parameters": parameters}
    # Of the glands the digits read how many there are of each class.
    counts = {name: {"n_glands": glands["n_glands"]} for name, glands in study["glands"]["classes"].items()}
    return {
        "simulator": {"classes": counts},
        "parameters": study.only("gland_retrieval", "query_draws", "digits", "variants"),
    }


def configured_sets(study: Study) -> dict[str, dict[str, Any]]:
    """The configured values of the settings that the calibration picks."""
    retrieval = study["gland_retrieval"]
    return {
        "swiss_roll": study.without("swiss_roll", "variants"),
        "glands": {**retrieval["glands"], "size": retrieval["size"]},
        "digits": retrieval["digits"],
    }


def picking_settings(study: Study) -> dict[str, Any]:
    """What both the substitute and the calibration read in addition to their own section."""
    return {
        "grid": study.of("out_of_sample", EmbeddingDetails),
        "glands": study["glands"],
        "configured": configured_sets(study),
    }

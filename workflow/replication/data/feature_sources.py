"""Where a set of features comes from, as the column `source` says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS = ("nips2003", "wisconsin", "gse7390", "scikit_learn", "expression", "planted", "table")


def kind_of_features(item: Mapping[str, Any]) -> str:
    """What a set of features.sets is read from, one of `KINDS`; the model of the configuration allows one."""
    return next(kind for kind in KINDS if kind in item)


def source_of_features(item: Mapping[str, Any], *, halve_gisette: bool) -> str:
    """
    Source of a set of features.sets: original, simulated, own, or public-substitute.

    Of the original Gisette it says if half of the validation samples replace the training samples (`halve_gisette`).
    """
    if item.get("nips2003") == "GISETTE" and halve_gisette:
        return "original with validation set halved"
    sources = {"nips2003": "original", "planted": "simulated", "table": "own"}
    return sources.get(kind_of_features(item), "public-substitute")

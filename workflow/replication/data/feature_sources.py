"""Where a set of features comes from, as the column `source` says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS = ("nips2003", "wisconsin", "gse7390", "scikit_learn", "expression", "planted", "table")


def kind_of_features(item: Mapping[str, Any]) -> str:
    """
    What a set is read from, one of `KINDS`.

    Parameters
    ----------
    item : mapping
        Of features.sets in the configuration; its model allows one kind.

    Returns
    -------
    str
    """
    return next(kind for kind in KINDS if kind in item)


def source_of_features(item: Mapping[str, Any], *, halve_gisette: bool) -> str:
    """
    Source of a set.

    Parameters
    ----------
    item : mapping
        As for `kind_of_features`.
    halve_gisette : bool
        Whether half of the validation samples of Gisette replace its training samples.

    Returns
    -------
    str
        original (where need be with what is missing of it), simulated, own, or public-substitute.
    """
    if item.get("nips2003") == "GISETTE" and halve_gisette:
        return "original with validation set halved"
    sources = {"nips2003": "original", "planted": "simulated", "table": "own"}
    return sources.get(kind_of_features(item), "public-substitute")

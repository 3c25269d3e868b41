"""The families of universes and their reduced configurations; light, since the rules read them too."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Family:
    """
    A group of experiments of one paper.

    Attributes
    ----------
    paper : str
        As in choices.tsv and claims.tsv.
    sections : tuple of str
        The sections of the configuration that its study reads.
    """

    paper: str
    sections: tuple[str, ...]


FAMILIES = {
    "images": Family("viswanath2012", ("brain", "image_embedding", "ml_estimators")),
    "genes": Family("viswanath2012", ("genes", "gene_embedding", "m_sensitivity")),
    "spectra": Family("tiwari2008", ("spectra", "spectra_embedding", "spectra_dimensions", "spectra_stability")),
    "digits": Family("tomo2025", ("digits", "tsne", "median_consensus", "mce_convergence", "mce_tail")),
    "retrieval": Family("sparks2011", ("out_of_sample", "swiss_roll", "glands", "gland_retrieval")),
    "features": Family("ginsburg2016", ("features", "feature_embedding", "feature_selection")),
}


def universe_module(family: str) -> str:
    """Path of the module of a family, relative to the folder of the packages and without its suffix."""
    return f"replication/papers/{FAMILIES[family].paper}/universe_{family}"


def reduced_config(config: Mapping[str, Any], family: str) -> dict[str, Any]:
    """
    The sections of a study that a family reads, at the reduced size.

    Parameters
    ----------
    config : mapping
        The whole configuration; `multiverse.reduced.<family>` is laid over it, key by key.
    family : str

    Returns
    -------
    dict
    """
    reduced = config["multiverse"]["reduced"][family]
    sections = dict.fromkeys([*FAMILIES[family].sections, *reduced])
    return {name: _merged(config.get(name, {}), reduced.get(name, {})) for name in sections}


def _merged(value: Any, changes: Any) -> Any:
    if not (isinstance(value, Mapping) and isinstance(changes, Mapping)):
        return deepcopy(changes)
    keys = dict.fromkeys([*value, *changes])
    return {
        key: _merged(value.get(key), changes[key]) if key in changes else deepcopy(value[key]) for key in keys
    }  # fmt: skip

"""Checks of own_embeddings in the configuration: keys that must fit one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# Key -> keys that it needs one of.
_NEEDS = {
    "obsm": ("anndata",),
    "representation": ("anndata",),
    "components": ("anndata",),
    "id": ("table", "embeddings", "labels"),
    "drop": ("table", "embeddings"),
    "parameters": ("embedder",),
}
# Keys that exclude one another.
_EITHER = (("table", "anndata"), ("embeddings", "anndata"), ("embeddings", "obsm"))
_PATHS = ("table", "labels", "anndata", "embeddings")
# Ready embeddings are not computed.
_OF_RUNS = ("embedder", "parameters", "n_embeddings")


def check_own_embeddings(config: Mapping[str, Any]) -> list[str]:
    """
    Find what does not fit in own_embeddings.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema.

    Returns
    -------
    list of str
        One line per problem.
    """
    items = config["own_embeddings"]
    names = [item["name"] for item in items]
    lines = [f"own_embeddings: expected names that differ, found {names}"] if len(set(names)) < len(names) else []
    return lines + [line for k, item in enumerate(items) for line in _of_item(item, f"own_embeddings[{k}]")]


def _of_item(item: Mapping[str, Any], where: str) -> Iterator[str]:
    if not {"table", "anndata", "embeddings"} & set(item):
        yield f"{where}: expected table, anndata or embeddings, found none of them"
    for key in _PATHS:
        # Snakemake takes what is between braces for a wildcard.
        paths = item.get(key, [])
        braced = [path for path in ([paths] if isinstance(paths, str) else paths) if set("{}") & set(path)]
        if braced:
            yield f"{where}.{key}: expected paths without braces, found {braced[0]}; rename the file or its folder"
    for first, second in _EITHER:
        if first in item and second in item:
            yield f"{where}: expected either {first} or {second}, found both"
    for key, needed in _NEEDS.items():
        if key in item and not set(needed) & set(item):
            yield f"{where}.{key}: expected {' or '.join(needed)} as well, found none"
    if "label" in item and not {"table", "anndata", "labels"} & set(item):
        yield f"{where}.label: expected a table or labels that have this column, found neither"
    ready = next((key for key in ("embeddings", "obsm") if key in item), None)
    if ready:
        yield from (
            f"{where}.{key}: expected no {key} next to ready embeddings ({ready}); leave one of them out"
            for key in _OF_RUNS
            if key in item
        )
    if "components" in item and ready and "representation" not in item:
        yield f"{where}.components: expected representation as well, found none"
    if "random_state" in item.get("parameters", {}):
        yield f"{where}.parameters.random_state: expected none, since every run gets a seed of its own (see seed)"
    size, n_neighbors = item.get("sample"), item.get("n_neighbors", 15)
    if size is not None and 2 * n_neighbors >= size:
        yield f"{where}.n_neighbors: expected less than half of sample = {size}, found {n_neighbors}"

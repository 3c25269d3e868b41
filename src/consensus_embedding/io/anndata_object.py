"""AnnData objects in memory: what a check takes from them, and where it leaves its results; AnnData is not imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike
from scipy.sparse import issparse

from consensus_embedding.io.memory import require_memory
from consensus_embedding.io.text_tables import some
from consensus_embedding.utils.colours import STABILITY

if TYPE_CHECKING:
    from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck

_DEFAULT_KEY = "consensus"
# Columns of obs that a check adds.
COLUMNS = ("instability", "instability_low", "instability_high", "distance_spread", "neighbor_turnover", "stability")


def read(
    adata: Any, representation: str | None, embeddings: Any, labels: Any, random_state: object
) -> tuple[Any, str, Any, Any]:
    """
    What keys of an AnnData object name; what is no key stays as it is.

    The values, what errors call them, ready embeddings and labels.
    """
    keys = _keys(embeddings)
    if keys is not None:
        embeddings = {name: _entry(adata.obsm, key, "obsm") for name, key in keys.items()}
    if isinstance(labels, str):
        labels = _entry(adata.obs, labels, "obs")
    if representation is None and embeddings is not None:
        return None, "X", embeddings, labels
    from consensus_embedding.io.anndata_file import default_representation, principal_components

    representation = representation or default_representation(adata.obsm)
    if representation != "X":
        where = f"AnnData, obsm '{representation}'"
        return _entry(adata.obsm, representation, "obsm"), where, embeddings, labels
    X = adata.X
    if X is None:
        raise ValueError(
            f"AnnData: expected values in X, found none. Name a key of obsm as representation: "
            f"{some(list(adata.obsm.keys())) if len(adata.obsm) else 'it has none'}."
        )
    # A sparse matrix of an object that is backed by a file.
    if hasattr(X, "to_memory"):
        _require_memory(X.group["data"].shape, X.group["data"].dtype, X.group["indices"].dtype)
        X = X.to_memory()
    if issparse(X):
        X = X.tocsr()
    else:
        # A copy: the components are computed in place.
        _require_memory(X.shape, X.dtype)
        X = np.array(X)
    seed = int(random_state) if isinstance(random_state, Integral) else 0
    values = principal_components("AnnData", X, np.asarray(adata.var_names), None, seed)
    return values, "AnnData, X", embeddings, labels


def _require_memory(shape: Sequence[int], *types: DTypeLike) -> None:
    remedy = "Take fewer cells or genes, or name a key of obsm as representation"
    require_memory("AnnData, X", shape, *types, remedy=remedy)


def require_own_key(adata: Any, key: str) -> None:
    """Refuse a name under which the object has a picture or columns of which it does not say that a check made them."""
    own = key != _DEFAULT_KEY
    if (f"{key}_check" if own else "embedding_check") in adata.uns:
        return
    taken = [f"obsm['X_{key}']"] if f"X_{key}" in adata.obsm else []
    columns = [f"{key}_{name}" if own else name for name in COLUMNS]
    taken += [f"obs['{name}']" for name in columns if name in adata.obs]
    if taken:
        raise ValueError(
            f"key_added='{key}' would replace {', '.join(taken)}, which no check has made (uns has no settings "
            "of one); choose another key_added, or None to leave the object as it is."
        )


def _keys(embeddings: Any) -> dict[str, str] | None:
    """Name of each run -> its key of obsm; None if the embeddings are no keys."""
    if isinstance(embeddings, str):
        embeddings = [embeddings]
    if isinstance(embeddings, Sequence) and all(isinstance(key, str) for key in embeddings):
        repeated = next((key for k, key in enumerate(embeddings) if key in embeddings[:k]), None)
        if repeated is not None:
            raise ValueError(
                f"embeddings must be keys of obsm that differ, found '{repeated}' twice; name each run once."
            )
        return {str(key): str(key) for key in embeddings}
    if isinstance(embeddings, Mapping) and all(isinstance(key, str) for key in embeddings.values()):
        return {str(name): key for name, key in embeddings.items()}
    return None


def point_columns(check: EmbeddingCheck) -> pd.DataFrame:
    """What becomes columns of obs; the categories of the stability are all three, in the order of their colours."""
    columns = check.points.drop(columns=["point", "label", "x", "y"], errors="ignore")
    columns = columns.rename(columns={"category": "stability"})
    # anndata does not write the strings of pandas 3.
    columns["stability"] = pd.Categorical(columns["stability"], categories=pd.Index(list(STABILITY), dtype=object))
    return columns


def used(adata: Any, representation: str | None, embeddings: Any) -> dict[str, object]:
    """What of an AnnData object a check took: a representation, keys of ready embeddings, or both."""
    from consensus_embedding.io.anndata_file import default_representation

    keys = _keys(embeddings)
    taken: dict[str, object] = {} if keys is None else {"embeddings": list(keys.values())}
    if embeddings is None:
        representation = representation or default_representation(adata.obsm)
    return taken if representation is None else taken | {"representation": representation}


def add_results(adata: Any, check: EmbeddingCheck, key: str, settings: Mapping[str, object]) -> None:
    """Add the picture, the stability of each point, its colours and the settings, as a study does in its file."""
    own = key != _DEFAULT_KEY
    adata.obsm[f"X_{key}"] = check.consensus.embedding
    for name, values in point_columns(check).items():
        adata.obs[f"{key}_{name}" if own else name] = values.to_numpy() if values.dtype.kind == "f" else values.array
    # Under this name scanpy looks for the colours of a column.
    adata.uns[f"{key}_stability_colors" if own else "stability_colors"] = list(STABILITY.values())
    adata.uns[f"{key}_check" if own else "embedding_check"] = {
        **settings,
        "n_embeddings": len(check.embeddings),
        "n_neighbors": check.n_neighbors,
        "tolerance": check.convergence.tolerance,
    }


def _entry(entries: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in entries:
        there = list(entries.keys())
        raise ValueError(
            f"AnnData: expected a key '{key}' of {where}, found {some(there) if there else 'none'}. Name one of these."
        )
    return entries[key]

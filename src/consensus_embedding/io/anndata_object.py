"""AnnData objects in memory: what a check takes from them, and where it leaves its results; AnnData is not imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from consensus_embedding.io.table_formats import some
from consensus_embedding.utils.colours import STABILITY

if TYPE_CHECKING:
    from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck

_DEFAULT_KEY = "consensus"


def read(
    adata: Any, representation: str | None, embeddings: Any, labels: Any, random_state: object
) -> tuple[Any, Any, Any]:
    """The values, ready embeddings and labels that keys of an AnnData object name; what is no key stays as it is."""
    if isinstance(embeddings, Sequence) and all(isinstance(key, str) for key in embeddings):
        embeddings = {key: _entry(adata.obsm, key, "obsm") for key in embeddings}
    if isinstance(labels, str):
        labels = _entry(adata.obs, labels, "obs")
    if representation is None and embeddings is not None:
        return None, embeddings, labels
    from consensus_embedding.io.anndata_file import default_representation, principal_components

    representation = representation or default_representation(adata.obsm)
    if representation != "X":
        return _entry(adata.obsm, representation, "obsm"), embeddings, labels
    # A copy: the components are computed in place.
    X = adata.X.tocsr() if issparse(adata.X) else np.array(adata.X)
    seed = random_state if isinstance(random_state, int) else 0
    return principal_components("AnnData", X, np.asarray(adata.var_names), None, seed), embeddings, labels


def point_columns(check: EmbeddingCheck) -> pd.DataFrame:
    """What becomes columns of obs; the categories of the stability are all three, in the order of their colours."""
    columns = check.points.drop(columns=["point", "label", "x", "y"], errors="ignore")
    columns = columns.rename(columns={"category": "stability"})
    columns["stability"] = pd.Categorical(columns["stability"], categories=list(STABILITY))
    return columns


def add_results(adata: Any, check: EmbeddingCheck, key: str) -> None:
    """Add the picture, the stability of each point, its colours and the settings, as a study does in its file."""
    own = key != _DEFAULT_KEY
    adata.obsm[f"X_{key}"] = check.consensus.embedding
    for name, values in point_columns(check).items():
        adata.obs[f"{key}_{name}" if own else name] = values.to_numpy() if values.dtype.kind == "f" else values.array
    # Under this name scanpy looks for the colours of a column.
    adata.uns[f"{key}_stability_colors" if own else "stability_colors"] = list(STABILITY.values())
    adata.uns[f"{key}_check" if own else "embedding_check"] = {
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

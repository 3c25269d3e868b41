"""An entry of own_embeddings: its settings, and what its check costs, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from consensus_embedding.consensus.cost import Cost, check_cost

from replication.shared.rows import number_of_rows

if TYPE_CHECKING:
    from replication.platform.own_embeddings import OwnEmbedding


def settings_of_item(item: Mapping[str, Any]) -> OwnEmbedding:
    """An entry of own_embeddings."""
    from replication.platform.own_embeddings import OwnEmbedding
    from replication.platform.settings import settings_of

    return settings_of(OwnEmbedding, item, "own_embeddings")


def cost_of(item: OwnEmbedding, n: int) -> Cost:
    """Time on one core and memory of the check of so many points."""
    ready = item.embeddings or item.obsm
    name = None
    if not ready:
        if item.embedder is None:
            from consensus_embedding.manifold.tsne import default_tsne

            name = type(default_tsne(n)).__name__
        else:
            name = item.embedder.rpartition(".")[2]
    m = len(ready) or item.n_embeddings
    return check_cost(n, m, is_compared=item.is_compared, n_neighbors=item.n_neighbors, embedder=name)


def number_of_points(path: str) -> int:
    """Rows of a table or of an array; 0 if they are not known without more. What is wrong with a file, the run says."""
    if PurePath(path).suffix.lower() == ".npy":
        import numpy as np

        try:
            return len(np.load(path, mmap_mode="r"))
        except (OSError, TypeError, ValueError, EOFError):
            return 0
    return number_of_rows(path)

"""What the arena combines: data, their classes, and pools of embeddings without a common run."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import numpy as np


@dataclass(frozen=True)
class Data:
    """Points with known classes."""

    name: str  # As in the column dataset of the metrics.
    source: str
    X: np.ndarray  # Of shape (n, n_features).
    labels: np.ndarray


def save_input(data: Data, pools: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of an input, to be written by `numpy.savez`."""
    return {**{key: np.asarray(values) for key, values in vars(data).items()}, "pools": pools}


def load_input(path: str | PathLike[str]) -> tuple[Data, np.ndarray]:
    """Read what `save_input` arranged: the data, and the pools of shape (repetitions, m, n, p)."""
    with np.load(path) as arrays:
        return Data(str(arrays["name"]), str(arrays["source"]), arrays["X"], arrays["labels"]), arrays["pools"]


@dataclass(frozen=True)
class PoolSizes:
    """Numbers of pools, and of embeddings in each."""

    repetitions: int
    n_embeddings: int

    @property
    def total(self) -> int:
        """Embeddings in all pools."""
        return self.repetitions * self.n_embeddings

    def into_pools(self, embeddings: np.ndarray) -> np.ndarray:
        """Pools of shape (repetitions, n_embeddings, n, p), dealt in turn so that none has all the first ones."""
        return np.stack([embeddings[r : self.total : self.repetitions] for r in range(self.repetitions)])

"""Consensus of locally linear embeddings over the number of neighbours (Tiwari, Rosen and Madabhushi 2008, C-LLE)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from consensus_embedding.consensus.pairwise import ESTIMATORS
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from consensus_embedding.manifold.lle import lle_embeddings
from consensus_embedding.utils.estimator_mixin import EmbeddingColumnsMixin, validated
from consensus_embedding.utils.parallel import n_threads
from consensus_embedding.utils.parameters import COUNT, JOBS, POSITIVE, Allowed, check_parameters
from consensus_embedding.utils.progress import announce, report

KAPPAS = tuple(range(3, 21))
# Seconds of one number of neighbours with 2000 samples x 30, on one core, and the power with which they grow (measured
# from 1000 to 2000 samples).
_SECONDS, _GROWTH = 0.36, 2.4


def _default_kappas(n: int) -> tuple[int, ...]:
    """Those of `KAPPAS` that n samples allow, the largest that they do if none."""
    kappas = tuple(kappa for kappa in KAPPAS if kappa < n) or (n - 1,)
    if kappas != KAPPAS:
        warnings.warn(
            f"C-LLE takes {kappas[0]} to {kappas[-1]} neighbours, not {KAPPAS[0]} to {KAPPAS[-1]}, because there are "
            f"only {n} samples; give n_neighbors to choose them.",
            stacklevel=4,
        )
    return kappas


class ConsensusLLE(EmbeddingColumnsMixin, BaseEstimator):
    """
    Consensus of locally linear embeddings over several numbers of neighbours (C-LLE).

    Parameters
    ----------
    n_components : int, default=4
        m.
    n_neighbors : sequence of int or "auto", default="auto"
        The kappas, each from 1 to the number of samples less one. "auto" is 3, 4, ..., 20, of fewer than 21 samples as
        many as they allow, with a warning. The paper takes 1, ..., K without naming K.
    estimator : {"mode", "mode_kernel_density", "mode_histogram", "mean", "median"}, default="mode"
        How the distances of a pair are combined: their mode by half samples, or otherwise.
    regularization : float, default=1e-3
        Of the weights of the neighbours; see `lle_embeddings`.
    on_disconnected : {"error", "skip"}, default="error"
        Whether a kappa whose neighbourhood graph does not determine an embedding is an error or is left out.
    mds : {"classical", "smacof"}, default="classical"
    n_jobs : int, default=1
        Threads; -1 for all cores. The result does not depend on it.
    verbose : bool, default=False
        Whether to say how long it will take, and how far it is. A run expected to take more than five minutes warns.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    distances_ : ndarray of shape (n_samples * (n_samples - 1) / 2,)
        The consensus distances, condensed.
    embeddings_ : ndarray of shape (K, n_samples, n_components)
        The locally linear embeddings.
    kappas_ : tuple of int
        Their numbers of neighbours; K of them.
    skipped_ : dict of int to str
        The numbers of neighbours left out, and why.

    References
    ----------
    Tiwari, Rosen and Madabhushi (2008), Consensus-Locally Linear Embedding (C-LLE): Application to Prostate Cancer
    Detection on Magnetic Resonance Spectroscopy.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensus_embedding import ConsensusLLE
    >>> ConsensusLLE(2, n_neighbors=range(10, 21)).fit_transform(load_digits().data[:200]).shape
    (200, 2)
    """

    _allowed: ClassVar[Allowed] = {
        "n_components": [COUNT],
        "n_neighbors": [{"auto"}, range, tuple, list, np.ndarray],
        "estimator": [set(ESTIMATORS)],
        "regularization": [POSITIVE],
        "on_disconnected": [{"error", "skip"}],
        "mds": [{"classical", "smacof"}],
        "n_jobs": JOBS,
        "verbose": [bool],
    }

    def __init__(
        self,
        n_components: int = 4,
        *,
        n_neighbors: Sequence[int] | np.ndarray | str = "auto",
        estimator: str = "mode",
        regularization: float = 1e-3,
        on_disconnected: str = "error",
        mds: str = "classical",
        n_jobs: int = 1,
        verbose: bool = False,
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.estimator = estimator
        self.regularization = regularization
        self.on_disconnected = on_disconnected
        self.mds = mds
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """
        Embed X with each number of neighbours, combine the embeddings and return the consensus embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            As `lle_embeddings`: X contains NaN, a number of neighbours is not below the number of samples, or does not
            determine the embedding.

        Warns
        -----
        LongRunWarning
            If it is expected to take more than five minutes.
        UserWarning
            If all samples are equal; all points are at one place then.
        """
        check_parameters(self, self._allowed)
        X = validated(self, X, dtype=np.float64, ensure_min_samples=3)
        kappas = _default_kappas(len(X)) if isinstance(self.n_neighbors, str) else self.n_neighbors
        if self._nothing_to_embed(X):
            self.kappas_, self.skipped_ = tuple(kappas), {}
            self.embedding_ = np.zeros((len(X), self.n_components))
            self.embeddings_ = np.zeros((len(self.kappas_), *self.embedding_.shape))
            self.distances_ = np.zeros(len(X) * (len(X) - 1) // 2)
            return self.embedding_
        announce(
            f"C-LLE of {len(X)} samples with {np.size(kappas)} numbers of neighbours",
            np.size(kappas) * _SECONDS * (len(X) / 2000) ** _GROWTH,
            "Give fewer n_neighbors, or a sample of the rows.",
            verbose=self.verbose,
        )
        single = lle_embeddings(
            X,
            kappas,
            self.n_components,
            regularization=self.regularization,
            on_disconnected=self.on_disconnected,
        )
        report(f"C-LLE: {len(single.kappas)} embeddings made, now their consensus.", verbose=self.verbose)
        self.embeddings_, self.kappas_, self.skipped_ = single.embeddings, single.kappas, single.skipped
        # As they are: all embeddings have columns of the same length.
        consensus = combine_embeddings(
            self.embeddings_,
            n_components=self.n_components,
            estimator=self.estimator,
            normalization="none",
            mds=self.mds,
            n_jobs=n_threads(self.n_jobs),
        )
        self.embedding_, self.distances_ = consensus.embedding, consensus.distances
        return self.embedding_

"""Where a run of t-SNE starts."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from consensus_embedding.utils.numbers import with_squares
from consensus_embedding.utils.threads import one_blas_thread


def random_start(n: int, seed: int | np.random.RandomState | None, n_components: int = 2) -> np.ndarray:
    """Random start, (n, n_components), float32: the draw that scikit-learn's t-SNE makes from the same seed."""
    return 1e-4 * check_random_state(seed).standard_normal(size=(n, n_components)).astype(np.float32)


def pca_start(X: np.ndarray, n_components: int = 2) -> np.ndarray:
    """First principal components of X, the first with a standard deviation of 1e-4, (n, n_components), float32."""
    from sklearn.decomposition import PCA

    for found, what in ((X.shape[1], "features"), (len(X), "samples")):
        if found < n_components:
            raise ValueError(f'init="pca" needs at least {n_components} {what}, found {found}; use init="random".')
    X = with_squares(np.asarray(X, dtype=np.float64))
    # One thread: the last digits of several depend on their number.
    with np.errstate(invalid="ignore"), one_blas_thread():
        model = PCA(n_components=n_components, svd_solver="full").set_output(transform="default")
        components = model.fit_transform(X)
    spread = np.std(components[:, 0])
    # Rounding gives equal samples a spread of about their size times 1e-16.
    if not spread > 1e-14 * np.abs(X).max():
        raise ValueError(
            f'init="pca" needs samples that differ, found {len(X)} whose first principal component has no spread; use '
            'init="random".'
        )
    return (components / spread * 1e-4).astype(np.float32)

"""How many dimensions, and which neighbourhoods? By residual variance (Tenenbaum 2000; Ginsburg et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from consensus_embedding.manifold.kernel_embedding import KernelEmbedding
from consensus_embedding.manifold.sample_kernels import Decomposition, DisconnectedGraph, Samples, decompose
from consensus_embedding.utils.numbers import real_numbers, require_symmetric
from consensus_embedding.utils.parallel import in_order
from consensus_embedding.utils.parameters import COUNT, Allowed, check_values, checked_arguments
from consensus_embedding.utils.rows import check_row_order
from consensus_embedding.utils.seeds import generator

TARGETS = ("graph", "kernel")
RULES = ("first", "minimum")
# What is tried, unless it is given.
NEIGHBORS, ALPHAS = range(3, 31), (0.1, 1.0, 10.0)
# Parameters are chosen on so many samples: the time grows with the third power of their number.
CHOICE_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class ChosenEmbedding:
    """
    The embedding with the parameters that residual variance chose.

    Attributes
    ----------
    estimator : KernelEmbedding
        Fitted.
    n_components : int
    n_neighbors : int or None
        None for "pca".
    alpha : float or None
        None for all but "le".
    residual_variance : float
        At the choice.
    residual_variances : ndarray of shape (h_max,)
        Over the numbers of components 1, 2, ..., with the n_neighbors and alpha chosen.
    n_disconnected : int
        Numbers of neighbours left out because their graph is in pieces.
    sample_variance : float or None
        Residual variance at the choice, of the samples on which it was made; None if these were all. Next to
        `residual_variance`, that of all samples, it shows what choosing on a part costs.
    """

    estimator: KernelEmbedding
    n_components: int
    n_neighbors: int | None
    alpha: float | None
    residual_variance: float
    residual_variances: np.ndarray
    n_disconnected: int
    sample_variance: float | None = None


def residual_variances(embedding: ArrayLike, distances: ArrayLike) -> np.ndarray:
    """
    Share of the variance of distances that an embedding leaves unexplained, by its number of components (Eq. 19).

    1 - rho^2 with rho the linear correlation, over all pairs, between `distances` and the Euclidean distances in the
    first 1, 2, ... components (Tenenbaum, de Silva and Langford 2000; the equation reached us without the square).

    Parameters
    ----------
    embedding : array-like of shape (n, h)
        At least 3 samples.
    distances : array-like of shape (n, n)
        Symmetric; e.g. geodesic ones.

    Returns
    -------
    ndarray of shape (h,)
        In [0, 1]; 1 where all distances of either kind are equal, or the correlation is negative.

    Raises
    ------
    ValueError
        If the tables do not fit each other or contain NaN or infinity, or the distances are not symmetric.
    """
    check_row_order(distances=distances, embedding=embedding)
    embedding, distances = real_numbers(embedding, "embedding"), real_numbers(distances, "distances")
    if embedding.ndim != 2 or min(embedding.shape) < 1 or len(embedding) < 3:
        raise ValueError(
            "The embedding must have shape (samples, components) with at least 3 samples and a component, "
            f"found shape {embedding.shape}."
        )
    n = len(embedding)
    if distances.shape != (n, n):
        raise ValueError(f"Expected distances of shape ({n}, {n}) as there are {n} samples, found {distances.shape}.")
    if not (np.isfinite(embedding).all() and np.isfinite(distances).all()):
        raise ValueError(
            "Residual variance needs finite values, found NaN or infinity in the embedding or distances; leave "
            "out these samples."
        )
    require_symmetric(distances, "Distances")
    # Correlation does not know a unit, so that both can be scaled to be of size 1, whose squares do not overflow.
    points = np.ascontiguousarray(_unit(embedding).T)
    return _residual_variances(points, _unit(distances))


@checked_arguments
def choose_embedding(
    X: ArrayLike | Samples,
    reduction: str,
    *,
    max_components: int = 50,
    n_neighbors: Sequence[int] | np.ndarray = NEIGHBORS,
    alphas: Sequence[float] | np.ndarray = ALPHAS,
    target: str = "graph",
    rule: str = "first",
    tolerance: float = 0.01,
    n_components: int | None = None,
    choice_samples: int | None = CHOICE_SAMPLES,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] = lambda finished, all_: None,
    regularization: float = 1e-3,
    isomap_kernel: str = "squared",
    eigenvalue_power: float = 0.5,
) -> ChosenEmbedding:
    """
    Choose the number of components, of neighbours, and alpha by residual variance (Sec. V-B).

    Parameters
    ----------
    X : array-like of shape (n, m), or Samples
        Samples share their distances between several calls.
    reduction : {"pca", "isomap", "le", "lle"}
    max_components : int
        Largest number of components tried, if the rank of the kernel allows it.
    n_neighbors : sequence of int
        Tried for all but "pca"; those above n - 1 count as n - 1. Those whose graph is in pieces are left out; if none
        connects the samples, the smallest number that does is taken.
    alphas : sequence of float
        Tried for "le". A pair of n_neighbors and alpha whose weights vanish is left out.
    target : {"graph", "kernel"}
        Distances to be explained: the method's own estimate (Euclidean for "pca", geodesic for the others), or those
        in the space of the kernel, sqrt(k_ii + k_jj - 2 k_ij).
    rule : {"first", "minimum"}
        "first": the smallest number of components for which some n_neighbors and alpha have a residual variance within
        `tolerance` of the lowest of all; of those the n_neighbors and alpha with the lowest. "minimum": the lowest of
        all. Of equal ones the fewest components, then the fewest neighbours, then the smallest alpha.
    tolerance : float
        Share of variance.
    n_components : int, optional
        Take this many, and choose only the others.
    choice_samples : int, optional
        Of more samples than this, so many are drawn, and the choice is made on them (not for "pca", which has nothing
        to choose but the number of components); the samples are then all embedded with these parameters. If none of
        `n_neighbors` connects those drawn, or the one chosen does not connect all samples, these are embedded with the
        smallest of `n_neighbors` that connects them, or else the smallest number that does. None: no limit.
    seed : int
        Of that draw.
    n_jobs : int
        Processes; -1 for all cores. The result does not depend on it.
    progress : callable
        Called with how many numbers of neighbours were tried, and how many there are.
    regularization, isomap_kernel, eigenvalue_power
        Those of `KernelEmbedding`.

    Returns
    -------
    ChosenEmbedding

    Raises
    ------
    ValueError
        If X or a parameter is unusable, a number of components asked for is above the rank, all weights of "le"
        vanish, or all samples coincide.
    """
    _check_choice(max_components, n_neighbors, alphas, target, rule, tolerance, n_components)
    if choice_samples is not None and (not isinstance(choice_samples, Integral) or choice_samples < 3):
        raise ValueError(f"choice_samples must be an integer of at least 3, or None, found {choice_samples!r}.")
    model = KernelEmbedding(
        1 if n_components is None else n_components, reduction=reduction, regularization=regularization,
        isomap_kernel=isomap_kernel, eigenvalue_power=eigenvalue_power,
    )  # fmt: skip
    samples = model._checked(X)
    connecting, n_disconnected = _usable_neighbors(samples, reduction, n_neighbors)
    neighbors = connecting
    widths = sorted(set(map(float, alphas))) if reduction == "le" else [model.alpha]
    limit = min(max_components if n_components is None else n_components, len(samples.X) - 1)
    tried = _drawn(samples, reduction, choice_samples, seed)
    if tried is not samples:
        neighbors, n_disconnected = _usable_neighbors(tried, reduction, n_neighbors)
        limit = min(limit, len(tried.X) - 1)
    table = _residual_table(tried, model, neighbors, widths, limit, target, n_jobs, progress)
    h, a, b = _choice(table, rule, tolerance, n_components, reduction, tried)
    variances = table[np.isfinite(table[:, a, b]), a, b]
    chosen: dict[str, Any] = {"n_neighbors": neighbors[a], "alpha": widths[b]}
    sample_variance = None
    if tried is not samples:
        if chosen["n_neighbors"] not in connecting:
            chosen["n_neighbors"] = connecting[0]
        sample_variance = float(variances[h - 1])
    model.set_params(n_components=h, **({} if reduction == "pca" else chosen))
    decomposition = decompose(samples, **model._kernel_parameters(), n_pairs=h)
    if sample_variance is not None:
        variances = _variances(decomposition, h, model.eigenvalue_power, target)
        model.n_components = h = len(variances)
    model._keep(samples, decomposition)
    return ChosenEmbedding(
        model,
        h,
        None if reduction == "pca" else chosen["n_neighbors"],
        widths[b] if reduction == "le" else None,
        float(variances[h - 1]),
        variances,
        n_disconnected,
        sample_variance,
    )


def _drawn(samples: Samples, reduction: str, choice_samples: int | None, seed: int) -> Samples:
    """The samples on which parameters are chosen: all, or so many."""
    n = len(samples.X)
    if reduction == "pca" or choice_samples is None or n <= choice_samples:
        return samples
    drawn = generator(seed).choice(n, choice_samples, replace=False)
    return Samples(samples.X[np.sort(drawn)])


def _residual_table(
    samples: Samples,
    model: KernelEmbedding,
    neighbors: Sequence[int],
    widths: Sequence[float],
    limit: int,
    target: str,
    n_jobs: int,
    progress: Callable[[int, int], None],
) -> np.ndarray:
    """Residual variances (components, numbers of neighbours, alphas), infinite where there is no such component."""
    calls = [(samples, model, k, widths, limit, target) for k in neighbors]
    residuals = in_order(_residuals, calls, min(n_jobs, len(calls)))
    table = np.full((limit, len(neighbors), len(widths)), np.inf)
    for a, variances in enumerate(residuals):
        table[:, a] = variances
        progress(a + 1, len(neighbors))
    return table


def _residuals(
    samples: Samples, model: KernelEmbedding, k: int, widths: Sequence[float], limit: int, target: str
) -> np.ndarray:
    """Residual variances (components, alphas), infinite where there is no such component."""
    table = np.full((limit, len(widths)), np.inf)
    fixed = {name: getattr(model, name) for name in ("regularization", "isomap_kernel")}
    geodesics = None if model.reduction == "pca" else samples.geodesics(k)
    for b, alpha in enumerate(widths):
        try:
            decomposition = decompose(
                samples, model.reduction, n_neighbors=k, alpha=alpha, geodesics=geodesics, n_pairs=limit, **fixed
            )
        except DisconnectedGraph:
            continue
        how = (limit, model.eigenvalue_power, target)
        # Where results are kept, so is the decomposition, and no other can have its id.
        values = samples.kept(("residuals", id(decomposition), *how), partial(_variances, decomposition, *how))
        table[: len(values), b] = values
    return table


def _variances(decomposition: Decomposition, limit: int, power: float, target: str) -> np.ndarray:
    """Residual variances of the first components, at most `limit`, that a kernel has."""
    if not len(decomposition.values):
        return np.empty(0)
    wanted = decomposition.distances if target == "graph" else decomposition.kernel_distances()
    return residual_variances(decomposition.embedding(limit, power), wanted)


def _usable_neighbors(samples: Samples, reduction: str, n_neighbors: Collection[int]) -> tuple[list[int], int]:
    """Numbers of neighbours that connect the samples, rising, and how many do not."""
    if reduction == "pca":
        return [1], 0
    tried = sorted({min(int(k), len(samples.X) - 1) for k in n_neighbors})
    usable = [k for k in tried if k >= samples.smallest_connecting]
    return usable or [samples.smallest_connecting], len(tried) - len(usable)


def _choice(
    table: np.ndarray, rule: str, tolerance: float, n_components: int | None, reduction: str, samples: Samples
) -> tuple[int, int, int]:
    """Number of components, and places of the number of neighbours and of alpha; table (components, k, alphas)."""
    if n_components is not None and (len(table) < n_components or not np.isfinite(table[n_components - 1]).any()):
        rank = int(np.isfinite(table).any(axis=(1, 2)).sum())
        raise ValueError(
            f"n_components = {n_components} is above the rank of the kernel, {rank}, of {len(samples.X)} samples with "
            f"{samples.X.shape[1]} feature(s) by {reduction}; lower n_components."
        )
    lowest = table.min()
    if not np.isfinite(lowest):
        raise ValueError(
            f'No kernel of the {len(samples.X)} samples by {reduction} has a component: all weights of "le" vanish or '
            'all costs of "lle" are equal; raise the alphas, or use more samples.'
        )
    if n_components is not None:
        h = n_components - 1
    elif rule == "first":
        h = int((table <= lowest + tolerance).any(axis=(1, 2)).argmax())
    else:
        h = int(table.min(axis=(1, 2)).argmin())
    a, b = map(int, np.unravel_index(table[h].argmin(), table[h].shape))
    return h + 1, a, b


def _check_choice(
    max_components: int,
    n_neighbors: Sequence[int] | np.ndarray,
    alphas: Sequence[float] | np.ndarray,
    target: str,
    rule: str,
    tolerance: float,
    n_components: int | None,
) -> None:
    for name, value, known in (("target", target, TARGETS), ("rule", rule, RULES)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, found {value!r}.")
    allowed: Allowed = {"max_components": [COUNT], "n_components": [COUNT, None]}
    check_values("choose_embedding", allowed, max_components=max_components, n_components=n_components)
    if np.ndim(n_neighbors) != 1:
        raise ValueError(f"n_neighbors must be a list of numbers to try, such as [12], found {n_neighbors!r}.")
    if not len(n_neighbors) or not all(isinstance(k, Integral) and int(k) >= 1 for k in n_neighbors):
        raise ValueError(f"n_neighbors must be integers of at least 1, one or more, found {list(n_neighbors)}.")
    if (
        np.ndim(alphas) != 1
        or not len(alphas)
        or not all(isinstance(a, Real) and 0 < float(a) < np.inf for a in alphas)
    ):
        raise ValueError(f"alphas must be positive, finite numbers, one or more, found {alphas!r}.")
    if not isinstance(tolerance, Real) or not 0 <= tolerance < 1:
        raise ValueError(f"tolerance must be a share of variance in [0, 1), found {tolerance!r}.")


def _unit(values: np.ndarray) -> np.ndarray:
    largest = np.abs(values).max()
    return values / largest if largest > 0 else values


@njit(cache=True, nogil=True, error_model="numpy")
def _residual_variances(points: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """1 - rho^2 for the first 1, 2, ... of the coordinates (h, n)."""
    h, n = points.shape
    n_pairs = n * (n - 1) / 2
    mean = 0.0
    for i in range(n):
        mean += distances[i, :i].sum()
    mean /= n_pairs
    squared = np.zeros((n, n))
    # One sum for each column, so that the loops over columns run in parallel lanes; columns are added up in the end.
    target_squares = np.zeros(n)
    for i in range(n):
        for j in range(i):
            target_squares[j] += (distances[i, j] - mean) ** 2
    target = target_squares.sum()
    result = np.ones(h)
    sums, squares, products = np.empty(n), np.empty(n), np.empty(n)
    shift = 0.0
    for c in range(h):
        x = points[c]
        sums[:], squares[:], products[:] = 0.0, 0.0, 0.0
        for i in range(n):
            row, wanted, place = squared[i], distances[i], x[i]
            for j in range(i):
                row[j] += (x[j] - place) ** 2
                # Less the mean of the step before, which keeps the digits of the variance.
                length = np.sqrt(row[j]) - shift
                sums[j] += length
                squares[j] += length * length
                products[j] += length * (wanted[j] - mean)
        total = sums.sum()
        variance = squares.sum() - total * total / n_pairs
        if variance > 1e-28 * n_pairs and target > 1e-28 * n_pairs:
            # Distances that fall where they should rise explain nothing.
            agreement = max(products.sum(), 0.0)
            result[c] = min(max(1.0 - agreement**2 / (variance * target), 0.0), 1.0)
        shift += total / n_pairs
    return result

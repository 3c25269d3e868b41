"""Fewer objects for many pixels: mean-shift centres, k-means centres, random pixels; and the map back to the pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans, kmeans_plusplus

from consensus_embedding.clustering.clustering_kernels import assign
from consensus_embedding.clustering.mean_shift_kernels import distinct_rows
from consensus_embedding.clustering.mean_shift_search import SEEDINGS, seeded_centres
from consensus_embedding.utils.numbers import real_numbers
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.seeds import generator
from consensus_embedding.utils.threads import one_thread

KERNELS = ("flat", "gaussian")
SUBSAMPLINGS = ("mean_shift", "mean_shift_gaussian", "k_means", "random")
# k-means++ looks at this many pixels an object, and Lloyd's iteration is stopped early: representatives are wanted,
# not an optimum.
_START_PIXELS = 10
_LLOYD_ITERATIONS = 10
# A feature whose values are above this many times the largest range of a feature is climbed less the first of them.
_FAR = 256.0
# Features of a spread from 2 ** -32 to 2 ** 32 keep their unit: squares of their differences fit single precision.
_USUAL_EXPONENT = 32
# Bandwidths beyond this many times the largest value have the result of this one; narrower ones of the other.
_WIDEST, _NARROWEST = 2.0**60, 2.0**-500


@dataclass(frozen=True, eq=False)
class Objects:
    """
    Representatives of pixels.

    Attributes
    ----------
    features : ndarray of shape (n_objects, p)
        Features of each object.
    assignment : ndarray of shape (n_pixels,), int
        Object of each pixel.
    sizes : ndarray of shape (n_objects,), int
        Pixels of each object; at least 1.
    bandwidth : float or None
        Of the mean shift; None if there was none.
    """

    features: np.ndarray
    assignment: np.ndarray
    sizes: np.ndarray
    bandwidth: float | None = None

    def to_pixels(self, values: ArrayLike) -> np.ndarray:
        """
        Give each pixel the value of its object.

        Parameters
        ----------
        values : array-like of shape (n_objects, ...)

        Returns
        -------
        ndarray of shape (n_pixels, ...)

        Raises
        ------
        ValueError
            If there is not one value for each object.
        """
        values = np.asarray(values)
        if values.ndim == 0 or len(values) != len(self.features):
            raise ValueError(f"Expected one value for each of {len(self.features)} objects, found {values.shape}.")
        return values[self.assignment]


@checked_arguments
def mean_shift_objects(
    F: ArrayLike,
    *,
    max_objects: int = 300,
    bandwidth: float | None = None,
    kernel: str = "flat",
    seeding: str = "grid",
) -> Objects:
    """
    Mean-shift centres of the pixels and the nearest centre of each.

    As scikit-learn's ``MeanShift(bin_seeding=True)``: the seeds are the occupied cells of a grid as wide as the
    bandwidth h; each climbs to the mean of the pixels around it until a step is shorter than h / 1000; of two
    ends within h of each other the one with more pixels stays; each pixel goes to the nearest of them
    (Comaniciu and Meer 2002; ConsEmbedMS of Viswanath and Madabhushi 2012). Centres nearest to no pixel are left out.

    Without a bandwidth, the smallest one is sought that leaves at most `max_objects` centres: full mean shifts
    along a secant of log(centres) against log(h), ending as soon as their number is between two thirds of
    `max_objects` and `max_objects`, or after twelve with the most centres that are not too many. Occupied cells
    do not replace centres: most cells of a grid in 14 dimensions have no pixel within h of their middle, and
    300 cells may leave one centre.

    The unit of the features does not matter: with a given bandwidth, features and bandwidth times a power of two give
    that many times the centres, to the last bit; without one too, except for the rounding of the logarithms.

    Parameters
    ----------
    F : array-like of shape (n_pixels, p)
        Features, scaled alike. Mask out fill values: one extreme value collapses the rest into a few objects.
    max_objects : int
        Most objects wanted, at least 2. If there are no more distinct pixels than that, each of them is an object.
        With a given bandwidth only "auto" looks at it.
    bandwidth : float, optional
        Radius of the kernel, above 0, in units of the features.
    kernel : {"flat", "gaussian"}
        Gaussian: of the same variance as the flat one along each axis, h^2 / (p + 2), cut at four standard deviations.
    seeding : {"grid", "pixels", "auto"}
        "grid": the middles of occupied cells, as above. In many dimensions no pixel may lie within h of them, as in a
        table of 30 features, where the search then finds one to ten centres. "pixels": the pixels themselves (every
        second, third, ... of more than 5000), as scikit-learn's ``MeanShift(bin_seeding=False)``. "auto": the pixels,
        if the grid leaves a tenth of `max_objects` or fewer and the pixels leave more.

    Returns
    -------
    Objects
        Centres by falling number of pixels in the kernel; distinct pixels, where these are the objects, as they come.

    Raises
    ------
    ValueError
        If F is not a table or contains NaN or infinity; if `max_objects` is below 2, the bandwidth not positive, or
        the kernel unknown; if no seed has a pixel within the bandwidth, or the search finds no bandwidth.
    """
    F = _check_pixels(F, max_objects, "max_objects")
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {KERNELS}, found {kernel!r}.")
    if seeding not in SEEDINGS:
        raise ValueError(f"seeding must be one of {', '.join(SEEDINGS)}, found {seeding!r}.")
    if bandwidth is not None and not bandwidth > 0:
        raise ValueError(f"The bandwidth must be above 0, found {bandwidth}.")
    distinct = None if bandwidth is not None else _distinct_pixels(F, max_objects)
    if distinct is not None:
        return distinct
    F, exponent, offset = _in_range(F)
    width = None
    if bandwidth is not None:
        bandwidth = float(bandwidth)
        width = float(np.clip(np.ldexp(bandwidth, -exponent), _NARROWEST, _WIDEST * (np.abs(F).max() or 1.0)))
    width, centres = seeded_centres(F, offset, max_objects, kernel, seeding, width)
    if len(centres) == 0:
        raise ValueError(f"No pixel is within the bandwidth {bandwidth} of a seed; choose a larger one.")
    bandwidth = float(np.ldexp(width, exponent)) if bandwidth is None else bandwidth
    objects = objects_of_centres(F, centres, bandwidth)
    features = objects.features + offset if offset.any() else objects.features
    return replace(objects, features=np.ldexp(features, exponent))


def kmeans_objects(F: np.ndarray, *, n_objects: int = 300, seed: int = 0) -> Objects:
    """
    k-means centres of the pixels F, (n_pixels, p), features scaled alike, and the nearest centre of each.

    scikit-learn's KMeans from one k-means++ start on a random tenfold of `n_objects` pixels, ten iterations:
    representatives are wanted, not an optimum. If there are no more distinct pixels than `n_objects`, at least 2, each
    of them is an object.
    """
    F = _check_pixels(F, n_objects, "n_objects")
    distinct = _distinct_pixels(F, n_objects)
    if distinct is not None:
        return distinct
    rng = generator(seed)
    state = int(rng.integers(2**31))
    sample = F[np.sort(rng.choice(len(F), min(len(F), _START_PIXELS * n_objects), replace=False))]
    with one_thread():
        start, _ = kmeans_plusplus(sample, n_objects, random_state=state)
        model = KMeans(n_objects, init=start, n_init=1, max_iter=_LLOYD_ITERATIONS, random_state=state).fit(F)
    return objects_of_centres(F, model.cluster_centers_)


def random_objects(F: np.ndarray, *, n_objects: int = 300, seed: int = 0) -> Objects:
    """
    Random pixels of F, (n_pixels, p), features scaled alike, and the nearest of them for each pixel.

    If there are no more distinct pixels than `n_objects`, at least 2, each of them is an object. There are fewer
    objects if drawn pixels coincide.
    """
    F = _check_pixels(F, n_objects, "n_objects")
    distinct = _distinct_pixels(F, n_objects)
    if distinct is not None:
        return distinct
    chosen = generator(seed).choice(len(F), n_objects, replace=False)
    return objects_of_centres(F, F[np.sort(chosen)])


def representative_objects(
    F: np.ndarray, kind: str = "mean_shift", *, max_objects: int = 300, seed: int = 0, seeding: str = "grid"
) -> Objects:
    """
    Fewer objects for many pixels F, (n_pixels, p), features scaled alike, by a way of `SUBSAMPLINGS`.

    The two mean shifts have a flat and a Gaussian kernel; `max_objects` is the most objects of a mean shift, the number
    of the others; `seeding` is that of `mean_shift_objects`.
    """
    if kind not in SUBSAMPLINGS:
        raise ValueError(f"The kind of objects must be one of {', '.join(SUBSAMPLINGS)}, found {kind!r}.")
    if kind == "k_means":
        return kmeans_objects(F, n_objects=max_objects, seed=seed)
    if kind == "random":
        return random_objects(F, n_objects=max_objects, seed=seed)
    kernel = "gaussian" if kind == "mean_shift_gaussian" else "flat"
    return mean_shift_objects(F, max_objects=max_objects, kernel=kernel, seeding=seeding)


def _check_pixels(F: ArrayLike, n_objects: int, name: str) -> np.ndarray:
    F = np.ascontiguousarray(real_numbers(F, "F"))
    if F.ndim != 2 or F.size == 0:
        raise ValueError(f"Expected a table (pixels, features), found shape {F.shape}.")
    if not np.isfinite(F).all():
        raise ValueError("The pixels contain NaN or infinity; mask them out or fix the features.")
    if n_objects < 2:
        raise ValueError(f"{name} must be at least 2, found {n_objects}.")
    return F


def _in_range(F: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """
    Features scaled to the range of single precision, without loss of digits, and the way back.

    Returns F, times 2 to the power of -exponent, less the offset; the exponent, 0 for features of a usual size; and the
    offset, (p,), 0 except for features that are far from 0 and close together: it is subtracted from them without
    rounding.
    """
    largest = int(np.frexp(np.abs(F).max())[1])
    scaled = np.ldexp(F, -largest)
    ranges = np.ptp(scaled, axis=0)
    # All values of such a feature are within a factor of two of the first, so that differences from it are exact.
    offset = np.where(np.abs(scaled[0]) > _FAR * ranges.max(), scaled[0], 0.0)
    size = int(np.frexp(np.abs(scaled - offset).max())[1])
    spread = np.where(ranges > 0, np.ldexp(scaled - offset, -size).std(axis=0), 0.0).max()
    exponent = largest + (size + round(np.log2(spread)) if spread > 0 else 0)
    exponent = exponent if abs(exponent) > _USUAL_EXPONENT else 0
    offset = np.ldexp(offset, largest - exponent)
    return np.ldexp(F, -exponent) - offset, exponent, offset


def _distinct_pixels(F: np.ndarray, limit: int) -> Objects | None:
    """Distinct pixels as objects, or None if there are more than `limit`."""
    # Adding zero turns -0.0 into 0.0, whose bits differ.
    first, kind = distinct_rows((F + 0.0).view(np.int64), limit)
    if len(first) > limit:
        return None
    return Objects(F[first], kind, np.bincount(kind, minlength=len(first)))


def objects_of_centres(F: np.ndarray, centres: np.ndarray, bandwidth: float | None = None) -> Objects:
    """Objects at the centres (k, p) that are nearest to a pixel of F (n, p), each pixel with its nearest centre."""
    label = np.zeros(len(F), dtype=np.int64)
    assign(np.ascontiguousarray(F.T), np.ascontiguousarray(centres), label, np.empty(len(F)))
    used, assignment, sizes = np.unique(label, return_inverse=True, return_counts=True)
    return Objects(centres[used], assignment, sizes, bandwidth)

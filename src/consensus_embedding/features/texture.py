"""Texture of an image: the features of Haralick et al. (1973) in a window around each pixel."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter

from consensus_embedding.features.texture_kernels import Tables, haralick_rows
from consensus_embedding.utils.extras import missing_package
from consensus_embedding.utils.numbers import real_numbers
from consensus_embedding.utils.parameters import COUNT, Allowed, Range, check_values, checked_arguments

_ALLOWED: Allowed = {
    "window": [Range(Integral, 3)],
    "levels": [Range(Integral, 2, 256)],
    "outside": [{"zero", "excluded", "image"}],
    "n_features": [Range(Integral, 13, 14)],
    "distance": [COUNT],
    "difference_variance": [{"mahotas", "haralick"}],
    "implementation": [{"fast", "mahotas"}],
}
_SCALING = ("zscore", "minmax", "robust", "none")
# Parts a thread: more than one, because the mask fills some rows more than others.
_PARTS_PER_JOB = 4


@checked_arguments
def haralick_features(
    image: np.ndarray,
    mask: np.ndarray,
    *,
    window: int = 5,
    levels: int = 128,
    value_range: tuple[float, float] | None = None,
    outside: str = "zero",
    n_features: int = 14,
    distance: int = 1,
    difference_variance: str = "mahotas",
    implementation: str = "fast",
    n_jobs: int = 1,
) -> np.ndarray:
    """
    Haralick texture features of every pixel in a mask.

    The grey levels of a window x window neighbourhood are counted in pairs at `distance` in the directions 0, 45, 90
    and 135 degrees; each direction gives a symmetric co-occurrence matrix that sums to 1, the features are computed
    from each, and their mean over the directions is returned. Logarithms are to base 2, and the sum variance is taken
    about the sum average, as in mahotas (``mahotas.features.haralick``), whose features 1 to 13 these are. Feature 14
    is Haralick's: the square root of the second largest eigenvalue of Q(i, j) = sum_k p(i, k) p(j, k) / (p(i) p(k)).
    It is in [0, 1]; mahotas takes the second eigenvalue of the correlations between the rows of p instead, which is
    another number and may exceed 1. In a constant window the correlation is 1, as in mahotas, and feature 14 is 0.

    Parameters
    ----------
    image : ndarray of shape (n_rows, n_columns), float or int
    mask : ndarray of shape (n_rows, n_columns), bool
        The pixels that get features.
    window : int
        Odd, at least 3; in pixels.
    levels : int
        Grey levels, 2 to 256: 0, ..., levels - 1 are bins of equal width over the value range. Integers that span
        0, ..., levels - 1 stay what they are.
    value_range : (low, high), optional
        Values beyond are clipped. Default: smallest and largest value in the mask.
    outside : {"zero", "excluded", "image"}
        What replaces pixels outside the mask. "zero": grey level 0, which is also that of the darkest pixels of
        the mask, beyond the border of the image too. "excluded": pairs with such a pixel are not counted. "image":
        the image's own values; pairs reaching beyond the border of the image are not counted. A direction without
        any pair is left out of the mean; a pixel without any pair gets the features of a constant window.
    n_features : {14, 13}
        13 leaves out the maximal correlation coefficient, which takes most of the time.
    distance : int
        Of the pairs along rows and columns, in pixels; at least 1, less than the window.
    difference_variance : {"mahotas", "haralick"}
        Feature 10 as the variance of the probabilities p(|i - j| = k) over k = 0, ..., highest level in the window
        (as in mahotas; it depends on that level, so it changes when all grey levels are shifted), or as the variance
        of |i - j| itself.
    implementation : {"fast", "mahotas"}
        Compiled loops over windows that slide; or mahotas, window by window, with the singular values of NumPy for
        feature 14. The features agree to 1e-8; mahotas, which must be installed, takes hundreds of times longer.
    n_jobs : int
        Threads of the fast implementation. The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_pixels_in_mask, n_features), float64
        Pixels in the order of ``np.flatnonzero(mask)``. Features: angular second moment, contrast, correlation, sum of
        squares (variance), inverse difference moment, sum average, sum variance, sum entropy, entropy, difference
        variance, difference entropy, information measures of correlation 1 and 2, maximal correlation coefficient.

    Raises
    ------
    ValueError
        If image and mask are not two-dimensional, of one shape and of usable values, the mask is empty, the image is
        constant in the mask (and no value range given), or an option is out of its range.
    ImportError
        If mahotas is asked for and not installed.

    References
    ----------
    Haralick, Shanmugam and Dinstein (1973), Textural features for image classification, IEEE Transactions on
    Systems, Man, and Cybernetics 3(6), 610-621, Appendix I.
    """
    check_values(
        "haralick_features", _ALLOWED, window=window, levels=levels, outside=outside, n_features=n_features,
        distance=distance, difference_variance=difference_variance, implementation=implementation,
    )  # fmt: skip
    if window % 2 == 0:
        raise ValueError(f"window must be an odd number of pixels, found {window}.")
    if distance >= window:
        raise ValueError(f"distance must be less than the window, {window}, found {distance}.")
    image, mask = _check_image(image, mask, outside)
    padded = _padded_levels(_quantise(image, mask, levels, value_range), mask, window // 2, outside)
    index_variance = difference_variance == "haralick"
    if implementation == "mahotas":
        patches = (padded[y : y + window, x : x + window] for y, x in np.argwhere(mask))
        return np.array([_by_mahotas(patch, distance, n_features, index_variance) for patch in patches])
    result = np.zeros((np.count_nonzero(mask), n_features))
    _fill(padded, mask, (window, distance, _lookup_tables(window, levels), index_variance), result, n_jobs)
    return result


@checked_arguments
def texture_features(
    image: np.ndarray, mask: np.ndarray, *, features: str = "haralick14", **options: Any
) -> np.ndarray:
    """
    A table of 14 texture features per pixel.

    Parameters
    ----------
    image : ndarray of shape (n_rows, n_columns)
    mask : ndarray of shape (n_rows, n_columns), bool
    features : {"haralick14", "haralick13_intensity"}
        All features of Haralick, or the first 13 and then the value of the pixel itself.
    **options
        Passed to `haralick_features`; all of its options except `n_features`.

    Returns
    -------
    ndarray of shape (n_pixels_in_mask, 14), float64
        Pixels in the order of ``np.flatnonzero(mask)``.

    Raises
    ------
    ValueError
        If there is no such choice of features, and as `haralick_features`.
    """
    if features == "haralick14":
        return haralick_features(image, mask, n_features=14, **options)
    if features == "haralick13_intensity":
        texture = haralick_features(image, mask, n_features=13, **options)
        intensity = real_numbers(image, "The image")[np.asarray(mask, dtype=bool)]
        return np.column_stack([texture, intensity])
    raise ValueError(f"features must be 'haralick14' or 'haralick13_intensity', found {features!r}.")


def scale_features(F: np.ndarray, method: str = "zscore") -> np.ndarray:
    """
    Bring features, (n_pixels, n_features), to a common scale, float64; constant ones become zero throughout.

    "zscore": mean 0 and standard deviation 1 (of the population); "minmax": range 0 to 1; "robust": median 0 and
    interquartile range 1 (the standard deviation instead where more than half of the values are equal); "none": F as it
    is.
    """
    F = real_numbers(F, "F").copy()
    if method not in _SCALING:
        raise ValueError(f"The method of scaling must be one of {_SCALING}, found {method!r}.")
    if F.ndim != 2 or len(F) == 0:
        raise ValueError(f"Features must be a table (pixels, features) with at least one row, found shape {F.shape}.")
    if not np.isfinite(F).all():
        raise ValueError("Features must be finite, found NaN or infinity; remove those pixels or features.")
    if method == "none":
        return F
    if method == "minmax":
        centre, spread = F.min(axis=0), np.ptp(F, axis=0)
    elif method == "zscore":
        centre, spread = F.mean(axis=0), F.std(axis=0)
    else:
        low, centre, high = np.percentile(F, [25, 50, 75], axis=0)
        spread = np.where(high > low, high - low, F.std(axis=0))
    constant = (np.ptp(F, axis=0) == 0) | (spread == 0)
    return np.where(constant, 0.0, (F - centre) / np.where(constant, 1.0, spread))


def _by_mahotas(patch: np.ndarray, distance: int, n_features: int, index_variance: bool) -> np.ndarray:
    """Features of one window by mahotas; levels of -1 do not count."""
    try:
        from mahotas.features import texture
    except ImportError as error:
        raise missing_package("implementation='mahotas'", "mahotas", "texture") from error

    shifted = (patch + 1).astype(np.int32)
    counts = [texture.cooccurence(shifted, direction, distance=distance)[1:, 1:] for direction in range(4)]
    counts = [pairs for pairs in counts if pairs.any()]
    if not counts:
        # A constant window at the pixel's own level.
        level = patch[len(patch) // 2, len(patch) // 2]
        counts = [np.pad([[2]], (level, 0))]
    features = texture.haralick_features(counts, use_x_minus_y_variance=index_variance)
    # Where levels are independent, the root blows up what is left by rounding.
    features[features[:, 12] < 1e-6, 12] = 0.0
    if n_features == 14:
        features = np.column_stack([features, [_maximal_correlation(pairs) for pairs in counts]])
    return features.mean(axis=0)


def _maximal_correlation(counts: np.ndarray) -> float:
    """Feature 14 of one co-occurrence matrix: the second singular value of p(i, j) / sqrt(p(i) p(j))."""
    marginal = counts.sum(axis=0)
    seen = marginal > 0
    roots = np.sqrt(marginal[seen])
    values = np.linalg.svd(counts[np.ix_(seen, seen)] / np.outer(roots, roots), compute_uv=False)
    return values[1] if len(values) > 1 else 0.0


def _fill(padded: np.ndarray, mask: np.ndarray, options: tuple, result: np.ndarray, n_jobs: int) -> None:
    """Features of all pixels into `result`, by threads that take some rows each."""
    window = options[0]
    half = window // 2
    peaks = np.ascontiguousarray(maximum_filter(padded, size=window, mode="nearest")[half:-half, half:-half])
    filled = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    n_parts = _PARTS_PER_JOB * n_jobs if n_jobs > 1 else 1
    # Rows cut where about the same number of pixels lies between the cuts.
    cuts = np.searchsorted(filled, np.linspace(0, filled[-1], n_parts + 1))
    cuts[-1] = len(mask)

    def part(k: int) -> None:
        """Fill in the features of some rows of the image."""
        top, bottom = cuts[k], cuts[k + 1]
        levels = padded[top : bottom + 2 * half]
        haralick_rows(levels, peaks[top:bottom], mask[top:bottom], *options, result[filled[top] : filled[bottom]])

    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        list(pool.map(part, range(n_parts)))


def _padded_levels(levels: np.ndarray, mask: np.ndarray, half: int, outside: str) -> np.ndarray:
    """Grey levels with half a window added on each side; -1 where a pixel does not count."""
    void = 0 if outside == "zero" else -1
    if outside != "image":
        levels = np.where(mask, levels, np.int16(void))
    return np.pad(levels, half, constant_values=void)


def _quantise(image: np.ndarray, mask: np.ndarray, levels: int, value_range: tuple[float, float] | None) -> np.ndarray:
    """Grey levels 0, ..., levels - 1 of all pixels, int16; clipped to the range, 0 where NaN."""
    inside = image[mask]
    if value_range is not None and np.shape(value_range) != (2,):
        raise ValueError(f"value_range must be two numbers (low, high), found {value_range!r}.")
    low, high = (inside.min(), inside.max()) if value_range is None else map(float, value_range)
    if value_range is None and low == high:
        raise ValueError(
            f"The image is constant in the mask (every pixel is {low:g}), so it has no texture; "
            "check image and mask, or give value_range."
        )
    if not (low < high and np.isfinite((high - low) * levels)):
        raise ValueError(f"value_range must be two finite numbers, the first smaller, found ({low:g}, {high:g}).")
    clipped = np.clip(np.nan_to_num(image, nan=low), low, high)
    # Multiplied first: whole numbers 0, ..., levels - 1 then map to themselves without rounding.
    return np.minimum(np.floor((clipped - low) * levels / (high - low)), levels - 1).astype(np.int16)


def _lookup_tables(window: int, levels: int) -> Tables:
    """Tables for the counts of one window; no sum over it exceeds 2**53, so that all are exact as float64."""
    counts = np.arange(2 * window**2 + 1, dtype=np.float64)
    logs = counts * np.log2(np.maximum(counts, 1.0))
    scale = 2.0 ** np.floor(52 - np.log2(logs[-1]))
    roots = 1.0 / np.sqrt(np.maximum(counts, 1.0))
    fractions = 1.0 / (1.0 + np.arange(levels, dtype=np.float64) ** 2)
    return Tables(np.rint(logs * scale).astype(np.int64), roots, np.rint(fractions * scale).astype(np.int64), scale)


def _check_image(image: np.ndarray, mask: np.ndarray, outside: str) -> tuple[np.ndarray, np.ndarray]:
    """Image as float64 and mask as bool, both contiguous, if they can be used."""
    image, mask = real_numbers(image, "The image"), real_numbers(mask, "The mask")
    if image.ndim != 2:
        raise ValueError(f"The image must have two dimensions (rows, columns), found shape {image.shape}.")
    if mask.shape != image.shape:
        raise ValueError(f"Mask and image must have the same shape, found {mask.shape} and {image.shape}.")
    if not np.isin(mask, (0, 1)).all():
        raise ValueError(
            "The mask must be boolean, or 0 and 1 only; make it from labels by a comparison, such as labels == 3."
        )
    mask = np.array(mask, dtype=bool, order="C")  # a copy: the loops would be compiled again for a read-only one
    if not mask.any():
        raise ValueError("The mask is empty: no pixel to compute features of.")
    image = np.ascontiguousarray(image)
    if not np.isfinite(image[mask]).all():
        count = np.count_nonzero(~np.isfinite(image[mask]))
        raise ValueError(
            f"The image contains NaN or infinity at {count} pixels of the mask; replace these values, or exclude the "
            "pixels from the mask."
        )
    if outside == "image" and np.isnan(image).any():
        raise ValueError("The image contains NaN outside the mask; choose outside='zero' or 'excluded'.")
    return image, mask

"""Metabolite peaks of prostate MR spectra: windows learnt from independent components, areas, ratios and z-scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from consensus_embedding.manifold.spectral import canonical_signs
from consensus_embedding.utils.seeds import stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from scipy.signal import argrelmax
from sklearn.decomposition import FastICA

# Chemical shifts in ppm (Kurhanewicz and Vigneron 2008); the polyamines (3.1) lie between choline and creatine.
CHOLINE, CREATINE, CITRATE = 3.2, 3.0, 2.6
# In ppm: how far from its shift a peak is looked for, and how far it may reach on the side away from the boundary.
_SEARCH = {CHOLINE: 0.1, CREATINE: 0.1, CITRATE: 0.15}
_REACH = 0.3
_BOUNDARY = 0.5 * (CREATINE + CITRATE)
# No ratio is above the inverse of this.
_LEAST_CITRATE = 0.01
_ICA_STEPS = 1000
_STARTS = 21


@dataclass(frozen=True)
class PeakWindows:
    """Where the peaks of prostate metabolites are integrated: lower and upper ends in ppm."""

    choline_creatine: tuple[float, float]  # the polyamines lie inside
    citrate: tuple[float, float]
    # (A, n_points): the independent components that the windows were learnt from; none if they were not learnt.
    components: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))


# Customary limits at 1.5 T, for use where there is nothing to learn from.
LITERATURE_WINDOWS = PeakWindows((2.95, 3.30), (2.50, 2.75))


def component_starts(spectra: np.ndarray, n_components: int, n_starts: int, *, seed: int = 0) -> list[np.ndarray]:
    """
    Spectra that are as independent of each other as possible and whose mixtures are the given ones.

    FastICA (Hyvarinen and Oja 2000) with the points of the ppm axis as observations, one component after the other, for
    the seeds `seed`, `seed` + 1 ... Each start gives an array (min(A, rank), n_points): A is `n_components`, the rank
    that of the spectra, each less its mean. Components have mean 0 and variance 1 over the points and their largest
    value positive; that with the largest share in the spectra comes first. It warns once if any start does not settle.
    """
    with one_blas_thread():
        rank = int(np.linalg.matrix_rank(spectra - spectra.mean(axis=1, keepdims=True)))
    if rank == 0:
        raise ValueError(f"All {len(spectra)} spectra are flat, so they have no components.")
    starts = [_components(spectra, min(n_components, rank), seed + start) for start in range(n_starts)]
    unsettled = sum(not settled for _, settled in starts)
    if unsettled:
        warnings.warn(
            f"FastICA did not converge in {_ICA_STEPS} steps for {unsettled} of {n_starts} starts: "
            f"{len(starts[0][0])} components of {len(spectra)} spectra; the result of the last step is used. Use fewer "
            "components or more spectra.",
            RuntimeWarning,
            stacklevel=2,
        )
    return [components for components, _ in starts]


def _components(spectra: np.ndarray, n_components: int, seed: int) -> tuple[np.ndarray, bool]:
    """Components of one start as `component_starts`, and whether they settled."""
    with one_blas_thread():
        model, sources = _unmix(spectra.T, n_components, seed)
    shares = np.square(model.mixing_).sum(axis=0)
    components = np.ascontiguousarray(canonical_signs(sources[:, np.argsort(-shares, kind="stable")]).T)
    # One after the other, scikit-learn does not say whether they settled.
    return components, model.n_iter_ < _ICA_STEPS


def learn_peak_windows(spectra: np.ndarray, ppm: np.ndarray, n_components: int = 3, *, seed: int = 0) -> PeakWindows:
    """
    Ranges of the choline + creatine and the citrate peak, from independent components (Tiwari 2008, Section 3.4).

    Near each of choline (3.2 +- 0.1 ppm), creatine (3.0 +- 0.1) and citrate (2.6 +- 0.15), the component with the
    highest peak of its magnitude is taken; the peak extends as far as the magnitude stays at or above half of its
    height, around each peak in that range which is itself at least half as high (citrate is a group of lines). The
    window of choline + creatine spans both. Peaks are cut off at 2.8 ppm, half-way between creatine and citrate (so
    0.4 ppm from choline), and on the other side 0.3 ppm from the shift. The components depend on the start of FastICA:
    each end is the median over 21 starts, settled or not.

    `spectra` (n, n_points) are of cancer, of studies that are not evaluated; `ppm` rises or falls; `n_components` is A.
    The components of the result are those of the first start. A ValueError if the ppm axis does not reach a metabolite,
    all spectra are flat, or no component has a peak near one.
    """
    starts = component_starts(spectra, n_components, _STARTS, seed=seed)
    ends = np.median([_window_ends(components, ppm) for components in starts], axis=0)
    return PeakWindows((float(ends[0]), float(ends[1])), (float(ends[2]), float(ends[3])), starts[0])


def _window_ends(components: np.ndarray, ppm: np.ndarray) -> tuple[float, float, float, float]:
    """Ends of the windows of choline + creatine and of citrate from one set of components."""
    order = np.argsort(ppm)
    axis, heights = ppm[order], np.abs(components[:, order])
    choline = _extent(axis, heights, CHOLINE, "choline", (_BOUNDARY, CHOLINE + _REACH))
    creatine = _extent(axis, heights, CREATINE, "creatine", (_BOUNDARY, CREATINE + _REACH))
    citrate = _extent(axis, heights, CITRATE, "citrate", (CITRATE - _REACH, _BOUNDARY))
    return min(choline[0], creatine[0]), max(choline[1], creatine[1]), *citrate


def peak_areas(
    spectra: np.ndarray, ppm: np.ndarray, windows: PeakWindows, *, baseline: str = "none"
) -> tuple[np.ndarray, np.ndarray]:
    """
    Areas (n,) of the choline + creatine and of the citrate peak, in the unit of the spectra (n, n_points) times ppm.

    Trapezoids between the points of the axis and the ends of the window, where the spectrum is interpolated; negative
    where the spectrum is. With `baseline` "linear" above the straight line between the two ends of the window, with
    "none" above 0. A ValueError if the ppm axis does not cover a window.
    """
    order = np.argsort(ppm)
    axis, rising = ppm[order], spectra[:, order]
    return (
        _area(rising, axis, windows.choline_creatine, "choline + creatine", baseline),
        _area(rising, axis, windows.citrate, "citrate", baseline),
    )


def zakian_ratio(spectra: np.ndarray, ppm: np.ndarray, windows: PeakWindows, *, baseline: str = "none") -> np.ndarray:
    """
    Ratio of the area of choline + creatine to that of citrate (Zakian et al. 2005; Tiwari 2008, Section 3.4).

    An area below 0 counts as 0, and that of citrate as at least a hundredth of that of choline + creatine, so that the
    ratio ends at 100. With neither peak it is 0. Arguments and errors as of `peak_areas`.
    """
    choline_creatine, citrate = (np.maximum(area, 0.0) for area in peak_areas(spectra, ppm, windows, baseline=baseline))
    citrate = np.maximum(citrate, _LEAST_CITRATE * choline_creatine)
    return np.divide(choline_creatine, citrate, out=np.zeros_like(citrate), where=citrate > 0)


def z_scores(spectra: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """
    Distance of each spectrum from the mean of reference spectra over the norm of their standard deviations.

    z = ||F - mean|| / ||SD||, the standard deviation at each point with the number of spectra as divisor (Tiwari
    2008, Section 3.5). A ValueError if the reference spectra are all the same.
    """
    # In a unit in which no square overflows; a power of two, which rounds nothing.
    unit = np.ldexp(1.0, int(np.frexp(max(np.abs(spectra).max(), np.abs(reference).max()))[1]))
    spectra, reference = spectra / unit, reference / unit
    spread = np.linalg.norm(reference.std(axis=0))
    if spread == 0:
        raise ValueError(
            f"The {len(reference)} reference spectra are equal, so their standard deviation is 0; use more of them."
        )
    return np.linalg.norm(spectra - reference.mean(axis=0), axis=1) / spread


def best_threshold(scores: np.ndarray, positive: np.ndarray) -> float:
    """
    Threshold with the largest sensitivity + specificity - 1 (Youden 1950), calling scores at or above it.

    It is half-way between two neighbouring scores; the smallest score to call all, the number next above the largest to
    call none. Of several best thresholds it is the middle one, the lower of two in the middle.
    """
    levels, place = np.unique(scores, return_inverse=True)
    positives = np.bincount(place, positive, minlength=len(levels))
    negatives = np.bincount(place, ~positive, minlength=len(levels))
    # Cut k calls the levels from k on. Integers, so that ties are ties.
    called = np.append(np.cumsum(positives[::-1])[::-1], 0)
    false = np.append(np.cumsum(negatives[::-1])[::-1], 0)
    index = called * negatives.sum() - false * positives.sum()
    best = np.flatnonzero(index == index.max())
    cut = int(best[(len(best) - 1) // 2])
    if cut == 0:
        return float(levels[0])
    if cut == len(levels):
        return float(np.nextafter(levels[-1], np.inf))
    middle = levels[cut - 1] + 0.5 * (levels[cut] - levels[cut - 1])
    return float(middle if middle > levels[cut - 1] else levels[cut])


def sensitivity_specificity(called: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """Share of the positive voxels that are called, and of the others that are not."""
    return float(called[positive].mean()), float((~called[~positive]).mean())


def _unmix(mixtures: np.ndarray, n_components: int, seed: int) -> tuple[FastICA, np.ndarray]:
    """
    Fitted FastICA and its sources (n_points, A) of mixtures (n_points, n).

    The components are sought one after the other: all at once they often do not settle, whatever the start.
    """
    model = FastICA(
        n_components,
        algorithm="deflation",
        whiten="unit-variance",
        max_iter=_ICA_STEPS,
        random_state=stream_seed(seed, "independent components"),
    ).set_output(transform="default")
    sources = model.fit_transform(mixtures)
    return model, sources


def _extent(
    axis: np.ndarray, heights: np.ndarray, shift: float, metabolite: str, limits: tuple[float, float]
) -> tuple[float, float]:
    """Ends of the highest peak near a shift at half of its height, on a rising axis; heights (A, n_points)."""
    search = _SEARCH[shift]
    if axis[0] > shift - search or axis[-1] < shift + search:
        raise ValueError(
            f"The ppm axis must cover {metabolite} ({shift - search:.2f} to {shift + search:.2f} ppm), found "
            f"{axis[0]:.2f} to {axis[-1]:.2f} ppm; crop less."
        )
    peaks = [
        (height[place], which, place)
        for which, height in enumerate(heights)
        for place in argrelmax(height)[0]
        if abs(axis[place] - shift) <= search
    ]
    if not peaks:
        raise ValueError(
            f"No independent component has a peak within {search} ppm of {metabolite} ({shift} ppm); use more "
            "components."
        )
    highest, chosen, _ = max(peaks)
    half = 0.5 * highest
    ends = [
        _half_width(axis, heights[chosen], place, half)
        for height, which, place in peaks
        if which == chosen and height >= half
    ]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return float(max(low, limits[0])), float(min(high, limits[1]))


def _half_width(axis: np.ndarray, height: np.ndarray, place: int, level: float) -> tuple[float, float]:
    """Where a curve crosses a level on either side of a point above it; the end of the axis, if it does not."""

    def crossing(step: int) -> float:
        k = place
        while 0 <= k + step < len(axis) and height[k + step] >= level:
            k += step
        if not 0 <= k + step < len(axis):
            return axis[k]
        share = (height[k] - level) / (height[k] - height[k + step])
        return axis[k] + share * (axis[k + step] - axis[k])

    return crossing(-1), crossing(1)


def _area(
    spectra: np.ndarray, axis: np.ndarray, window: tuple[float, float], metabolite: str, baseline: str
) -> np.ndarray:
    low, high = window
    if not axis[0] <= low < high <= axis[-1]:
        raise ValueError(
            f"The {metabolite} window {low:.2f} to {high:.2f} ppm must be inside the ppm axis, found "
            f"{axis[0]:.2f} to {axis[-1]:.2f} ppm."
        )
    inside = (axis > low) & (axis < high)
    left, right = _interpolated(spectra, axis, low), _interpolated(spectra, axis, high)
    values = np.column_stack([left, spectra[:, inside], right])
    area = np.trapezoid(values, np.concatenate([[low], axis[inside], [high]]), axis=1)
    return area - 0.5 * (left + right) * (high - low) if baseline == "linear" else area


def _interpolated(spectra: np.ndarray, axis: np.ndarray, at: float) -> np.ndarray:
    above = int(np.clip(np.searchsorted(axis, at), 1, len(axis) - 1))
    share = (at - axis[above - 1]) / (axis[above] - axis[above - 1])
    return (1.0 - share) * spectra[:, above - 1] + share * spectra[:, above]

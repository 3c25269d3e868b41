"""Peak windows, areas, ratios, z-scores and thresholds, against closed forms and brute force."""

import warnings

import numpy as np
import pytest
from replication.data.domains.peak_integration import (
    PeakWindows,
    best_threshold,
    component_starts,
    learn_peak_windows,
    peak_areas,
    sensitivity_specificity,
    z_scores,
    zakian_ratio,
)
from scipy.integrate import quad
from sklearn.metrics import recall_score, roc_curve

PPM = np.linspace(4.2, 1.8, 256)
WINDOWS = PeakWindows((2.95, 3.30), (2.50, 2.75))
# Shift in ppm and relative height of each line: choline, polyamines, creatine, citrate.
LINES = (((3.21, 1.0),), ((3.10, 0.5),), ((3.03, 0.6),), ((2.57, 0.8), (2.65, 0.8)))


def lorentz(ppm, shift, width):
    return 1.0 / (1.0 + np.square((ppm - shift) / width))


def simulated(n=150, width=0.04, noise=0.02, seed=0, ppm=PPM):
    """Spectra (n, n_points) of four metabolites with independent concentrations (n, 4)."""
    rng = np.random.default_rng(seed)
    amounts = rng.gamma(4.0, 0.25, size=(n, 4))
    pure = np.array([sum(h * lorentz(ppm, shift, width) for shift, h in lines) for lines in LINES])
    return amounts @ pure + noise * rng.normal(size=(n, len(ppm))), amounts


def test_independent_components_are_the_spectra_that_were_mixed():
    rng = np.random.default_rng(1)
    pure = np.array([lorentz(PPM, 3.2, 0.03), lorentz(PPM, 2.6, 0.05), lorentz(PPM, 2.1, 0.04)])
    spectra = rng.gamma(2.0, size=(80, 3)) * [1.0, 3.0, 0.5] @ pure
    found = component_starts(spectra, 3, 1)[0]
    assert found.shape == (3, 256)
    assert found.mean(axis=1) == pytest.approx(np.zeros(3), abs=1e-9)
    assert found.std(axis=1) == pytest.approx(np.ones(3))
    assert (found.max(axis=1) > -found.min(axis=1)).all()
    correlation = np.corrcoef(found, pure)[:3, 3:]
    # By falling share: citrate, choline, and the weak third one.
    assert np.abs(correlation).argmax(axis=1).tolist() == [1, 0, 2]
    assert np.abs(correlation).max(axis=1).min() > 0.98
    assert np.array_equal(found, component_starts(spectra, 3, 1)[0])


def test_no_more_components_than_the_spectra_have():
    spectra, _ = simulated(2)
    for table, n_found in ((spectra, 2), (spectra[:1], 1), (spectra[[0, 1, 0, 1, 0]], 2), (spectra[[0] * 4] + 2, 1)):
        found = component_starts(table, 3, 1)[0]
        assert found.shape == (n_found, 256)
        assert np.isfinite(found).all()
    with pytest.raises(ValueError, match="All 4 spectra are flat"):
        component_starts(np.ones((4, 256)), 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "noise"), [(0.03, 0.02), (0.05, 0.02), (0.05, 0.2), (0.07, 0.05)])
def test_learnt_windows_are_the_peaks_at_half_their_height(width, noise):
    spectra, amounts = simulated(width=width, noise=noise)
    found = learn_peak_windows(spectra, PPM)
    assert found.components.shape == (3, 256)
    # Choline above, creatine or the polyamines below, and both lines of citrate.
    assert found.choline_creatine == pytest.approx((3.02 - width, 3.21 + width), abs=0.03)
    assert found.citrate == pytest.approx((2.57 - width, 2.65 + width), abs=0.03)
    truth = amounts @ [1.0, 0.5, 0.6, 0.0] / (1.6 * amounts[:, 3])
    assert np.corrcoef(zakian_ratio(spectra, PPM, found), truth)[0, 1] > 0.93


def test_windows_do_not_depend_on_the_direction_of_the_axis_nor_on_the_scale():
    spectra, _ = simulated()
    expected = learn_peak_windows(spectra, PPM)
    for found in (learn_peak_windows(spectra[:, ::-1], PPM[::-1]), learn_peak_windows(1e-6 * spectra, PPM)):
        assert found.choline_creatine == pytest.approx(expected.choline_creatine, abs=1e-3)
        assert found.citrate == pytest.approx(expected.citrate, abs=1e-3)


def test_broad_peaks_end_before_the_next_metabolite_and_windows_never_overlap():
    spectra, _ = simulated(width=0.25, noise=0.001)
    rng = np.random.default_rng(2)
    noise_only = rng.normal(size=(60, 256))
    for table in (spectra, noise_only):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = learn_peak_windows(table, PPM)
        assert 2.3 <= found.citrate[0] < found.citrate[1] <= 2.8
        assert 2.8 <= found.choline_creatine[0] < found.choline_creatine[1] <= 3.5


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (2.8, 4.2, r"must cover citrate \(2\.45 to 2\.75 ppm\), found 2\.80 to 4\.20 ppm"),
        (1.8, 3.15, r"must cover choline \(3\.10 to 3\.30 ppm\), found 1\.80 to 3\.15 ppm"),
        (2.95, 4.2, r"must cover creatine \(2\.90 to 3\.10 ppm\)"),
    ],
)
def test_a_metabolite_that_the_axis_misses_is_named(low, high, message):
    ppm = np.linspace(high, low, 256)
    with pytest.raises(ValueError, match=message):
        learn_peak_windows(simulated(ppm=ppm)[0], ppm)


def test_spectra_without_a_peak_near_a_metabolite_are_refused():
    slopes = np.random.default_rng(0).random((20, 1)) * np.exp(-PPM)
    with pytest.raises(ValueError, match=r"has a peak within 0\.1 ppm of choline \(3\.2 ppm\); use"):
        learn_peak_windows(slopes, PPM, 1)


@pytest.mark.parametrize("step", [1, -1])
def test_areas_of_lines_are_their_integrals(step):
    ppm = np.linspace(1.8, 4.2, 4001)[::step]
    spectra = np.array([lorentz(ppm, 3.2, 0.05), 2.0 * lorentz(ppm, 2.6, 0.03), np.full(4001, 0.5), ppm])
    choline_creatine, citrate = peak_areas(spectra, ppm, WINDOWS)
    exact = [
        [quad(lorentz, *window, args=args)[0] * height for args, height in (((3.2, 0.05), 1.0), ((2.6, 0.03), 2.0))]
        for window in (WINDOWS.choline_creatine, WINDOWS.citrate)
    ]
    assert choline_creatine[:2] == pytest.approx(exact[0], rel=1e-4)
    assert citrate[:2] == pytest.approx(exact[1], rel=1e-4)
    # A constant and the axis itself: trapezoids are exact, also at ends between two points.
    assert choline_creatine[2:] == pytest.approx([0.175, (3.3**2 - 2.95**2) / 2], rel=1e-12)
    assert citrate[2:] == pytest.approx([0.125, (2.75**2 - 2.5**2) / 2], rel=1e-12)


def test_a_straight_baseline_is_taken_off():
    spectra, _ = simulated(6, noise=0.0)
    tilted = spectra + np.linspace(1.0, 3.0, 6)[:, None] + 0.7 * PPM
    plain = peak_areas(spectra, PPM, WINDOWS, baseline="linear")
    assert np.array(peak_areas(tilted, PPM, WINDOWS, baseline="linear")) == pytest.approx(np.array(plain), abs=1e-12)
    assert np.abs(np.array(peak_areas(tilted, PPM, WINDOWS)) - plain).min() > 0.1
    assert peak_areas(0.3 * PPM[None] + 2, PPM, WINDOWS, baseline="linear")[0] == pytest.approx([0.0], abs=1e-12)


def test_the_ratio_is_that_of_the_areas_and_never_negative_or_infinite():
    spectra, _ = simulated(40)
    choline_creatine, citrate = peak_areas(spectra, PPM, WINDOWS)
    assert zakian_ratio(spectra, PPM, WINDOWS) == pytest.approx(choline_creatine / citrate)
    peak, other = lorentz(PPM, 3.1, 0.02), lorentz(PPM, 2.6, 0.02)
    inside = (PPM > 2.8).astype(float)
    odd = np.array([peak * inside, peak * inside - other * (1 - inside), other - peak, -peak - other, 0 * peak])
    assert zakian_ratio(odd, PPM, WINDOWS) == pytest.approx([100.0, 100.0, 0.0, 0.0, 0.0])
    assert zakian_ratio(1e-9 * spectra, PPM, WINDOWS) == pytest.approx(zakian_ratio(spectra, PPM, WINDOWS))


def test_z_scores_by_the_formula():
    rng = np.random.default_rng(0)
    spectra, reference = rng.normal(size=(5, 7)), rng.normal(size=(11, 7))
    mean = sum(reference) / 11
    deviation = np.sqrt(sum((f - mean) ** 2 for f in reference) / 11)
    expected = [np.sqrt(((f - mean) ** 2).sum()) / np.sqrt((deviation**2).sum()) for f in spectra]
    assert z_scores(spectra, reference) == pytest.approx(expected)
    assert z_scores(reference.mean(axis=0)[None], reference) == pytest.approx([0.0], abs=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_threshold_reaches_the_largest_youden_index(seed):
    rng = np.random.default_rng(seed)
    positive = rng.random(60) < 0.4
    scores = rng.normal(size=60) + 1.5 * positive
    if seed % 2:
        scores = np.round(scores)
    threshold = best_threshold(scores, positive)
    false, true, _ = roc_curve(positive, scores)
    assert sum(sensitivity_specificity(scores >= threshold, positive)) - 1 == pytest.approx((true - false).max())
    assert threshold not in scores


@pytest.mark.parametrize(
    ("scores", "positive", "threshold"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], 2.5),
        # Two cuts are as good, between 1 and 2 and between 3 and 4, or three: the lower and the middle one.
        ([1, 2, 3, 4], [0, 1, 0, 1], 1.5),
        ([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], 3.5),
        # Scores that point the wrong way: calling all and calling none are as good.
        ([1, 2, 3, 4], [1, 1, 0, 0], 1.0),
        ([5, 5], [0, 1], 5.0),
        ([1.0, np.nextafter(1.0, 2.0)], [0, 1], np.nextafter(1.0, 2.0)),
    ],
)
def test_best_thresholds_by_hand(scores, positive, threshold):
    assert best_threshold(np.array(scores), np.array(positive, dtype=bool)) == threshold


def test_sensitivity_and_specificity_against_scikit_learn():
    rng = np.random.default_rng(5)
    called, positive = rng.random(50) < 0.3, rng.random(50) < 0.6
    expected = recall_score(positive, called), recall_score(positive, called, pos_label=0)
    assert sensitivity_specificity(called, positive) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: peak_areas(s, PPM, PeakWindows((2.9, 4.5), (2.5, 2.7))), r"choline \+ creatine window 2.90 to 4.50"),
        (
            lambda s: peak_areas(s, PPM, PeakWindows((2.9, 3.3), (2.7, 2.5))),
            "citrate window 2.70 to 2.50 ppm must be inside",
        ),
        (lambda s: z_scores(s, s[:1]), "1 reference spectra are equal"),
    ],
)
def test_unusable_input_gets_one_clear_error(call, message):
    with pytest.raises(ValueError, match=message):
        call(simulated(8)[0])

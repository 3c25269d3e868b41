"""Every test and interval against the library that it does not come from, at cases by hand, and at its edges."""

import numpy as np
import pytest
from replication.shared.statistics import (
    bootstrap,
    corrected_comparison,
    holm,
    mean_interval,
    paired_comparison,
    sign_test,
    wilson_interval,
)
from scipy import stats
from statsmodels.stats.descriptivestats import sign_test as statsmodels_sign_test


def pairs(n, shift, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=n)
    return b + shift + rng.normal(scale=scale, size=n), b


SIZES = [(3, 0.4), (10, -0.2), (18, 0.0), (200, 0.05)]


@pytest.mark.parametrize(("n", "shift"), SIZES)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_paired_t_test_is_that_of_scipy(n, shift, alternative):
    a, b = pairs(n, shift)
    found, expected = paired_comparison(a, b, alternative=alternative), stats.ttest_rel(a, b, alternative=alternative)
    assert (found.t, found.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    assert found.n - 1 == expected.df
    interval = stats.t.interval(0.95, n - 1, (a - b).mean(), stats.sem(a - b))
    assert (found.ci_low, found.ci_high) == pytest.approx(interval, abs=1e-12)
    assert mean_interval(a - b) == pytest.approx(interval, abs=1e-12)
    if alternative == "two-sided":
        assert paired_comparison(a, b) == found


@pytest.mark.parametrize(("n", "shift"), SIZES)
@pytest.mark.parametrize("margin", [0.02, 0.3, 2.0])
def test_equivalence_is_two_one_sided_tests_of_scipy(n, shift, margin):
    a, b = pairs(n, shift)
    sides = stats.ttest_rel(a + margin, b, alternative="greater"), stats.ttest_rel(a - margin, b, alternative="less")
    assert paired_comparison(a, b, margin=margin).tost_p == pytest.approx(max(one.pvalue for one in sides), abs=1e-12)
    assert paired_comparison(a, b).tost_p is None


def test_effect_size_by_hand():
    # Differences 1, 2, 3: mean 2, standard deviation 1.
    found = paired_comparison([2, 4, 6], [1, 2, 3])
    assert found.mean_difference == pytest.approx(2)
    assert found.effect_size == pytest.approx(2)
    assert found.t == pytest.approx(2 * np.sqrt(3))


@pytest.mark.filterwarnings("error")
def test_differences_that_are_all_zero():
    values = np.array([0.1, 0.7, 0.2])
    for alternative in ("two-sided", "greater", "less"):
        found = paired_comparison(values, values, alternative=alternative, margin=0.01)
        assert (found.t, found.p_value, found.tost_p, found.effect_size) == (0, 1, 0, 0)
        assert (found.ci_low, found.ci_high) == (0, 0)


@pytest.mark.filterwarnings("error")
def test_differences_that_are_all_equal_up_to_rounding():
    b = np.array([0.1, 0.7, 0.2])
    found = paired_comparison(b + 0.3, b, margin=0.5)
    assert found.mean_difference == pytest.approx(0.3)
    assert (found.t, found.p_value, found.tost_p) == (np.inf, 0, 0)
    assert paired_comparison(b + 0.3, b, alternative="greater").p_value == 0
    assert paired_comparison(b + 0.3, b, alternative="less").p_value == 1
    assert paired_comparison(b, b + 0.3, alternative="less").p_value == 0
    assert paired_comparison(b, b + 0.3, margin=0.2).tost_p == 1
    assert paired_comparison(b, b + 0.3).t == -np.inf


def test_paired_comparison_refuses_bad_input():
    with pytest.raises(ValueError, match=r"found shapes \(2,\) and \(3,\)"):
        paired_comparison([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="at least 2 pairs, found 1"):
        paired_comparison([1], [2])
    with pytest.raises(ValueError, match="NaN"):
        paired_comparison([1, np.nan], [1, 2])


@pytest.mark.parametrize("k", [1, 2, 7, 50])
def test_holm_by_its_definition(k):
    p = np.random.default_rng(k).random(k) ** 4
    p[: k // 3] = p[-1]  # ties
    ranked = sorted(p)
    expected = [max(min((k - i) * q, 1.0) for i, q in enumerate(ranked) if q <= one) for one in p]
    np.testing.assert_allclose(holm(p), expected, rtol=0, atol=1e-15)


def test_holm_by_hand():
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04, which may not fall: 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == pytest.approx([1, 1])
    assert holm([0.02]) == pytest.approx([0.02])
    assert len(holm([])) == 0


def test_holm_refuses_what_is_no_p_value():
    with pytest.raises(ValueError, match="leave out tests"):
        holm([0.1, np.nan])
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        holm([0.1, 1.2])


@pytest.mark.parametrize("n", [1, 7, 40, 1000])
def test_intervals_of_shares_are_those_of_the_other_library(n):
    for wins in sorted({0, 1, n // 3, n - 1, n}):
        expected = stats.binomtest(wins, n).proportion_ci(0.95, method="wilson")
        assert wilson_interval(wins / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert np.isnan(wilson_interval(0.5, np.nan)).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_sign_test_is_exact_and_drops_ties(seed, alternative):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 5, size=(2, 20)).astype(float)
    found = sign_test(a, b, alternative=alternative)
    wins, losses = int((a > b).sum()), int((a < b).sum())
    assert (found.wins, found.losses, found.ties) == (wins, losses, 20 - wins - losses)
    assert found.ties > 0
    assert found.p_value == pytest.approx(stats.binomtest(wins, wins + losses, alternative=alternative).pvalue)
    if alternative == "two-sided":
        assert found.p_value == pytest.approx(statsmodels_sign_test(a - b, 0)[1])


def test_sign_test_by_hand_and_at_its_edges():
    # Eight of eight: 2 / 2^8; one-sided half of it.
    assert sign_test(np.ones(8), np.zeros(8)).p_value == pytest.approx(2 / 256)
    assert sign_test(np.ones(8), np.zeros(8), alternative="greater").p_value == pytest.approx(1 / 256)
    assert sign_test(np.ones(8), np.zeros(8), alternative="less").p_value == 1
    level = sign_test([0.1 + 0.2, 1.0], [0.3, 1.0])
    assert (level.wins, level.losses, level.ties, level.p_value) == (0, 0, 2, 1)
    with pytest.raises(ValueError, match="NaN"):
        sign_test([np.nan], [2])
    with pytest.raises(ValueError, match="at least 1 pairs, found 0"):
        sign_test([], [])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("n", [5, 12, 25])
def test_studentised_bootstrap_redraw_by_redraw(n, seed):
    values = np.random.default_rng(n).lognormal(size=n)
    found = bootstrap(values, n_resamples=999, seed=seed)
    redraws = values[np.random.default_rng(seed).integers(n, size=(999, n))]
    away = sorted((one.mean() - values.mean()) / stats.sem(one) for one in redraws)
    expected = values.mean() - np.array([away[974], away[24]]) * stats.sem(values)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-12)
    assert (found.value, found.n) == (pytest.approx(values.mean()), n)


# Shares of 10000 samples whose interval has the true mean, in percent: docs/rules.md says so too.
COVERAGE = {"normal": {5: 95, 10: 95, 20: 95}, "lognormal": {5: 90, 10: 91, 20: 92}}


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("law", COVERAGE)
def test_the_bootstrap_covers_the_mean_of_few_units(law, n):
    rng, inside = np.random.default_rng(n), 0
    draw, mean = {"normal": (rng.normal, 0), "lognormal": (rng.lognormal, np.exp(0.5))}[law]
    for sample in range(1000):
        found = bootstrap(draw(size=n), n_resamples=399, seed=sample)
        inside += found.ci_low <= mean <= found.ci_high
    # Two standard errors of a share of 1000.
    assert inside / 10 == pytest.approx(COVERAGE[law][n], abs=2)


def test_of_fewer_than_five_units_the_interval_is_that_of_student():
    for n in (2, 3, 4):
        values = np.random.default_rng(n).lognormal(size=n)
        found = bootstrap(values)
        assert (found.ci_low, found.ci_high) == pytest.approx(mean_interval(values))


def test_units_that_are_nearly_all_equal_have_a_finite_interval_within_its_limits():
    values = np.array([1.0] * 12 + [2])
    low, high = mean_interval(values)
    found = bootstrap(values)
    assert (found.ci_low < values.mean(), found.ci_high) == (True, pytest.approx(high))
    assert bootstrap(values, within=(1, 12)).ci_low == 1
    assert bootstrap(-values, within=(-12, -1)).ci_high == -1
    assert low < 1


def test_an_interval_has_the_unit_of_its_values():
    values = np.random.default_rng(3).exponential(size=9)
    plain, scaled = bootstrap(values), bootstrap(1e-9 * values + 1)
    assert (scaled.ci_low - 1, scaled.ci_high - 1) == pytest.approx(
        (1e-9 * plain.ci_low, 1e-9 * plain.ci_high), rel=1e-5
    )


def test_many_units_are_redrawn_in_parts():
    values = np.random.default_rng(4).normal(size=20_000)
    found = bootstrap(values, n_resamples=200)
    assert (found.ci_low, found.ci_high) == pytest.approx(mean_interval(values), abs=0.3 * stats.sem(values))


@pytest.mark.filterwarnings("error")
def test_bootstrap_at_its_edges():
    for level in ([2.0, 2.0, 2.0], [0.3, 0.1 + 0.2]):
        found = bootstrap(level)
        assert (found.value, found.ci_low, found.ci_high) == pytest.approx((level[0],) * 3)
    for values, message in [([1.0], "at least two units"), ([1.0, np.inf], "all finite"), (3.0, "at least two units")]:
        with pytest.raises(ValueError, match=message):
            bootstrap(values)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_corrected_comparison_by_the_formula_of_nadeau_and_bengio(share):
    a, b = pairs(10, 0.5)
    found, d = corrected_comparison(a, b, share=share, margin=0.4), a - b
    # Test over training size is f / (1 - f).
    error = np.sqrt((1 / 10 + share / (1 - share)) * d.var(ddof=1))
    assert found.p_value == pytest.approx(stats.t.sf(d.mean() / error, 9))
    assert found.below_p == pytest.approx(1 - found.p_value)
    assert (found.ci_low, found.ci_high) == pytest.approx(stats.t.interval(0.95, 9, d.mean(), error))
    assert found.tost_p == pytest.approx(
        max(stats.t.sf((d.mean() + 0.4) / error, 9), stats.t.cdf((d.mean() - 0.4) / error, 9))
    )
    assert (found.n, found.share) == (10, share)


def test_corrected_comparison_without_and_with_full_overlap():
    a, b = pairs(10, 0.5)
    plain, found = paired_comparison(a, b, alternative="greater", margin=0.4), corrected_comparison(a, b, share=0.0)
    assert (found.p_value, found.ci_low, found.ci_high) == pytest.approx((plain.p_value, plain.ci_low, plain.ci_high))
    assert found.tost_p is None
    assert corrected_comparison(a, b, share=0.0, margin=0.4).tost_p == pytest.approx(plain.tost_p)
    full = corrected_comparison(a, b, share=1.0, margin=0.4)
    assert (full.p_value, full.below_p, full.tost_p) == (1, 1, 1)
    assert (full.ci_low, full.ci_high) == (-np.inf, np.inf)
    with pytest.raises(ValueError, match=r"must be in \[0, 1\], found 1.2"):
        corrected_comparison(a, b, share=1.2)


def test_mean_interval_refuses_bad_input():
    with pytest.raises(ValueError, match="at least 2 pairs, found 1"):
        mean_interval([1.0])
    with pytest.raises(ValueError, match="NaN"):
        mean_interval([1.0, np.nan])

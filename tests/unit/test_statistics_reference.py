"""Every test and interval against statsmodels and SciPy, at cases by hand, and at its edges."""

import numpy as np
import pytest
from replication.shared.statistics import (
    bootstrap,
    clopper_pearson,
    corrected_comparison,
    holm,
    jackknife_error,
    mean_interval,
    paired_comparison,
    rank_correlations,
    sign_test,
    wilson_interval,
)
from scipy import stats
from statsmodels.stats.descriptivestats import sign_test as statsmodels_sign_test
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired


def pairs(n, shift, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=n)
    return b + shift + rng.normal(scale=scale, size=n), b


SIZES = [(3, 0.4), (10, -0.2), (18, 0.0), (200, 0.05)]


@pytest.mark.parametrize(("n", "shift"), SIZES)
@pytest.mark.parametrize(("ours", "theirs"), [("two-sided", "two-sided"), ("greater", "larger"), ("less", "smaller")])
def test_paired_t_test_is_that_of_statsmodels(n, shift, ours, theirs):
    a, b = pairs(n, shift)
    found, differences = paired_comparison(a, b, alternative=ours), DescrStatsW(a - b)
    t, p, degrees = differences.ttest_mean(0.0, alternative=theirs)
    assert (found.t, found.p_value, found.n - 1) == pytest.approx((t, p, degrees))
    assert (found.ci_low, found.ci_high) == pytest.approx(differences.tconfint_mean(0.05))
    assert mean_interval(a - b) == pytest.approx(differences.tconfint_mean(0.05))
    assert found.p_value == pytest.approx(stats.ttest_rel(a, b, alternative=ours).pvalue)


@pytest.mark.parametrize(("n", "shift"), SIZES)
@pytest.mark.parametrize("margin", [0.02, 0.3, 2.0])
def test_equivalence_is_that_of_statsmodels(n, shift, margin):
    a, b = pairs(n, shift)
    assert paired_comparison(a, b, margin=margin).tost_p == pytest.approx(ttost_paired(a, b, -margin, margin)[0])


@pytest.mark.parametrize("k", [1, 2, 7, 50])
def test_holm_is_that_of_statsmodels(k):
    p = np.random.default_rng(k).random(k) ** 4
    p[: k // 3] = p[-1]  # ties
    rejected, adjusted, *_ = multipletests(p, alpha=0.05, method="holm")
    np.testing.assert_allclose(holm(p), adjusted, atol=1e-15)
    np.testing.assert_array_equal(holm(p) <= 0.05, rejected)


@pytest.mark.parametrize("n", [1, 7, 40, 1000])
def test_intervals_of_shares_are_those_of_statsmodels(n):
    for wins in sorted({0, 1, n // 3, n - 1, n}):
        low, high = proportion_confint(wins, n, method="wilson")
        assert wilson_interval(wins / n, n) == pytest.approx((low, high), abs=1e-12)
        low, high = proportion_confint(wins, n, method="beta")
        assert clopper_pearson(wins, n) == pytest.approx((low, high), abs=1e-9)


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
    with pytest.raises(ValueError, match="found 'more'"):
        sign_test([1], [2], alternative="more")
    with pytest.raises(ValueError, match="NaN"):
        sign_test([np.nan], [2])
    with pytest.raises(ValueError, match="at least 1 pairs, found 0"):
        sign_test([], [])


def scipy_interval(samples, statistic, method, n_resamples, **options):
    found = stats.bootstrap(
        samples, statistic, n_resamples=n_resamples, method=method, rng=np.random.default_rng(3), **options
    )
    return found.confidence_interval.low, found.confidence_interval.high


@pytest.mark.parametrize("statistic", [np.mean, np.median, np.std])
@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_bootstrap_is_that_of_scipy_draw_for_draw(statistic, ours, theirs):
    values = np.random.default_rng(1).lognormal(size=25)
    found = bootstrap(values, statistic, method=ours, n_resamples=2000, seed=3)
    expected = scipy_interval((values,), statistic, theirs, 2000)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected)
    assert (found.value, found.n) == (pytest.approx(statistic(values)), 25)


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_bootstrap_of_pairs_is_that_of_scipy(ours, theirs):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, 30).astype(float)
    y = x + rng.normal(scale=2, size=30).round()

    def correlation(x, y, axis=-1):
        return rank_correlations(np.stack([x, y], axis=-1).reshape(-1, x.shape[-1], 2)).reshape(x.shape[:-1])

    found = bootstrap(np.column_stack([x, y]), rank_correlations, method=ours, n_resamples=1000, seed=3)
    expected = scipy_interval((x, y), correlation, theirs, 1000, paired=True)
    assert found.value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=0.03)
    assert found.ci_low < found.value < found.ci_high


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_depends_on_the_seed_and_not_on_how_draws_are_cut(monkeypatch, method):
    values = np.random.default_rng(4).exponential(size=12)
    found = bootstrap(values, method=method, n_resamples=500, seed=1)
    assert bootstrap(values, method=method, n_resamples=500, seed=1) == found
    assert bootstrap(values, method=method, n_resamples=500, seed=2) != found
    monkeypatch.setattr("replication.shared.statistics._AT_ONCE", 100)
    assert bootstrap(values, method=method, n_resamples=500, seed=1) == found


def test_bca_covers_a_skewed_mean_no_worse_than_the_percentile_interval():
    rng, inside, above = np.random.default_rng(5), {"bca": 0, "percentile": 0}, {"bca": 0, "percentile": 0}
    for _ in range(300):
        values = rng.exponential(size=20)
        for method in inside:
            found = bootstrap(values, method=method, n_resamples=400)
            inside[method] += found.ci_low <= 1 <= found.ci_high
            above[method] += found.ci_high < 1
    assert inside["bca"] >= inside["percentile"]
    assert above["bca"] < above["percentile"]
    assert inside["bca"] / 300 == pytest.approx(0.92, abs=0.05)


@pytest.mark.filterwarnings("error")
def test_bootstrap_at_its_edges():
    level = bootstrap([2.0, 2.0, 2.0])
    assert (level.value, level.ci_low, level.ci_high) == (2, 2, 2)
    # No redraw exceeds the largest value.
    largest = bootstrap([1.0, 2.0, 5.0], lambda sample, axis: sample.max(axis=axis), seed=1)
    assert largest.ci_high == 5
    # No redraw of 12 has 12 distinct values, so that the bias is not finite.
    values = np.arange(12.0)

    def distinct(sample, axis):
        return (np.diff(np.sort(sample, axis=axis), axis=axis) > 0).sum(axis=axis) + 0.001 * sample.mean(axis=axis)

    outside, percentile = (bootstrap(values, distinct, method=one, n_resamples=200) for one in ("bca", "percentile"))
    assert outside == percentile
    assert outside.ci_high < outside.value
    rises = bootstrap(np.column_stack([[1, 2, 3], [2, 4, 9]]), rank_correlations, method="percentile")
    assert (rises.ci_low, rises.ci_high) == pytest.approx((1, 1))
    for values, options, message in [
        ([1.0], {}, "at least two units"),
        ([1.0, np.inf], {}, "all finite"),
        (3.0, {}, "at least two units"),
        ([1.0, 2.0], {"method": "basic"}, "bca or percentile, found 'basic'"),
        ([1.0, 2.0], {"n_resamples": 99}, "at least 100 redraws, found n_resamples = 99"),
    ]:
        with pytest.raises(ValueError, match=message):
            bootstrap(values, **options)


def test_rank_correlations_are_those_of_scipy_with_ties_and_nan_if_constant():
    rng = np.random.default_rng(0)
    samples = rng.integers(0, 4, size=(5, 12, 2)).astype(float)
    expected = [stats.spearmanr(*sample.T).statistic for sample in samples]
    np.testing.assert_allclose(rank_correlations(samples), expected)
    samples[2, :, 1] = 7
    assert np.isnan(rank_correlations(samples)).tolist() == [False, False, True, False, False]


def test_jackknife_error_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(6).normal(size=15)
    left_out = [np.delete(values, k).mean() for k in range(15)]
    assert jackknife_error(left_out) == pytest.approx(stats.sem(values))


@pytest.mark.parametrize("n", [3, 10, 40])
def test_hedges_correction(n):
    found = paired_comparison(*pairs(n, 0.8))
    # The usual approximation, 1 - 3 / (4 f - 1), is within 0.007 of the exact factor from f = 2 on.
    assert found.hedges_g / found.effect_size == pytest.approx(1 - 3 / (4 * (n - 1) - 1), abs=0.01)
    assert abs(found.hedges_g) < abs(found.effect_size)


def test_hedges_correction_takes_the_bias_away():
    draws = np.random.default_rng(7).normal(0.5, 1, size=(4000, 6))
    plain = draws.mean(axis=1) / draws.std(axis=1, ddof=1)
    factor = paired_comparison(draws[0], np.zeros(6))
    assert plain.mean() > 0.55
    assert (plain * factor.hedges_g / factor.effect_size).mean() == pytest.approx(0.5, abs=0.025)
    assert paired_comparison([2.0, 3.0], [1.0, 2.0]).hedges_g == np.inf
    assert paired_comparison([1.0, 3.0], [1.0, 2.0]).hedges_g == 0


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

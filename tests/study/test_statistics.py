"""Paired comparisons against SciPy, equivalence, equal differences, Holm by hand; bad input."""

import numpy as np
import pytest
from replication.shared.statistics import holm, paired_comparison
from scipy import stats


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    b = rng.normal(size=12)
    return b + 0.4 + rng.normal(scale=0.6, size=12), b


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_paired_t_test_is_that_of_scipy(pair, alternative):
    found = paired_comparison(*pair, alternative=alternative)
    expected = stats.ttest_rel(*pair, alternative=alternative)
    assert found.t == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    low, high = stats.ttest_rel(*pair).confidence_interval(0.95)
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high))
    assert found.n == 12
    assert found.note == ""


def test_the_usual_alternative_is_two_sided(pair):
    assert paired_comparison(*pair) == paired_comparison(*pair, alternative="two-sided")


def test_effect_size_by_hand():
    # Differences 1, 2, 3: mean 2, standard deviation 1.
    found = paired_comparison([2, 4, 6], [1, 2, 3])
    assert found.mean_difference == pytest.approx(2)
    assert found.effect_size == pytest.approx(2)
    assert found.t == pytest.approx(2 * np.sqrt(3))


def test_swapping_the_sides_mirrors_the_comparison(pair):
    a, b = (
        paired_comparison(*pair, alternative="greater", margin=1.0),
        paired_comparison(*pair[::-1], alternative="less", margin=1.0),
    )
    assert a.p_value == pytest.approx(b.p_value)
    assert (a.ci_low, a.ci_high) == pytest.approx((-b.ci_high, -b.ci_low))
    assert a.tost_p == pytest.approx(b.tost_p)


@pytest.mark.parametrize("margin", [0.1, 0.5, 1.0, 3.0])
def test_equivalence_is_two_one_sided_tests(pair, margin):
    differences = pair[0] - pair[1]
    above = stats.ttest_1samp(differences, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(differences, margin, alternative="less").pvalue
    assert paired_comparison(*pair, margin=margin).tost_p == pytest.approx(max(above, below))
    assert paired_comparison(*pair).tost_p is None


@pytest.mark.filterwarnings("error")
def test_differences_that_are_all_zero():
    values = np.array([0.1, 0.7, 0.2])
    for alternative in ("two-sided", "greater", "less"):
        found = paired_comparison(values, values, alternative=alternative, margin=0.01)
        assert (found.t, found.p_value, found.tost_p, found.effect_size) == (0, 1, 0, 0)
        assert (found.ci_low, found.ci_high) == (0, 0)
        assert "zero" in found.note


@pytest.mark.filterwarnings("error")
def test_differences_that_are_all_equal_up_to_rounding():
    b = np.array([0.1, 0.7, 0.2])
    found = paired_comparison(b + 0.3, b, margin=0.5)
    assert found.mean_difference == pytest.approx(0.3)
    assert (found.t, found.p_value, found.tost_p) == (np.inf, 0, 0)
    assert "equal" in found.note
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
    with pytest.raises(ValueError, match="found 'larger'"):
        paired_comparison([1, 2], [2, 1], alternative="larger")
    with pytest.raises(ValueError, match="margin of an equivalence test must be above 0, found 0"):
        paired_comparison([1, 2], [2, 1], margin=0)


def test_holm_by_hand():
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04, which may not fall: 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == pytest.approx([1, 1])
    assert holm([0.02]) == pytest.approx([0.02])
    assert len(holm([])) == 0


def test_holm_lies_between_the_raw_value_and_bonferroni():
    p = np.random.default_rng(0).random(20) ** 3
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(20 * p, 1) + 1e-15).all()
    assert adjusted.min() == pytest.approx(20 * p.min())
    assert np.array_equal(np.argsort(adjusted[np.argsort(p)], kind="stable"), np.arange(20))


def test_holm_refuses_what_is_no_p_value():
    with pytest.raises(ValueError, match="leave out tests"):
        holm([0.1, np.nan])
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        holm([0.1, 1.2])

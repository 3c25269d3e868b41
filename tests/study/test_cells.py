"""From cells to parts: one paired difference against a criterion, and the rules that combine cells and cases."""

import numpy as np
import pytest
from replication.shared.cells import (
    Cell,
    Smallest,
    above_zero,
    cell_of,
    contradicted,
    contrast,
    enough,
    interval_cell,
    judged,
    smallest_effect,
)
from scipy import stats
from statsmodels.stats.power import TTestPower

R, M, P, N, U = "reproduced", "mixed", "in part", "not reproduced", "inconclusive"
SEEDS = range(20)


def pair(seed, n=6):
    rng = np.random.default_rng(seed)
    return rng.normal(rng.normal(), 1, n), rng.normal(size=n)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cell_above_is_the_one_sided_t_test_and_its_contrary_the_two_sided(seed):
    a, b = pair(seed)
    cell = cell_of(contrast(a, b))
    above, both = (stats.ttest_rel(a, b, alternative=side) for side in ("greater", "two-sided"))
    assert cell.holds == (a.mean() > b.mean())
    assert cell.shown == (above.pvalue < 0.05)
    assert cell.against == pytest.approx(1.0 if cell.holds else both.pvalue)
    assert cell_of(contrast(a, b), sides=1).against == pytest.approx(1.0 if cell.holds else both.pvalue / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_below_is_above_with_the_methods_turned(seed):
    a, b = pair(seed)
    assert cell_of(contrast(a, b), "below") == cell_of(contrast(b, a), "above")
    same = [cell_of(contrast(*of, margin=0.5), "equivalent", 0.5) for of in ((a, b), (b, a))]
    assert same[0] == same[1]


@pytest.mark.parametrize("margin", [0.1, 0.5, 3.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_equivalent_is_two_one_sided_tests_and_its_contrary_a_difference_beyond_the_margin(seed, margin):
    a, b = pair(seed)
    cell = cell_of(contrast(a, b, margin=margin), "equivalent", margin)
    low = stats.ttest_1samp(a - b, -margin, alternative="greater").pvalue
    high = stats.ttest_1samp(a - b, margin, alternative="less").pvalue
    assert cell.shown == (max(low, high) < 0.05)
    gap = (a - b).mean()
    assert cell.holds == (abs(gap) < margin)
    further = stats.ttest_1samp(np.sign(gap) * (a - b), margin, alternative="greater").pvalue
    assert cell.against == pytest.approx(1.0 if cell.holds else min(2 * further, 1.0))


def test_values_without_spread_have_the_limits_of_their_tests():
    zero = np.zeros(3)
    assert cell_of(contrast(zero, zero)) == Cell(False, 1.0, 1.0)
    assert cell_of(contrast(zero + 1, zero)) == Cell(True, 0.0, 1.0)
    assert cell_of(contrast(zero - 1, zero)) == Cell(False, 1.0, 0.0)
    for gap, cell in ((0.4, Cell(True, 0.0, 1.0)), (0.5, Cell(False, 1.0, 1.0)), (0.6, Cell(False, 1.0, 0.0))):
        assert cell_of(contrast(zero + gap, zero, margin=0.5), "equivalent", 0.5) == cell


def test_draws_that_hold_all_units_show_nothing():
    a, b = pair(1)
    for gap in (-9, 0, 9):
        for criterion in ("above", "below", "equivalent"):
            cell = cell_of(contrast(a + gap, b, share=1.0, margin=0.5), criterion, 0.5)
            assert (cell.shown, cell.against) == (False, 1.0)


def test_an_interval_shows_what_it_leaves_out():
    assert interval_cell(1.0, 0.1, 1.9) == Cell(True, 0.0, 1.0)
    assert interval_cell(1.0, -0.1, 2.1) == Cell(True, 1.0, 1.0)
    assert interval_cell(-1.0, -1.9, -0.1) == Cell(False, 1.0, 0.0)
    assert interval_cell(-1.0, np.nan, np.nan) == Cell(False, 1.0, 1.0)


# --- the smallest effect of interest


def exactly(mean, sd, n):
    """n values with that mean and standard deviation."""
    values = np.random.default_rng(n).normal(size=n)
    return mean + sd * (values - values.mean()) / values.std(ddof=1)


# Of 16 units with a standard deviation of 0.02, so a standard error of 0.005. With 15 degrees of freedom the one-sided
# 5 % point is 1.753 standard errors, 0.00877; the two-sided one 2.131, 0.01066.
@pytest.mark.parametrize(
    ("mean", "holds", "shown", "small", "word"),
    [
        # Above 0, and not below 0.02 beyond chance.
        (0.03, True, True, None, R),
        (0.0113, True, True, None, R),
        # Two standard errors above 0 and below 0.02: it is there, and too small.
        (0.01, True, True, True, "no effect"),
        (0.0111, True, True, True, "no effect"),
        (0.0, False, False, True, "no effect"),
        (-0.0105, False, False, True, "no effect"),
        # The other way beyond chance.
        (-0.0108, False, False, False, N),
        (-0.03, False, False, False, N),
    ],
)
def test_an_effect_is_there_or_too_small_or_the_other_way(mean, holds, shown, small, word):
    values = exactly(mean, 0.02, 16)
    cell = cell_of(contrast(values, 0 * values), smallest=Smallest(0.02))
    assert (cell.holds, cell.shown) == (holds, shown)
    assert cell.against == pytest.approx(stats.ttest_1samp(values, 0.02, alternative="less").pvalue)
    assert (cell.against < 0.05) == (small is not None)
    assert cell.small == (small is not False)
    assert judged("", [[cell]]).verdict == word
    # The same of methods that are turned, and of lower values that are asked for.
    assert cell_of(contrast(0 * values, values), "below", smallest=Smallest(0.02)) == cell
    assert above_zero(values, Smallest(0.02)) == cell


def test_of_many_cells_one_that_is_small_by_chance_contradicts_no_claim():
    # One of 24 cells has p = 0.03 of a small effect, which Holm's method multiplies by 24.
    small, large = exactly(0.01, 0.02, 16), exactly(0.03, 0.02, 16)
    cells = [cell_of(contrast(values, 0 * values), smallest=Smallest(0.02)) for values in [small] + 23 * [large]]
    assert cells[0].against < 0.05
    assert judged("", [cells]).verdict == R
    assert judged("", [[cell] for cell in cells], correction="none").verdict == M


@pytest.mark.parametrize("d", [0.15, 0.3, 0.5, 0.7, 0.85])
@pytest.mark.parametrize("n_cells", [1, 2, 6])
def test_the_units_are_those_of_the_other_library(d, n_cells):
    values = exactly(0.0, 1.0, 4)
    cell = cell_of(contrast(values, 0 * values), smallest=Smallest(d))
    units = judged("", [[cell] * n_cells]).units
    # Cells that do not depend on each other are shown in 80 % of the studies.
    expected = TTestPower().solve_power(d, alpha=0.05, power=0.8 ** (1 / n_cells), alternative="larger")
    assert expected >= 10
    assert units == pytest.approx(expected, rel=0.1)
    if n_cells == 1:
        assert abs(units - expected) < 1
        assert cell.units == pytest.approx((2.4865 / d) ** 2, rel=1e-4)


def test_the_units_of_draws_that_overlap_are_those_of_the_pool():
    # Means over c draws vary as 1 / c + f / (1 - f), here 1 / c + 1 / 9: no number of draws gets below a ninth.
    values = exactly(0.0, 1.0, 5)
    overlapping = contrast(values, 0 * values, share=0.1)
    size = 1.0
    cell, plain = cell_of(overlapping, smallest=Smallest(size)), above_zero(values, Smallest(size))
    assert plain.units == pytest.approx((2.4865 / size) ** 2, rel=1e-3)
    # 2.7 by the formula, which is too low for so few.
    assert above_zero(values, Smallest(1.5)).units == len(values)
    # 1 / c + 1 / 9 = (size / 2.4865)^2.
    assert cell.units == pytest.approx(1 / ((size / 2.4865) ** 2 - 1 / 9), rel=1e-3)
    assert cell_of(overlapping, smallest=Smallest(2.4865 / 3 - 0.001)).units == np.inf
    assert np.isfinite(cell_of(overlapping, smallest=Smallest(2.4865 / 3 + 0.001)).units)
    for mean in (-9, 0, 9):
        whole = cell_of(contrast(values + mean, 0 * values, share=1.0), smallest=Smallest(size))
        assert (whole.shown, whole.against, whole.units) == (False, 1.0, np.inf)


def test_each_look_at_the_data_is_paid_for():
    # 1.9 standard errors above 0 and 2.1 below 0.02 are p = 0.038 and 0.026: one look is enough for both, two are not.
    values = exactly(0.0095, 0.02, 16)
    one, two = (cell_of(contrast(values, 0 * values), smallest=Smallest(0.02, looks)) for looks in (1, 2))
    below = stats.ttest_1samp(values, 0.02, alternative="less").pvalue
    assert (one.against, two.against) == (pytest.approx(below), pytest.approx(2 * below))
    assert (judged("", [[one]]).verdict, judged("", [[two]]).verdict) == ("no effect", U)
    ahead = exactly(0.0095, 0.02, 16) + 0.001
    found = [cell_of(contrast(ahead, 0 * ahead), smallest=Smallest(0.012, looks)).shown for looks in (1, 2)]
    # 2.1 standard errors: p = 0.026.
    assert found == [True, False]
    behind = exactly(-0.0108, 0.02, 16)
    # The other way beyond chance is two-sided p = 0.047, and 0.094 of two looks.
    words = [
        judged("", [[cell_of(contrast(behind, 0 * behind), smallest=Smallest(0.02, looks))]]).verdict
        for looks in (1, 2)
    ]
    assert words == [N, "no effect"]
    values = exactly(0.0, 1.0, 5)
    for looks in (1, 2, 5):
        cell = cell_of(contrast(values, 0 * values), smallest=Smallest(0.3, looks))
        expected = TTestPower().solve_power(0.3, alpha=0.05 / looks, power=0.8, alternative="larger")
        assert judged("", [[cell]]).units == pytest.approx(expected, abs=3)


def test_the_p_values_of_equivalence_are_those_of_all_looks():
    values = np.random.default_rng(0).normal(0, 1, 20)
    compared = contrast(values, 0 * values, margin=0.6)
    one, three = (cell_of(compared, "equivalent", 0.6, smallest=Smallest(0.6, looks)) for looks in (1, 3))
    assert 0 < one.p == compared.tost_p < 0.3
    assert three.p == pytest.approx(3 * one.p)
    assert three.units > one.units > 0


@pytest.mark.parametrize("margin", [0.2, 0.5])
def test_what_is_not_equivalent_yet_says_how_many_units_decide(margin):
    # Of two one-sided tests of no difference both reject in 80 % if each does in 90 %.
    values = exactly(0.0, 1.0, 5)
    found = judged("", [[cell_of(contrast(values, 0 * values, margin=margin), "equivalent", margin)]])
    expected = TTestPower().solve_power(margin, alpha=0.05, power=0.9, alternative="larger")
    assert found.units == pytest.approx(expected, rel=0.05)


def test_without_spread_an_effect_of_the_smallest_size_is_one():
    # 0.7 - 0.68 is a little less than 0.02 in binary numbers.
    for gap, word in ((0.7 - 0.68, R), (0.021, R), (0.019, "no effect"), (0.0, "no effect"), (-0.019, N)):
        cell = cell_of(contrast(np.full(4, gap), np.zeros(4)), smallest=Smallest(0.02))
        assert judged("", [[cell]]).verdict == word
        assert judged("", [[cell]]).units == 0


def test_a_smallest_effect_is_one_or_of_each_metric_or_relative():
    assert smallest_effect({}) is None
    assert smallest_effect({"smallest": {"effect": 0.02}}, "si") == Smallest(0.02)
    assert smallest_effect({"smallest": {"effect": {"si": 0.02, "auprc": 0.1}}}, "auprc") == Smallest(0.1)
    assert smallest_effect({"smallest": {"relative": 0.1}, "looks": 3}, "si", baseline=-0.5) == Smallest(0.05, looks=3)
    assert Smallest(0.4, looks=3) / 8 == Smallest(0.05, looks=3)
    with pytest.raises(ValueError, match="expected the smallest effect of si, found that of auprc"):
        smallest_effect({"smallest": {"effect": {"auprc": 0.1}}}, "si")
    with pytest.raises(ValueError, match="relative smallest effect needs another method"):
        smallest_effect({"smallest": {"relative": 0.1}}, "si")


def test_a_small_effect_and_one_the_other_way_do_not_make_no_effect():
    small, other_way = Cell(False, 1.0, 0.001, small=True), Cell(False, 1.0, 0.001)
    assert judged("", [[small], [small]]).verdict == judged("", [[small, HOLDS]]).verdict == "no effect"
    assert judged("", [[small], [other_way]]).verdict == judged("", [[small, other_way]]).verdict == N
    assert judged("", [[small], [SHOWN]]).verdict == M
    # What is not against the claim has no say: the flag alone is no evidence.
    assert judged("", [[small], [Cell(False, 1.0, 0.9)]]).verdict == "no effect"
    assert judged("", [[Cell(False, 1.0, 0.9, small=True)]]).verdict == U


def test_the_units_are_those_of_the_hardest_undecided_cell():
    def units(*cases):
        return judged("", cases).units

    easy, hard, done = Cell(True, units=20.0), Cell(False, units=90.0), Cell(True, 0.0, units=900.0)
    assert units([easy], [hard]) == units([hard, easy]) > units([easy], [easy]) > 20
    assert units([easy], [done]) == units([easy], [easy])
    assert units([done]) == units([SHOWN], [HOLDS]) == 0
    # A case that is contradicted stays so, whatever its other cells.
    assert units([AGAINST, hard], [easy]) == judged("", [[AGAINST, easy], [easy]]).units
    assert units([Cell(True, units=np.inf)], [easy]) == np.inf


SHOWN, HOLDS, FAILS, AGAINST = Cell(True, 0.0), Cell(True), Cell(False), Cell(False, 1.0, 0.001)


@pytest.mark.parametrize(
    ("cases", "direction", "significance"),
    [
        ([[SHOWN, SHOWN]], R, R),
        # In a case all cells are needed, and one can be against it.
        ([[SHOWN, HOLDS]], R, U),
        ([[SHOWN, FAILS]], N, U),
        ([[SHOWN, AGAINST]], N, N),
        # Of several cases each counts.
        ([[SHOWN], [HOLDS]], R, P),
        ([[SHOWN], [FAILS]], M, P),
        ([[SHOWN], [AGAINST]], M, M),
        # A sign within chance confirms nothing next to one that is contradicted.
        ([[HOLDS], [AGAINST]], N, N),
        ([[FAILS], [FAILS]], N, U),
    ],
)
def test_cells_make_cases_and_cases_the_parts(cases, direction, significance):
    found = judged("words", cases)
    assert (found.direction, found.significance, found.magnitude) == (direction, significance, "")
    untested = judged("words", cases, tested=False)
    by_sign = M if cases == [[HOLDS], [AGAINST]] else direction
    assert (untested.direction, untested.significance) == (by_sign, "")
    for criterion in ("equivalent", "beyond"):
        size = judged("words", cases, criterion=criterion)
        assert (size.direction, size.significance, size.magnitude) == ("", "", significance)


def test_one_of_several_cases_is_shown_by_a_corrected_p_value():
    one, other = Cell(True, 0.03), Cell(True, 0.2)
    assert judged("", [[one]]).significance == judged("", [[one], [one]]).significance == R
    assert judged("", [[one], [other]]).significance == U
    assert judged("", [[Cell(True, 0.02)], [other]]).significance == P
    # A case is shown by the largest p-value of its cells.
    assert judged("", [[Cell(True, 0.001), other], [Cell(True, 0.02)]]).significance == P
    assert judged("", [[Cell(True, 0.001), one], [other]]).significance == U


def test_what_is_corrected_together():
    # Two contraries at p = 0.03 are none after Holm's correction over both.
    one = Cell(False, 1.0, 0.03)
    expected = {"none": (N, N), "case": (N, U), "claim": (U, U)}
    for correction, (apart, together) in expected.items():
        assert judged("", [[one], [one]], correction=correction).significance == apart
        assert judged("", [[one, one]], correction=correction).significance == together
    assert contradicted([one, one]).tolist() == [False, False]
    assert contradicted([one, AGAINST]).tolist() == [True, True]
    assert contradicted([one, one], corrected=False).tolist() == [True, True]


def test_sizes_are_the_magnitude():
    assert judged("", sizes=[True, True]).magnitude == R
    assert judged("", [[SHOWN]], sizes=[True, False]).magnitude == M
    assert judged("", [[SHOWN]], sizes=[np.False_]).magnitude == N


@pytest.mark.parametrize(
    ("hold", "against", "part"), [(3, 0, R), (2, 0, U), (2, 1, U), (2, 2, N), (0, 4, N), (3, 2, R)]
)
def test_enough_of_four_where_three_are_needed(hold, against, part):
    # With one against it three are left, with two they are not.
    assert enough(hold, against, 4, 3) == part

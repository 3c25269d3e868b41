"""From cells to parts: one paired difference against a criterion, and the rules that combine cells and cases."""

import numpy as np
import pytest
from replication.shared.cells import Cell, cell_of, contradicted, contrast, enough, interval_cell, judged
from scipy import stats

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
    assert cell_of(contrast(zero, zero)) == Cell(False, False, 1.0)
    assert cell_of(contrast(zero + 1, zero)) == Cell(True, True, 1.0)
    assert cell_of(contrast(zero - 1, zero)) == Cell(False, False, 0.0)
    for gap, cell in ((0.4, Cell(True, True, 1.0)), (0.5, Cell(False, False, 1.0)), (0.6, Cell(False, False, 0.0))):
        assert cell_of(contrast(zero + gap, zero, margin=0.5), "equivalent", 0.5) == cell


def test_draws_that_hold_all_units_show_nothing():
    a, b = pair(1)
    for gap in (-9, 0, 9):
        for criterion in ("above", "below", "equivalent"):
            cell = cell_of(contrast(a + gap, b, share=1.0, margin=0.5), criterion, 0.5)
            assert (cell.shown, cell.against) == (False, 1.0)


def test_an_interval_shows_what_it_leaves_out():
    assert interval_cell(1.0, 0.1, 1.9) == Cell(True, True, 1.0)
    assert interval_cell(1.0, -0.1, 2.1) == Cell(True, False, 1.0)
    assert interval_cell(-1.0, -1.9, -0.1) == Cell(False, False, 0.0)
    assert interval_cell(-1.0, np.nan, np.nan) == Cell(False, False, 1.0)


def test_an_unknown_criterion_is_refused():
    with pytest.raises(ValueError, match="above or below, found 'over'"):
        cell_of(contrast(*pair(1)), "over")


SHOWN, HOLDS, FAILS, AGAINST = Cell(True, True), Cell(True), Cell(False), Cell(False, False, 0.001)


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
        ([[HOLDS], [AGAINST]], M, N),
        ([[FAILS], [FAILS]], N, U),
    ],
)
def test_cells_make_cases_and_cases_the_parts(cases, direction, significance):
    found = judged("words", cases)
    assert (found.direction, found.significance, found.magnitude) == (direction, significance, "")
    untested = judged("words", cases, tested=False)
    assert (untested.direction, untested.significance) == (direction, "")
    for criterion in ("equivalent", "beyond"):
        size = judged("words", cases, criterion=criterion)
        assert (size.direction, size.significance, size.magnitude) == ("", "", significance)


def test_what_is_corrected_together():
    # Two contraries at p = 0.03 are none after Holm's correction over both.
    one = Cell(False, False, 0.03)
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
    assert judged("", sizes=[True], trivial=True).verdict == "trivially true"


@pytest.mark.parametrize(
    ("hold", "against", "part"), [(3, 0, R), (2, 0, U), (2, 1, U), (2, 2, N), (0, 4, N), (3, 2, R)]
)
def test_enough_of_four_where_three_are_needed(hold, against, part):
    # With one against it three are left, with two they are not.
    assert enough(hold, against, 4, 3) == part

"""Jaccard's and Kuncheva's indices against sets of Python, enumeration, and examples by hand."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import expected_jaccard, jackknife_jaccard, kuncheva_index, mean_jaccard
from refusals import refusals


def plain_jaccard(subsets):
    pairs = [len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in combinations(map(list, subsets), 2)]
    return float(np.mean(pairs))


@pytest.fixture(scope="module")
def subsets():
    rng = np.random.default_rng(0)
    return np.array([rng.choice(30, 6, replace=False) for _ in range(12)])


def test_mean_jaccard(subsets):
    assert mean_jaccard(subsets) == pytest.approx(plain_jaccard(subsets))
    assert mean_jaccard(subsets[:, ::-1]) == mean_jaccard(subsets)
    assert mean_jaccard(subsets * 1000 + 7) == mean_jaccard(subsets)


def test_a_data_frame_is_taken_by_its_rows(subsets):
    for columns in ("abcdef", ["f1", "f2", "f3", "f4", "f5", "f6"], range(6)):
        frame = pd.DataFrame(subsets, columns=list(columns))
        assert mean_jaccard(frame) == mean_jaccard(subsets)
        assert np.array_equal(jackknife_jaccard(frame), jackknife_jaccard(subsets))
        assert kuncheva_index(frame, 30) == kuncheva_index(subsets, 30)


def test_jaccard_by_hand():
    assert mean_jaccard([[0, 1, 2], [2, 3, 4]]) == pytest.approx(1 / 5)
    assert mean_jaccard([[0, 1], [1, 0], [1, 2]]) == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    assert mean_jaccard([[4], [5]]) == 0.0
    assert mean_jaccard([[8, 3]] * 5) == 1.0


def test_jackknife(subsets):
    found = jackknife_jaccard(subsets)
    expected = [plain_jaccard(np.delete(subsets, b, axis=0)) for b in range(12)]
    assert found == pytest.approx(expected)
    assert found.mean() == pytest.approx(mean_jaccard(subsets))


@pytest.mark.parametrize(("k", "m"), [(1, 4), (2, 5), (3, 6), (4, 6), (5, 5)])
def test_expected_jaccard_by_enumeration(k, m):
    sets = list(combinations(range(m), k))
    expected = np.mean([len(set(a) & set(b)) / len(set(a) | set(b)) for a in sets for b in sets])
    assert expected_jaccard(k, m) == pytest.approx(expected)


def test_kuncheva_by_hand():
    """Kuncheva (2007): of 10 features, 5 in both sets, r = 3 in common: (3 * 10 - 25) / (5 * 5) = 0.2."""
    assert kuncheva_index([[0, 1, 2, 3, 4], [2, 3, 4, 5, 6]], 10) == pytest.approx(0.2)
    assert kuncheva_index([[0, 1], [2, 3]], 4) == pytest.approx(-1.0)
    assert kuncheva_index([[3, 9], [9, 3], [3, 9]], 10) == pytest.approx(1.0)
    assert kuncheva_index([[0], [0], [1]], 3) == pytest.approx((1.0 - 0.5 - 0.5) / 3)


def test_kuncheva_is_zero_by_chance():
    sets = list(combinations(range(6), 2))
    values = [1.0 if a == b else kuncheva_index([a, b], 6) for a in sets for b in sets]
    assert np.mean(values) == pytest.approx(0.0, abs=1e-14)


test_refusals = refusals(
    (lambda: mean_jaccard([[1, 2]]), "at least 2 rounds of selection, found 1"),
    (lambda: jackknife_jaccard([[1, 2], [2, 3]]), "at least 3 rounds of selection, found 2"),
    (lambda: mean_jaccard([[1, 2], [2]]), "the same number of features, at least 1; found 1 to 2"),
    (lambda: mean_jaccard([[1, 2], [3, 3]]), r"Round 1 .* contains a feature twice"),
    (lambda: mean_jaccard([[0.5, 1.5], [1.0, 2.0]]), r"table of integers .* \(2, 2\), float64"),
    (lambda: mean_jaccard([[-1, 2], [1, 2]]), "integers from 0"),
    (lambda: kuncheva_index([[0, 1], [1, 2]], 2), "at most 1 of m = 2 features, found k = 2"),
    (lambda: kuncheva_index([[0, 1], [1, 5]], 5), "from 0 to 4 as m = 5, found 5"),
    (lambda: expected_jaccard(6, 5), "at most 5 of m = 5 features, found k = 6"),
    (lambda: expected_jaccard(0, 5), "k must be an integer of at least 1, found 0"),
    (lambda: expected_jaccard(2, 5.5), "m must be an integer of at least 1, found 5.5"),
)

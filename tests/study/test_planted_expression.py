"""Planted expression: the truth is where it was put, and a seed gives the same table again."""

from collections import Counter

import numpy as np
import pytest
from replication.data.readers.planted_expression import planted_expression
from scipy.stats import ttest_ind

SETTINGS = {"n_genes": 60, "n_informative": 20, "effect": 2.0, "training": [400, 300], "test": [30, 50], "seed": 5}


@pytest.fixture(scope="module")
def planted():
    return planted_expression(**SETTINGS)


def standardised(table):
    """Genes in standard deviations within a class, the classes apart by their difference in these."""
    centred = table.values.copy()
    for name in "AB":
        centred[table.classes == name] -= centred[table.classes == name].mean(axis=0)
    return centred / centred.std(axis=0), table.values / centred.std(axis=0)


def test_shapes_names_and_classes(planted):
    assert planted.training.values.shape == (700, 60)
    assert planted.test.values.shape == (80, 60)
    assert Counter(planted.training.classes.tolist()) == {"A": 400, "B": 300}
    assert Counter(planted.test.classes.tolist()) == {"A": 30, "B": 50}
    np.testing.assert_array_equal(planted.training.genes, planted.test.genes)
    expected = {f"informative {k}" for k in range(1, 21)} | {f"noise {k}" for k in range(1, 41)}
    assert set(planted.training.genes.tolist()) == expected
    assert planted.training.splits is None


def test_informative_genes_differ_by_the_effect_and_others_do_not(planted):
    _, scaled = standardised(planted.training)
    classes = planted.training.classes
    difference = scaled[classes == "B"].mean(axis=0) - scaled[classes == "A"].mean(axis=0)
    informative = np.char.startswith(planted.training.genes, "informative")
    standard_error = np.sqrt(1 / 400 + 1 / 300)
    np.testing.assert_allclose(np.abs(difference[informative]), 2.0, atol=5 * standard_error)
    np.testing.assert_allclose(difference[~informative], 0.0, atol=5 * standard_error)
    assert 2 < np.count_nonzero(difference[informative] > 0) < 18


def test_the_same_genes_are_informative_in_the_test_set(planted):
    statistic = [ttest_ind(t.values[t.classes == "A"], t.values[t.classes == "B"])[0] for t in tables_of(planted)]
    informative = np.char.startswith(planted.test.genes, "informative")
    for one in statistic:
        assert np.abs(one[informative]).min() > np.abs(one[~informative]).max()
    np.testing.assert_array_equal(np.sign(statistic[0][informative]), np.sign(statistic[1][informative]))


def tables_of(split):
    return split.training, split.test


def test_noise_is_shared_by_three_factors(planted):
    """0.3 of the variance within a class lies in three directions, the rest in none."""
    within, _ = standardised(planted.training)
    eigenvalues = np.linalg.eigvalsh(np.cov(within.T))[::-1]
    assert eigenvalues[2] > 1.5 * eigenvalues[3]
    assert eigenvalues[3] < 0.7 * (1 + np.sqrt(60 / 700)) ** 2 * 1.1
    assert 0.2 < (eigenvalues[:3].sum() - 3 * 0.7) / eigenvalues.sum() < 0.4


def test_expression_is_positive(planted):
    assert planted.training.values.min() > 0


def test_samples_and_genes_are_not_in_an_order_that_tells_their_class(planted):
    assert len(set(planted.test.classes[:30].tolist())) == 2
    assert not np.char.startswith(planted.test.genes[:20], "informative").all()


def test_the_seed_decides_all(planted):
    again, other = planted_expression(**SETTINGS), planted_expression(**{**SETTINGS, "seed": 6})
    np.testing.assert_array_equal(again.training.values, planted.training.values)
    np.testing.assert_array_equal(again.test.classes, planted.test.classes)
    assert np.abs(other.test.values - planted.test.values).max() > 0.1


def test_the_size_of_one_set_leaves_the_other_as_it_is(planted):
    other = planted_expression(**{**SETTINGS, "training": [2, 3]})
    np.testing.assert_array_equal(other.test.values, planted.test.values)
    assert other.training.values.shape == (5, 60)

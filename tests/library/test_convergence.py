"""How many runs a consensus needs, from the Gram matrix alone."""

import numpy as np
import pytest
from consensus_embedding import check_embedding, median_consensus
from consensus_embedding.consensus.median_consensus_embedding import geometric_median
from consensus_embedding.diagnostics.convergence import consensus_convergence
from consensus_embedding.manifold.distance_matrices import combination_distances, distance_gram

PICTURE = np.random.default_rng(0).normal(size=(50, 2))


def runs_of(n, noise, seed=1):
    return PICTURE + noise * np.random.default_rng(seed).normal(size=(n, 50, 2))


def converged(runs, tolerance=0.1, seed=0, n_subsets=60):
    distances = median_consensus(runs).distances
    size = np.sqrt(2) * np.linalg.norm(distances)
    return consensus_convergence(distance_gram(runs), size, tolerance, np.random.RandomState(seed), n_subsets)


def test_distances_are_those_of_consensus_distance_matrices():
    runs = runs_of(4, 0.5)
    whole = median_consensus(runs).distances
    single = [np.linalg.norm(median_consensus([y]).distances - whole) / np.linalg.norm(whole) for y in runs]
    # A single run of four: sampling without replacement makes distances smaller by sqrt(1 - 1 / 4).
    expected = np.sqrt(np.mean(np.square(single)) / 0.75)
    assert converged(runs).curve.distance[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
def test_the_curve_of_few_runs_is_that_of_many():
    """Consensus of 20 runs, corrected for the runs shared with it, against the distance to that of 200."""
    pool = runs_of(200, 0.5)
    gram = distance_gram(pool)
    rng = np.random.RandomState(0)
    size = np.sqrt(2) * np.linalg.norm(median_consensus(pool).distances)
    for n_runs in (2, 8, 14):
        weights = np.zeros((61, 200))
        weights[0] = geometric_median(gram).weights
        for row in weights[1:]:
            subset = rng.choice(200, n_runs, replace=False)
            row[subset] = geometric_median(gram[np.ix_(subset, subset)]).weights
        true = np.sqrt(np.mean(np.square(combination_distances(gram, weights)[0, 1:]))) / size
        found = [converged(pool[k * 20 : (k + 1) * 20]).curve.set_index("n_runs").distance[n_runs] for k in range(8)]
        assert np.mean(found) == pytest.approx(true, rel=0.15)


def test_the_distance_falls_with_the_root_of_the_number_of_runs():
    found = converged(runs_of(40, 0.5))
    assert found.exponent == pytest.approx(0.5, abs=0.1)
    assert found.curve.distance.is_monotonic_decreasing
    assert found.curve.fitted_distance.to_numpy() == pytest.approx(found.curve.distance.to_numpy(), rel=0.15)


def test_enough_runs_are_the_fewest_within_the_tolerance():
    curve = converged(runs_of(40, 0.5)).curve
    tolerance = (curve.distance_high[6] + curve.distance_high[7]) / 2
    found = converged(runs_of(40, 0.5), tolerance)
    assert found.n_enough == curve.n_runs[7]
    assert found.n_extrapolated is None
    assert not found.one_run_enough


def test_where_the_tolerance_is_not_reached_the_number_is_extrapolated():
    few = converged(runs_of(12, 0.5), tolerance=0.04)
    many = converged(runs_of(100, 0.5), tolerance=0.04)
    assert few.n_enough is None
    assert many.n_enough is not None
    assert few.n_extrapolated == pytest.approx(many.n_enough, rel=0.4)
    check = check_embedding(embeddings=runs_of(12, 0.5), tolerance=0.04, random_state=0)
    assert "Warning" in " ".join(check.summary())


def test_runs_of_two_layouts_have_no_number_that_is_enough():
    """Half of the runs each: the median of few runs is now the one, now the other."""
    other = np.random.default_rng(3).permutation(PICTURE)
    runs = np.array([PICTURE, other] * 8) + 0.02 * np.random.default_rng(0).normal(size=(16, 50, 2))
    found = converged(runs)
    assert (found.n_enough, found.n_extrapolated) == (None, None)
    assert "within the 16 runs" in " ".join(check_embedding(embeddings=runs, random_state=0).summary())


def test_one_other_layout_in_twenty_runs_is_not_one_run_that_is_enough():
    """Single runs just pass, pairs of runs do not: the share above the tolerance rises."""
    other = np.random.default_rng(3).permutation(PICTURE)
    runs = np.array([PICTURE] * 19 + [other]) + 0.01 * np.random.default_rng(0).normal(size=(20, 50, 2))
    found = converged(runs, n_subsets=200)
    assert found.curve.share_above[0] == 0.05 < found.curve.share_above[1]
    assert (found.n_enough, found.one_run_enough) == (3, False)

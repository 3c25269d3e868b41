"""Multiscale t-SNE: affinities from dense conditional probabilities, and runs on them."""

import numpy as np
import pytest
from consensus_embedding.manifold.multiscale import multiscale_probabilities
from consensus_embedding.manifold.tsne import joint_probabilities, random_start, tsne_runs
from replication.papers.tomo2025.mce_extensions import multiscale_runs
from replication.papers.tomo2025.pools import TSNESettings
from scipy.optimize import brentq
from scipy.spatial.distance import cdist


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(40, 5))


def conditionals(X, perplexity):
    """Dense conditional probabilities by their definition: a Gaussian around each point, of the entropy asked for."""
    squared = cdist(X, X, "sqeuclidean")
    rows = np.zeros_like(squared)
    for i, row in enumerate(squared):
        others = np.delete(row, i)

        def weights(beta, others=others):
            w = np.exp(-beta * (others - others.min()))
            return w / w.sum()

        def excess(log_beta, weights=weights):
            p = weights(np.exp(log_beta))
            return -(p[p > 0] * np.log(p[p > 0])).sum() - np.log(perplexity)

        rows[i, np.arange(40) != i] = weights(np.exp(brentq(excess, -12, 12)))
    return rows


def test_affinities_are_the_symmetric_mean_of_the_conditional_probabilities(X):
    # From a perplexity of 13 on, the neighbours are all others: the sparse affinities are the dense ones.
    perplexities = [13, 20, 30]
    mean = np.mean([conditionals(X, perplexity) for perplexity in perplexities], axis=0)
    found = multiscale_probabilities(X, perplexities).toarray()
    assert found == pytest.approx((mean + mean.T) / (2 * len(X)), rel=1e-3, abs=1e-9)
    assert found.sum() == pytest.approx(1)
    assert np.diag(found).tolist() == [0] * 40


def test_one_perplexity_is_plain_tsne_and_none_is_refused(X):
    found, expected = multiscale_probabilities(X, [8]), joint_probabilities(X, 8)
    assert np.array_equal(found.toarray(), expected.toarray())
    with pytest.raises(ValueError, match="at least one perplexity"):
        multiscale_probabilities(X, [])
    with pytest.raises(ValueError, match="less than n_samples = 40, found 50"):
        multiscale_probabilities(X, [8, 50])


@pytest.mark.parametrize(("implementation", "method"), [("exact", "exact"), ("scikit-learn", "barnes_hut")])
def test_runs_start_from_their_seeds_with_the_settings_of_tsne(X, implementation, method):
    tsne = TSNESettings(
        implementation=implementation, perplexity=7, learning_rate=100, early_exaggeration=6, max_iter=260
    )
    found = multiscale_runs(X, [5, 10], [1, 2], tsne)
    starts = [random_start(40, seed) for seed in (1, 2)]
    options = {"learning_rate": 100, "early_exaggeration": 6, "max_iter": 260, "method": method}
    expected, _, _ = tsne_runs(multiscale_probabilities(X, [5, 10]), starts, **options)
    assert np.array_equal(found, expected)

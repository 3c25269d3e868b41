"""Levina-Bickel dimension: spaces of known dimension, the formula written out, repeated points, bad input."""

import numpy as np
import pytest
from consensus_embedding.manifold.intrinsic_dimension import intrinsic_dimension
from replication.data.domains.gene_preparation import PreparedGenes
from replication.papers.viswanath2012.intrinsic_dimension import CONDITIONS, score_genes
from replication.shared.tidy import Metrics
from scipy.spatial.distance import cdist


@pytest.mark.parametrize(("dimension", "tolerance"), [(1, 0.1), (2, 0.2), (3, 0.2), (5, 0.4)])
def test_uniform_cubes(dimension, tolerance):
    X = np.random.default_rng(0).random((3000, dimension))
    assert intrinsic_dimension(X) == pytest.approx(dimension, abs=tolerance)


def test_linear_subspace_has_its_own_dimension():
    rng = np.random.default_rng(1)
    inside = rng.normal(size=(1500, 4))
    turned = inside @ np.linalg.qr(rng.normal(size=(30, 30)))[0][:4] + 10
    assert intrinsic_dimension(turned) == pytest.approx(intrinsic_dimension(inside), rel=1e-6)
    assert intrinsic_dimension(turned) == pytest.approx(4, abs=0.4)


@pytest.mark.parametrize(("k1", "k2"), [(4, 9), (2, 2)])
def test_formula_written_out(k1, k2):
    X = np.random.default_rng(2).normal(size=(80, 5))
    T = np.sort(cdist(X, X), axis=1)[:, 1:]
    by_k = []
    for k in range(k1, k2 + 1):
        estimates = np.array([1 / np.mean([np.log(row[k - 1] / row[j]) for j in range(k - 1)]) for row in T])
        by_k.append(estimates.mean())
    assert intrinsic_dimension(X, k1=k1, k2=k2) == pytest.approx(np.mean(by_k))


def test_scale_shift_order_and_repeated_points_change_nothing():
    X = np.random.default_rng(4).normal(size=(200, 3))
    expected = intrinsic_dimension(X)
    assert intrinsic_dimension(1e-6 * X[::-1] + 5) == pytest.approx(expected, rel=1e-6)
    assert intrinsic_dimension(np.vstack([X, X[:150], X[:20]])) == pytest.approx(expected)


@pytest.mark.parametrize("unit", [2.0**-560, 2.0**660])
def test_the_unit_does_not_count(unit):
    X = np.random.default_rng(0).normal(size=(60, 3))
    assert intrinsic_dimension(X * unit) == pytest.approx(intrinsic_dimension(X))


def test_bad_input_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(ValueError, match="at least 21 distinct points, found 20"):
        intrinsic_dimension(np.vstack([X[:20], X[:15]]))
    with pytest.raises(ValueError, match="found k1 = 1, k2 = 20"):
        intrinsic_dimension(X, k1=1)
    with pytest.raises(ValueError, match="found k1 = 20, k2 = 10"):
        intrinsic_dimension(X, k1=20, k2=10)
    with pytest.raises(ValueError, match="NaN"):
        intrinsic_dimension(X * np.nan)
    with pytest.raises(ValueError, match=r"table .* found shape \(30,\)"):
        intrinsic_dimension(X[:, 0])
    # Corners of a simplex: every point is as far from every other one.
    with pytest.raises(ValueError, match="try a larger k1"):
        intrinsic_dimension(np.eye(30))


def dimension_of_genes(n, dimension, n_neighbors):
    """The row that the experiment writes on training samples of a known dimension, and those samples."""
    rng = np.random.default_rng(n)
    training = rng.normal(size=(n, dimension)) @ np.linalg.qr(rng.normal(size=(50, 50)))[0][:dimension]
    # Test samples lie on a line.
    test = rng.normal(size=(40, 1)) * np.ones(50)
    truth = np.arange(n) % 2 == 1, np.arange(40) % 2 == 1
    genes = PreparedGenes(training, test, *truth, np.arange(50).astype(str), ("a", "b"), ())
    metrics = Metrics("intrinsic_dimension", "planted", "simulated", CONDITIONS)
    score_genes(metrics, genes, n_neighbors)
    return metrics.table(), training


def test_dimension_of_genes_is_that_of_the_training_samples():
    table, _ = dimension_of_genes(800, 4, [10, 20])
    row = table.iloc[0].to_dict()
    assert len(table) == 1
    assert (row["space"], row["method"], row["metric"]) == ("genes", "levina_bickel", "intrinsic_dimension")
    assert row["value"] == pytest.approx(4, abs=0.5)
    assert table[["noise", "inhomogeneity", "slice"]].isna().all(axis=None)


def test_few_samples_take_fewer_neighbours():
    table, training = dimension_of_genes(16, 4, [10, 20])
    assert table["value"].item() == pytest.approx(intrinsic_dimension(training, k1=10, k2=14))
    with pytest.raises(ValueError, match="10 neighbours need at least 12 training samples, found 11"):
        dimension_of_genes(11, 4, [10, 20])

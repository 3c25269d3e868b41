"""What callers hand over: real numbers are taken as they are, all else is refused by name, and no unit is too large."""

import consensus_embedding as library
import numpy as np
import pandas as pd
import pytest
from consensus_embedding.utils.labels import label_array
from consensus_embedding.utils.numbers import as_array, booleans, real_numbers, unusual_exponents, with_squares
from replication.data.domains.gene_preparation import t_statistics
from replication.data.domains.peak_integration import z_scores
from scipy.sparse import csr_array

RNG = np.random.default_rng(5)
TRUTH = np.arange(20) % 2 == 1
X = RNG.normal(size=(20, 4)) + TRUTH[:, None]
D = np.abs(X[:, :1] - X[:, 0])
MASKED = np.ma.masked_array(X, mask=X > 1.0)


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], np.float32([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]], object)])
def test_numbers_of_any_kind_become_float64(values):
    array = real_numbers(values, "X")
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, [[1.0, 2.0], [3.0, 4.0]])
    assert real_numbers(array, "X") is array


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (X + 1j, "must contain real numbers, found complex128"),
        (np.full((3, 2), np.datetime64("2020-01-01")), "must contain real numbers, found datetime64"),
        (np.full((3, 2), "1"), "must contain real numbers, found <U1"),
        ([[1.0, "x"]], "must contain real numbers"),
        ({"a": 1}, "must contain real numbers, found dict"),
        ([[1.0], [1.0, 2.0]], "must be an array, found list with rows that differ"),
        (csr_array(X), "must be a dense array, found a sparse one"),
        (MASKED, "must not have masked entries"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(values, found):
    with pytest.raises(ValueError, match=f"X {found}"):
        real_numbers(values, "X")


def test_labels_may_be_anything_but_ragged():
    assert as_array(["a", "b"], "Labels").tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="Labels must be an array, found list with rows that differ"):
        as_array([["a"], ["a", "b"]], "Labels")


def test_names_are_kept_apart_from_what_is_no_name():
    mixed = ["a", -1, np.nan, None]
    assert label_array(mixed).tolist() == mixed
    assert label_array([["a", -1]]).tolist() == [["a", -1]]
    assert label_array(["a", "b"]).dtype.kind == "U"
    names = np.array(["a", "-1"])
    assert label_array(names) is names


def test_exponents_of_unusual_sizes_alone():
    sizes = np.array([0.0, 1e-3, 0.9, 1e3, 1e-200, 3e200])
    exponents = unusual_exponents(sizes, 1e-9, 1e9)
    assert exponents[:4].tolist() == [0, 0, 0, 0]
    found = np.ldexp(sizes, -exponents)[4:]
    assert ((found >= 0.5) & (found < 1)).all()


# Each takes labels of 20 samples.
LABELLED = {
    "FeatureImportanceInEmbeddings": lambda y: library.FeatureImportanceInEmbeddings(2).fit(X, y),
    "ConsensusEmbedding": lambda y: library.ConsensusEmbedding(2, strength="clustering_accuracy").fit(X, y),
    "class_triplet_accuracy": lambda y: library.class_triplet_accuracy(y, D),
    "clustering_accuracy": lambda y: library.clustering_accuracy(y, TRUTH),
    "r_squared_index": lambda y: library.r_squared_index(X, y),
    "t_scores": lambda y: library.t_scores(X, y),
    "vip_scores": lambda y: library.vip_scores(X[:, :2], X[:, :2].T @ X, y),
}


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT])
@pytest.mark.parametrize("name", LABELLED)
def test_a_missing_label_is_no_class(name, missing):
    with pytest.raises(ValueError, match=r"NaN or None for 10 of 20 objects, .* number 1"):
        LABELLED[name](["a", missing] * 10)


@pytest.mark.parametrize(
    "values", [[0, 1, 1], [0.0, 1.0, 1.0], np.array([False, True, True]), np.array([0, 1, 1], "O")]
)
def test_zeros_and_ones_become_booleans(values):
    array = booleans(values, "truth")
    assert array.dtype == bool
    assert array.tolist() == [False, True, True]


# Each takes what says yes or no of 20 objects.
ANSWERS = {
    "relevant": lambda relevant: library.precision_recall_areas(D[:1], np.array(relevant)[None]),
    "positive": lambda positive: t_statistics(X, positive),
    "truth": lambda truth: library.clustering_accuracy(TRUTH.astype(int), truth),
    "train_positive": lambda positive: library.knn_ensemble(X, positive, X, [[0, 1]]),
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 0, -1, -1] * 5, "-1, -1, -1, -1, -1"),
        ([0, 1, 1, np.nan] * 5, "nan, nan, nan, nan, nan"),
        (["no", "yes"] * 10, "'no', 'yes', 'no', 'yes', 'no'"),
        ([*TRUTH[:-1], 2], "2"),
        (np.array([*TRUTH[:-1], None]), "None"),
        (pd.Series([*TRUTH[:-1], None], dtype="boolean"), "<NA>"),
    ],
)
def test_only_zeros_and_ones_are_taken_for_booleans(name, values, found):
    ANSWERS[name](TRUTH)
    with pytest.raises(ValueError, match=rf"{name} must contain 0 and 1 \(or booleans\), found \[{found}\]; make it"):
        ANSWERS[name](values)


@pytest.mark.parametrize("function", [library.t_scores, library.fisher_scores, library.gini_scores])
@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1e200])
def test_scores_of_features_do_not_depend_on_their_unit(function, unit):
    """Also if only one feature has that unit; the last digits of 1e-310 are gone."""
    for units in (np.full(4, unit), np.array([1.0, 1.0, unit, 1.0])):
        np.testing.assert_allclose(function(X * units, TRUTH), function(X, TRUTH), rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-200, 1e160, 1e300])
def test_shares_do_not_depend_on_the_unit(unit):
    clusters = TRUTH.astype(int)
    np.testing.assert_allclose(library.r_squared_index(X * unit, clusters), library.r_squared_index(X, clusters))
    np.testing.assert_allclose(library.fine_scores(X[:, :2] * unit, X, TRUTH), library.fine_scores(X[:, :2], X, TRUTH))
    np.testing.assert_allclose(library.fine_scores(X[:, :2], X * unit, TRUTH), library.fine_scores(X[:, :2], X, TRUTH))
    np.testing.assert_allclose(z_scores(X * unit, (X + 1) * unit), z_scores(X, X + 1))


def test_squares_of_what_is_rescaled_are_numbers():
    for unit in (5e-324, 1e-200, 1.0, 1e300):
        squares = np.square(with_squares(X * unit))
        assert np.isfinite(squares).all()
        assert squares.max() > 0
    assert with_squares(X) is X
    stack = np.array([X * 1e-200, X, X * 1e200])
    found = with_squares(stack, axis=(1, 2))
    assert np.array_equal(found[1], X)
    assert np.allclose(np.abs(found).max(axis=(1, 2))[[0, 2]], 0.75, atol=0.25)
    for untouched in (np.float32(X * 1e37), np.empty((0, 3)), np.empty((2, 3, 0))):
        assert with_squares(untouched, axis=0) is untouched
    assert with_squares(np.zeros((2, 2))).max() == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: library.nearest_items(X * 1e200, X, 2), "Distances overflow"),
        (lambda: library.embedding_distances([np.sign(X - 1) * 1e308, X]), "Distances overflow"),
        (lambda: library.BarnesHutTSNE(perplexity=5).fit_transform(np.sign(X - 1) * 1e308), "Differences overflow"),
        (lambda: t_statistics(np.where(X > 1, np.inf, X), TRUTH), "Values contain infinity"),
        (lambda: t_statistics(X[:-1], TRUTH), "a class for each of its samples"),
        (lambda: library.half_sample_mode(np.where(X > 1, np.nan, X)), "which have no mode"),
        (lambda: library.embed_subsets(X, np.array([[0, 4]]), n_components=1), "features from 0 to 3"),
        (lambda: library.embed_subsets(X, np.array([[0, 1]]), embedder=3), "embedder must be a name, an estimator"),
        (lambda: library.MedianConsensusEmbedding(()).fit(X), "an estimator with fit_transform"),
        (lambda: library.ConsensusEmbedding(embedder_options=1.5).fit(X), "embedder_options of ConsensusEmbedding"),
        (lambda: library.KernelEmbedding(n_components=True).fit(X), "n_components of KernelEmbedding must be"),
        (lambda: library.mean_jaccard(None), "Subsets must be a table of integers"),
        (lambda: library.r_squared_index(X, np.full(20, np.nan)), "Labels contain NaN or None"),
        (lambda: library.fisher_scores(X, np.array([1, "b"] * 10, object)), "Labels must be of one kind"),
        (lambda: library.combine_embeddings(None), "a list of embeddings, found NoneType"),
        (lambda: library.nystroem_extension(D, np.full((20, 1), np.nan), [0.5]), "contain NaN or infinity"),
        (lambda: library.approximation_error(D, D.T[:3], {}), "must contain real numbers, found dict"),
    ],
)
def test_what_has_no_result_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""CreateEmbed, SelEmbed, CalcConsEmbed and the estimator that joins them."""

import numpy as np
import pytest
from consensus_embedding import (
    ConsensusEmbedding,
    combine_embeddings,
    embed_subsets,
    feature_subsets,
    select_embeddings,
)
from consensus_embedding.clustering.clustering import clustering_accuracy, replicated_kmeans
from consensus_embedding.consensus import subset_embeddings
from consensus_embedding.consensus.pairwise import pairwise_consensus
from consensus_embedding.consensus.subset_embeddings import NORMALIZATIONS, THETA_READINGS, DistancesOfEmbeddings
from consensus_embedding.manifold.distance_matrices import distance_block
from refusals import refusals
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils import check_random_state


@pytest.fixture
def two_classes():
    """60 objects of two classes that differ in 4 of 8 features."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 8))
    X[:, :4] += 6.0 * labels[:, None]
    return X, labels


@pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 8, 100, 101])
def test_the_median_of_a_pair_is_numpys_to_the_last_bit(m):
    rng = np.random.default_rng(m)
    smooth, tied = rng.normal(size=(m, 23, 3)), np.round(rng.normal(size=(m, 23, 3)))
    outlier = smooth * np.where(np.arange(m) == 0, 1e9, 1.0)[:, None, None]
    for embeddings in (smooth, tied, outlier, np.zeros((m, 5, 2))):
        n = embeddings.shape[1]
        block = distance_block(embeddings, 0, n * (n - 1) // 2)
        np.testing.assert_array_equal(pairwise_consensus(embeddings, "median"), np.median(block, axis=0))


def test_every_feature_is_in_a_subset_even_if_there_is_just_room():
    for n_features, n_subsets, size in ((14, 100, 4), (14, 4, 4), (9, 3, 3), (5, 1, 5), (300, 11, 30)):
        subsets = feature_subsets(n_features, n_subsets, size, seed=1)
        assert subsets.shape == (n_subsets, size)
        assert set(subsets.ravel()) == set(range(n_features))
        assert all(len(set(row)) == size for row in subsets.tolist())
    assert np.array_equal(feature_subsets(14, 50, 4, seed=2), feature_subsets(14, 50, 4, seed=2))
    assert not np.array_equal(feature_subsets(14, 50, 4, seed=2), feature_subsets(14, 50, 4, seed=3))


TABLE, SUBSETS = np.random.default_rng(0).normal(size=(30, 8)), np.array([[0, 1], [4, 5]])
# Most of its distances are 0.
PLACES = np.concatenate([np.zeros((20, 2)), np.random.default_rng(0).normal(size=(4, 2))])


test_impossible_steps_are_refused = refusals(
    (lambda: feature_subsets(14, 0, 4), "M must be at least 1, found 0"),
    (lambda: feature_subsets(14, 10, 15), "N = 14, found 15"),
    (lambda: feature_subsets(14, 10, 0), "found 0"),
    (lambda: feature_subsets(14, 3, 4), "3 subsets of 4 .* 14 features; expected M of at least 4"),
    (lambda: embed_subsets(TABLE, SUBSETS, embedder="tsne"), "embedder .* found 'tsne'"),
    (lambda: embed_subsets(TABLE, SUBSETS.astype(float)), r"integers, .* found shape \(2, 2\), float64"),
    (lambda: embed_subsets(TABLE, [[0, 1], [2, 3, 4]]), "subsets .* rows that differ"),
    (lambda: embed_subsets(TABLE, [0, 1]), r"found shape \(2,\)"),
    (lambda: combine_embeddings(TABLE[None], n_components=0), r"n_components .* of at least 1, found 0"),
    (lambda: combine_embeddings(TABLE[None], normalization="sum"), "normalization .* found 'sum'"),
    (lambda: combine_embeddings(TABLE[None] * 1e200, normalization="none"), "overflow"),
    (lambda: select_embeddings([0.5], reading="top"), "reading .* found 'top'"),
    (lambda: select_embeddings([0.6, 0.7], 0.0, reading="strongest"), "theta must be above 0 .* found 0.0"),
    (lambda: select_embeddings([0.6, 0.7], 0.0, reading="within"), "theta must be above 0 .* found 0.0"),
    (lambda: select_embeddings([0.5, 0.5], reading="chance_corrected", chance=0.5), r"None is above 0\.5"),
    (lambda: select_embeddings([0.5, 0.8], 1.0), r"0\.8 \(theta = 1\); the largest strength is 0\.8\. Lower"),
    (lambda: select_embeddings([0.0, 0.0], 0.15), r"largest strength is 0\. None is above 0"),
    (lambda: select_embeddings([-0.5, -0.1], 0.15), r"largest strength is -0\.1\. None is above 0"),
    (lambda: select_embeddings([], 0.15), "M >= 1"),
)


def test_base_embeddings_see_their_features_only(two_classes):
    X, _ = two_classes
    subsets = np.array([[0, 1], [4, 5]])
    embeddings = embed_subsets(X, subsets, n_components=2, embedder="pca")
    for subset, embedding in zip(subsets, embeddings, strict=True):
        np.testing.assert_allclose(pdist(embedding), pdist(X[:, subset]), atol=1e-10)
    by_estimator = embed_subsets(X, subsets, n_components=2, embedder=PCA())
    np.testing.assert_allclose(pdist(by_estimator[0]), pdist(embeddings[0]), atol=1e-10)
    again = embed_subsets(X, subsets, n_components=2, n_jobs=2)
    assert np.array_equal(again, embed_subsets(X, subsets, n_components=2))


class RandomEmbedding(TransformerMixin, BaseEstimator):
    """As many random numbers as asked for, whatever X."""

    def __init__(self, n_components=2, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def fit_transform(self, X, y=None):
        return check_random_state(self.random_state).normal(size=(len(X), self.n_components))


def test_random_base_embeddings_follow_from_the_seed(two_classes):
    X, _ = two_classes
    subsets = feature_subsets(8, 6, 3)
    first, again, other = (
        embed_subsets(X, subsets, embedder=RandomEmbedding(), n_jobs=n_jobs, seed=seed)
        for n_jobs, seed in ((1, 4), (3, 4), (1, 5))
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len(np.unique(first[:, 0, 0])) == 6
    given = embed_subsets(X, subsets, embedder=RandomEmbedding(random_state=3), seed=4)
    assert np.array_equal(given[0], RandomEmbedding(3, random_state=3).fit_transform(X))
    assert np.array_equal(given, embed_subsets(X, subsets, embedder=RandomEmbedding(), options={"random_state": 3}))


def test_random_base_embeddings_follow_from_the_random_state_of_the_estimator(two_classes):
    options = {"embedder": RandomEmbedding(), "n_embeddings": 5, "theta": 0.0}
    one, same, threads, other = (
        ConsensusEmbedding(**options, n_jobs=n_jobs, random_state=seed).fit(two_classes[0]).embeddings_
        for n_jobs, seed in ((1, 0), (1, 0), (2, 0), (1, 1))
    )
    assert np.array_equal(one, same)
    assert np.array_equal(one, threads)
    assert not np.array_equal(one, other)


def test_strong_is_above_the_threshold():
    strengths = np.array([0.5, 0.9, 1.0, 0.6])
    assert select_embeddings(strengths, 0.9).tolist() == [2]
    assert select_embeddings(strengths, 0.15).tolist() == [0, 1, 2, 3]
    assert select_embeddings(strengths, 0.55, reading="absolute").tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("reading", "theta", "chance", "first_chosen"),
    [
        # Above 0.15 x 0.8 = 0.12: all. That is the paper's rule, and why other readings of it are looked at.
        ("literal", 0.15, 0.5, 0),
        ("within", 0.15, 0.5, 5),  # above 0.85 x 0.8 = 0.68
        # A tenth of ten embeddings is one; 15 % of ten are 1.5, rounded up to two.
        ("strongest", 0.1, 0.5, 9),
        ("strongest", 0.15, 0.5, 8),
        ("strongest", 0.4, 0.5, 6),
        ("chance_corrected", 0.15, 0.5, 2),  # above 0.5 + 0.15 x 0.3 = 0.545
        ("chance_corrected", 0.15, 0.0, 0),  # with chance at 0 it is the literal reading
    ],
)
def test_theta_by_its_readings(reading, theta, chance, first_chosen):
    strengths = [0.50, 0.54, 0.55, 0.60, 0.65, 0.69, 0.74, 0.75, 0.77, 0.80]
    chosen = select_embeddings(strengths, theta, reading=reading, chance=chance)
    assert chosen.tolist() == list(range(first_chosen, 10))


def test_a_share_of_the_embeddings_is_at_most_one(monkeypatch):
    message = "theta must be .* at most 1 .* found 1.5"
    with pytest.raises(ValueError, match=message):
        select_embeddings([0.1, 0.2], 1.5, reading="strongest")
    with pytest.raises(ValueError, match=message):
        select_embeddings([0.1, 0.2], 1.5, reading="within")
    for reading in THETA_READINGS:
        with pytest.raises(ValueError, match=r"theta must be .* found -0\.5"):
            select_embeddings([0.5, 0.6, 0.7, 0.8], -0.5, reading=reading)
    assert select_embeddings([0.1, 0.2], 1.0, reading="strongest").tolist() == [0, 1]
    # Before any embedding is computed.
    monkeypatch.setattr("consensus_embedding.consensus.consensus_embedding.embed_subsets", None)
    with pytest.raises(ValueError, match=message):
        ConsensusEmbedding(theta=1.5, theta_reading="strongest").fit(np.random.default_rng(0).normal(size=(20, 4)))


def test_the_strongest_share_keeps_ties_and_is_rounded_up():
    # 15 % of 20 are exactly 3, not 4 by the rounding of 0.15.
    assert len(select_embeddings(np.linspace(0.5, 0.9, 20), 0.15, reading="strongest")) == 3
    assert select_embeddings([0.5, 0.9, 0.7], 1e-11, reading="strongest").tolist() == [1]
    assert select_embeddings([0.6, 0.7, 0.7, 0.7, 0.5], 0.2, reading="strongest").tolist() == [1, 2, 3]
    assert select_embeddings([0.6, 0.6, 0.6], 0.15, reading="strongest").tolist() == [0, 1, 2]


@pytest.mark.parametrize("reading", ["within", "strongest", "chance_corrected"])
def test_the_estimator_selects_by_the_reading_it_is_given(two_classes, reading):
    X, y = two_classes
    options = {"n_embeddings": 12, "subset_size": 2, "strength": "clustering_accuracy", "random_state": 0}
    model = ConsensusEmbedding(theta=0.15, theta_reading=reading, **options).fit(X, y)
    expected = select_embeddings(model.strengths_, 0.15, reading=reading, chance=0.5)
    assert model.selected_.tolist() == expected.tolist()


@pytest.mark.parametrize("normalization", ["max", "mean", "median"])
def test_normalised_distances_do_not_know_the_size_of_an_embedding(two_classes, normalization):
    X, _ = two_classes
    embeddings = [X[:, :3], X[:, 2:5], X[:, 5:8]]
    scaled = [5.0 * X[:, :3], 0.01 * X[:, 2:5], X[:, 5:8]]
    first, second = (combine_embeddings(e, normalization=normalization) for e in (embeddings, scaled))
    np.testing.assert_allclose(first.distances, second.distances, rtol=1e-10)
    reduce = {"max": np.max, "mean": np.mean, "median": np.median}[normalization]
    expected = np.median([pdist(e) / reduce(pdist(e)) for e in embeddings], axis=0)
    np.testing.assert_allclose(first.distances, expected, rtol=1e-10)
    for unit in (1e-310, 1e-170, 1e160, 1e300):
        scaled[1] = unit * X[:, 2:5]
        found = combine_embeddings(scaled, normalization=normalization)
        np.testing.assert_allclose(found.distances, first.distances, rtol=1e-10)


def test_the_median_of_many_coinciding_points_is_that_of_the_positive_distances():
    apart = pdist(PLACES)
    assert np.median(apart) == 0
    found = combine_embeddings([1e6 * PLACES, PLACES[:, ::-1]], normalization="median", estimator="mean").distances
    np.testing.assert_allclose(found, apart / np.median(apart[apart > 0]), rtol=1e-9)
    assert not combine_embeddings([np.ones((9, 2))], normalization="median").distances.any()


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(("dtype", "shared_up_to"), [(np.float32, 10**6), (np.float64, 10**6), (np.float64, 10)])
def test_selections_of_shared_distances_are_the_same_to_the_last_bit(normalization, dtype, shared_up_to, monkeypatch):
    monkeypatch.setattr(subset_embeddings, "_MOST_SHARED", shared_up_to)
    # More pairs than one block of them, and an embedding without a size.
    embeddings = np.random.default_rng(4).normal(size=(6, 140, 3)).astype(dtype)
    embeddings[2] = 0.5
    options = {"n_components": 2, "normalization": normalization}
    shared = DistancesOfEmbeddings(embeddings, **options)
    for chosen in ([0, 1, 2, 3, 4, 5], [5, 0, 3], [4], [3, 0, 5]):
        for estimator in ("median", "mean"):
            found = shared.combine(np.array(chosen), estimator)
            expected = combine_embeddings(embeddings[chosen], estimator=estimator, **options)
            assert np.array_equal(found.distances, expected.distances)
            assert np.array_equal(found.embedding, expected.embedding)


def test_ranks_and_raw_distances(two_classes):
    X, _ = two_classes
    embeddings = [X[:, :3], X[:, 2:5]]
    raw = combine_embeddings(embeddings, normalization="none", estimator="mean").distances
    np.testing.assert_allclose(raw, (pdist(embeddings[0]) + pdist(embeddings[1])) / 2)
    bent = combine_embeddings([embeddings[0]], normalization="rank").distances
    assert bent.max() == 1.0
    assert np.array_equal(np.argsort(bent), np.argsort(pdist(embeddings[0])))


def test_selection_with_labels_recovers_planted_classes(two_classes):
    X, labels = two_classes
    model = ConsensusEmbedding(n_embeddings=30, subset_size=2, **ACCURACY, theta=0.9, random_state=0)
    embedding = model.fit_transform(X, labels)
    assert clustering_accuracy(replicated_kmeans(embedding, 2), labels) == 1.0
    assert 1 <= len(model.selected_) < 30
    assert ((model.strengths_ >= 0.5) & (model.strengths_ <= 1.0)).all()
    # Every strong subset holds a feature in which the classes differ.
    assert (model.subsets_[model.selected_] < 4).any(axis=1).all()


@pytest.mark.parametrize("names", [[0.5, 1.5], [False, True], ["a", "b"], [-1, 1]])
@pytest.mark.parametrize("dtype", [None, object])
def test_two_classes_of_any_name(two_classes, names, dtype):
    X, labels = two_classes
    model = ConsensusEmbedding(n_embeddings=6, strength="clustering_accuracy", random_state=0)
    expected = model.fit_transform(X, labels)
    assert np.array_equal(model.fit_transform(X, np.array(names, dtype=dtype)[labels]), expected)


@pytest.mark.parametrize(("n_features", "size"), [(3, 3), (4, 3), (8, 3), (36, 6)])
def test_subsets_hold_as_many_features_as_principal_components_are_wanted(n_features, size):
    X = np.random.default_rng(0).normal(size=(30, n_features))
    model = ConsensusEmbedding(embedder="pca", n_embeddings=12, random_state=0).fit(X)
    assert model.subsets_.shape[1] == size
    graph = ConsensusEmbedding(n_embeddings=12, random_state=0).fit(X)
    assert graph.subsets_.shape[1] == round(n_features**0.5)


@pytest.mark.parametrize("subsampling", ["mean_shift", "k_means", "random"])
@pytest.mark.parametrize("max_objects", [2, 3])
def test_too_few_objects_after_subsampling_are_refused(two_classes, subsampling, max_objects):
    X, _ = two_classes
    model = ConsensusEmbedding(subsampling=subsampling, max_objects=max_objects, random_state=0)
    with pytest.raises(ValueError, match=f"at least 4 objects, found .* max_objects = {max_objects}; raise max_obj"):
        model.fit(X)
    with pytest.raises(ValueError, match=r"at least 4 objects, found 3 .*; X has 3 distinct rows only"):
        model.set_params(max_objects=300).fit(np.repeat(X[:3], 20, axis=0))
    if max_objects == 3 and subsampling != "mean_shift":
        assert model.set_params(n_components=2, max_objects=3).fit(X).embedding_.shape == (60, 2)


@pytest.mark.parametrize("subsampling", [None, "mean_shift", "mean_shift_gaussian", "k_means", "random"])
def test_the_result_depends_on_nothing_but_the_data_and_the_seed(two_classes, subsampling):
    X, _labels = two_classes
    options = {"n_embeddings": 12, "subset_size": 3, "subsampling": subsampling, "max_objects": 40}
    first = ConsensusEmbedding(**options, random_state=1).fit(X)
    second = ConsensusEmbedding(**options, random_state=1, n_jobs=2).fit(X)
    assert np.array_equal(first.embedding_, second.embedding_)
    assert first.embedding_.shape == (60, 3)
    if subsampling:
        assert len(first.object_embedding_) <= 40
        assert np.array_equal(first.objects_.to_pixels(first.object_embedding_), first.embedding_)


def test_the_order_of_features_and_objects_and_a_turned_embedding_do_not_matter(two_classes):
    X, _ = two_classes
    subsets = feature_subsets(8, 10, 3, seed=0)
    embeddings = embed_subsets(X, subsets)
    features, objects = np.random.default_rng(0).permutation(8), np.random.default_rng(1).permutation(60)
    turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))
    others = (
        embed_subsets(X[:, features], np.argsort(features)[subsets]),
        embed_subsets(X[objects], subsets)[:, np.argsort(objects)],
        embeddings @ turn,
    )
    for other in others:
        expected = combine_embeddings(embeddings).distances
        np.testing.assert_allclose(combine_embeddings(other).distances, expected, atol=1e-6)


ACCURACY = {"strength": "clustering_accuracy"}


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        (ACCURACY, None, "needs labels y"),
        (ACCURACY, np.zeros(60), "two classes, found 1"),
        (ACCURACY, np.arange(60) % 3, r'found 3 .* such as y == 0, or pass strength="r_squared"'),
        (ACCURACY, [0.0, 1.0, np.nan] * 20, "NaN or None for 20 of 60 objects"),
        (ACCURACY, ["a", -1] * 30, "Labels must be of one kind"),
        ({"subset_size": 9}, None, "N = 8, found 9"),
        ({"embedder": "pca", "subset_size": 2}, None, "3 is above subset_size = 2, of 8 features; raise subset_size"),
        ({"embedder": "pca", "n_components": 9}, None, "9 is above subset_size = 8, of 8 .* lower n_components"),
        ({"theta": 1.0}, None, "No embedding is stronger"),
        ({"n_embeddings": 0}, None, "n_embeddings"),
        ({"embedder_options": {"neighbors": 5}}, None, "subset 0 .* unexpected keyword .*'neighbors'"),
    ],
)
def test_bad_input_is_refused(two_classes, options, y, message):
    with pytest.raises(ValueError, match=message):
        ConsensusEmbedding(**{"n_embeddings": 4, **options}).fit(two_classes[0], y)


@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal:RuntimeWarning")
@pytest.mark.parametrize("subsampling", [None, "random"])
@pytest.mark.parametrize("strength", ["r_squared", "clustering_accuracy"])
def test_a_subset_of_constant_features_is_never_strong(two_classes, strength, subsampling):
    X, labels = two_classes
    X[:, 4:] = [3.0, 0.1, 0.0, -7.0]
    model = ConsensusEmbedding(
        n_embeddings=20, subset_size=2, strength=strength, subsampling=subsampling, max_objects=40, random_state=0
    ).fit(X, labels)
    flat = (model.subsets_ >= 4).all(axis=1)
    assert 0 < flat.sum() < 20
    assert np.array_equal(model.strengths_ == 0, flat)
    assert not flat[model.selected_].any()


@pytest.mark.parametrize(("unit", "too_far"), [(1e130, 1e160), (1e-130, 1e-160)])
def test_the_unit_of_the_values_does_not_matter_as_long_as_squares_are_numbers(two_classes, unit, too_far):
    X, _ = two_classes
    model = ConsensusEmbedding(n_embeddings=5, strength="r_squared", theta=0.0, random_state=0)
    expected = model.fit(X).distances_
    np.testing.assert_allclose(model.fit(X * unit).distances_, expected, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match=r"expected between 1e-140 and 1e\+140"):
        model.fit(X * too_far)


def test_a_table_of_many_features_has_enough_objects():
    generator = np.random.default_rng(0)
    X = generator.normal(0, 3, (27, 30))[generator.integers(0, 27, 500)] + generator.normal(size=(500, 30))
    model = ConsensusEmbedding(n_embeddings=12, subsampling="mean_shift", max_objects=60, random_state=0).fit(X)
    assert 30 <= len(model.objects_.sizes) <= 60


def test_kept_consensuses_are_known_by_their_numbers_whatever_the_type():
    distances = DistancesOfEmbeddings(np.random.default_rng(0).normal(size=(3, 12, 2)))
    two, one = (distances.combine(np.array(chosen, kind), "mean") for chosen, kind in (([1, 0], "i4"), ([1], "i8")))
    assert np.abs(two.distances - one.distances).max() > 0.1

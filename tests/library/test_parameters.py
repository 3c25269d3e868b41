"""What the parameters of an estimator may be."""

from types import SimpleNamespace

import consensus_embedding as library
import numpy as np
import pytest
from consensus_embedding import GraphEmbedding
from consensus_embedding.utils.parallel import n_threads
from consensus_embedding.utils.parameters import (
    COUNT,
    JOBS,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Range,
    check_parameters,
    checked_arguments,
)
from refusals import refusals


def is_allowed(value, *options):
    try:
        check_parameters(SimpleNamespace(a=value), {"a": options})
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("option", "inside", "outside"),
    [
        (COUNT, [1, 7, np.int32(3)], [0, -1, 1.0, np.float64(2), "1", None]),
        (JOBS[1], [-1, np.int64(-1)], [-2, 0, -1.0, None]),
        (POSITIVE, [1e-300, 1, 2.5, np.float32(0.5)], [0, 0.0, -1.0, np.inf, np.nan, 1j, "1", None]),
        (NOT_NEGATIVE, [0, 0.0, 3], [-1e-9, np.inf, np.nan]),
        (Range(float, 0, 1), [0.0, 1.0], [1.1, -0.1]),
        ({"rows", "none"}, ["rows"], ["row", "", None, ["rows"], 1]),
        (None, [None], [0, False, "None"]),
        (tuple, [(), (1, 2)], [[1, 2], None]),
    ],
)
def test_what_is_allowed(option, inside, outside):
    assert all(is_allowed(value, option) for value in inside)
    assert not any(is_allowed(value, option) for value in outside)


def test_one_of_several_options_is_enough():
    assert is_allowed("sqrt", COUNT, {"sqrt"})
    assert is_allowed(3, COUNT, {"sqrt"})
    assert not is_allowed(0, COUNT, {"sqrt"})


def test_a_random_state_is_what_numpy_takes():
    for value in (None, 0, 2**32 - 1, np.random.RandomState(0)):
        assert is_allowed(value, *RANDOM_STATE)
    for value in (-1, 2**32, 0.5, "0", np.random.default_rng(0)):
        assert not is_allowed(value, *RANDOM_STATE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components of GraphEmbedding must be an integer of at least 1, found 0"),
        ({"radius": -1}, "radius of GraphEmbedding must be a finite number above 0 or None, found -1"),
        ({"self_affinity": 2}, "at least 0 and at most 1, found 2"),
        ({"scaling": "row"}, r"\['diffusion', 'eigenvalue', 'none', 'rows'\], found 'row'"),
    ],
)
def test_the_message_names_estimator_and_parameter_expected_and_found(options, message):
    with pytest.raises(ValueError, match=message):
        GraphEmbedding(**options).fit(np.eye(5))


@checked_arguments
def of_plain_arguments(
    count: "int" = 1, share: "float" = 0.5, name: "str | None" = None, twice: "bool" = False
) -> dict:
    return {"count": count, "share": share, "name": name, "twice": twice}


@pytest.mark.parametrize(
    "good",
    [{}, {"count": np.int32(-3)}, {"share": 1}, {"share": np.inf}, {"name": "a"}, {"name": None}, {"twice": np.True_}],
)
def test_arguments_of_the_annotated_types_pass_as_they_are(good):
    assert of_plain_arguments(**good) == {"count": 1, "share": 0.5, "name": None, "twice": False} | good


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("count", value, f"an integer, found {value}") for value in (1.0, True, None)]
    + [
        ("share", value, f"a number, found {found}")
        for value, found in ((np.nan, "nan"), (np.zeros(3), "arr"), (1j, "1j"))
    ]
    + [("name", 3, "text or None, found 3"), ("twice", 1, "True or False, found 1")],
)
def test_arguments_of_other_types_are_refused(name, value, message):
    with pytest.raises(ValueError, match=f"{name} of of_plain_arguments must be {message}"):
        of_plain_arguments(**{name: value})


RUNS = np.random.default_rng(0).normal(size=(4, 20, 2))
SAMPLES = np.random.default_rng(1).normal(size=(40, 5))


test_what_the_campaign_found_accepted_or_refused_in_foreign_words = refusals(
    (lambda: library.smacof(np.eye(4), tolerance="small"), "tolerance of smacof .* found 'small'"),
    (lambda: library.classical_mds(np.eye(4), None), "n_components of classical_mds"),
    (lambda: library.feature_subsets(6, 4, 1.5), "subset_size of feature_subsets .* found 1.5"),
    (lambda: library.lle_embeddings(np.eye(9), 5), "list of .* neighbours, found none"),
    (lambda: library.neighborhood_preservation([[1], [-1]], [[1], [0]]), "first: .* integers from 0"),
    (lambda: library.neighborhood_preservation([[1], [0]], [[1.0], [0.0]]), "second: expected indices"),
    (lambda: library.geometric_median([[1.0, 5.0], [0.0, 1.0]]), "Inner products must be symmetric"),
    (lambda: library.geometric_median(-np.eye(3)), "at least 0, found -1"),
    (lambda: library.median_consensus(RUNS, n_jobs=0), "n_jobs of median_consensus .* found 0"),
    (lambda: library.median_consensus(RUNS, max_iter=0), "max_iter of median_consensus .* found 0"),
    (lambda: library.median_consensus(RUNS, tolerance=-1.0), "tolerance of median_consensus .* found -1.0"),
    (lambda: library.median_consensus(RUNS, max_memory_gb=-1), "max_memory_gb of median_consensus .* found -1"),
    (lambda: library.run_embeddings(library.ExactTSNE(), SAMPLES, [0], n_jobs=1.5), "n_jobs .* found 1.5"),
    (lambda: library.smacof(np.eye(4), max_iter=-3), "max_iter of smacof .* found -3"),
    (lambda: library.embedding_distances(RUNS, n_jobs=2.5), "n_jobs of embedding_distances .* found 2.5"),
    (lambda: library.embed_subsets(SAMPLES, [[0, 1]], n_jobs=0), "n_jobs of embed_subsets .* found 0"),
    (lambda: library.embed_subsets(SAMPLES, [[0, 1]], seed=1.5), "seed of embed_subsets .* found 1.5"),
    (lambda: library.choose_embedding(SAMPLES, "pca", n_jobs=1.5), "n_jobs of choose_embedding .* found 1.5"),
    (lambda: library.kuncheva_index([[0, 1], [1, 2]], None), "m of kuncheva_index .* found None"),
    (lambda: library.check_cost(5000, 10, n_at_a_time=-4), "n_at_a_time of check_cost .* found -4"),
    (lambda: library.check_cost(5000, 10, n_features=-3), "n_features of check_cost .* found -3"),
    (lambda: library.choose_embedding(RUNS[0], "pca", n_components=0), "n_components .* found 0"),
    (lambda: library.t_scores(np.array([["1"], ["2"]], dtype=object), [0, 1]), "real numbers, .* with '1'"),
    (lambda: library.t_scores(np.array([[np.datetime64("2020")]] * 2, dtype=object), [0, 1]), "real numbers"),
    (
        lambda: library.knn_ensemble(np.eye(3), [None, "a", 1], np.eye(3), [[0, 1]]),
        r"train_positive .* found \[None, 'a'\]",
    ),
)


@pytest.mark.parametrize("seed", [-1, 2**32, 10**400, 10**5000], ids=["-1", "2^32", "10^400", "10^5000"])
def test_every_seed_has_the_limits_of_one(seed):
    X = np.random.default_rng(0).normal(size=(20, 4))
    asked = (
        lambda: library.consensus_clusters(X, seed=seed),
        lambda: library.feature_subsets(4, 3, 2, seed=seed),
        lambda: library.replicated_kmeans(X, 2, seed=seed),
        lambda: library.ExactTSNE(perplexity=5, random_state=seed).fit(X),
        lambda: library.check_embedding(X, library.ExactTSNE(perplexity=5), random_state=seed),
    )
    for ask in asked:
        with pytest.raises(ValueError, match=r"at least 0 and at most 4294967295.*, found"):
            ask()


@pytest.mark.parametrize(
    "result",
    [
        lambda n: library.median_consensus(RUNS, n_jobs=n).distances,
        lambda n: library.embedding_distances(RUNS, n_jobs=n),
        lambda n: library.check_cost(5000, 10, n_jobs=n).total,
        lambda n: library.embed_subsets(SAMPLES, [[0, 1, 2], [1, 2, 3]], options={"n_neighbors": 5}, n_jobs=n),
        lambda n: library.choose_embedding(SAMPLES, "isomap", n_neighbors=[8, 9], n_jobs=n).residual_variances,
        lambda n: library.check_embedding(embeddings=RUNS, n_neighbors=2, random_state=0, n_jobs=n).points,
        lambda n: library.run_embeddings(library.BarnesHutTSNE(perplexity=2, max_iter=250), RUNS[0], [0, 1], n_jobs=n),
        lambda n: library.MedianConsensusEmbedding(
            library.BarnesHutTSNE(perplexity=2, max_iter=250), n_embeddings=2, random_state=0, n_jobs=n
        ).fit_transform(RUNS[0]),
        lambda n: library.ConsensusLLE(2, n_neighbors=[6, 8], n_jobs=n).fit_transform(SAMPLES),
        lambda n: library.ConsensusEmbedding(n_embeddings=3, subset_size=2, random_state=0, n_jobs=n).fit_transform(
            SAMPLES
        ),
        lambda n: library.FeatureImportanceInEmbeddings(n_jobs=n).fit(SAMPLES, np.arange(len(SAMPLES)) % 2).scores_,
    ],
)
def test_minus_one_is_all_cores(result, monkeypatch):
    monkeypatch.setattr("consensus_embedding.utils.parallel.cpu_count", lambda: 2)
    assert n_threads(-1) == 2
    np.testing.assert_array_equal(result(-1), result(2))

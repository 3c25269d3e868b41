"""Runs of any embedder: the same whatever the number of processes, and a clear word on what cannot be run."""

import numpy as np
import pytest
from consensus_embedding import ExactTSNE, MedianConsensusEmbedding, run_embeddings
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap
from sklearn.random_projection import GaussianRandomProjection

X = np.random.default_rng(0).normal(size=(40, 6))


class Misbehaving(BaseEstimator):
    """Projects at random; `wrong` is done to the result of the seed `bad`."""

    def __init__(self, bad=None, wrong=None, random_state=None):
        self.bad, self.wrong, self.random_state = bad, wrong, random_state

    def fit_transform(self, X):
        result = X @ np.random.RandomState(self.random_state).normal(size=(X.shape[1], 2))
        return self.wrong(result) if self.random_state == self.bad else result


class Plain:
    """Not an estimator of scikit-learn: no get_params."""

    random_state = None

    def fit_transform(self, X):
        return X @ np.random.RandomState(self.random_state).normal(size=(X.shape[1], 2))


def test_a_run_per_seed_in_their_order():
    found = run_embeddings(GaussianRandomProjection(2), X, [5, 3])
    expected = [GaussianRandomProjection(2, random_state=seed).fit_transform(X) for seed in (5, 3)]
    assert np.array_equal(found, expected)


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_number_of_processes():
    one, two = (run_embeddings(GaussianRandomProjection(2), X, range(4), n_jobs=n) for n in (1, 2))
    assert np.array_equal(one, two)


def test_the_embedder_itself_is_left_as_it_was():
    embedder = GaussianRandomProjection(2)
    run_embeddings(embedder, X, [1, 2])
    assert embedder.random_state is None
    assert not hasattr(embedder, "components_")


def test_an_object_with_a_random_state_need_not_be_an_estimator():
    assert np.array_equal(run_embeddings(Plain(), X, [3])[0], X @ np.random.RandomState(3).normal(size=(6, 2)))


@pytest.mark.parametrize("embedder", [Misbehaving(), ExactTSNE(perplexity=5, max_iter=250)])
def test_progress_is_reported_on_request(embedder, capsys):
    run_embeddings(embedder, X, [0, 1], verbose=True)
    assert f"{type(embedder).__name__}: 2 of 2 runs" in capsys.readouterr().err
    run_embeddings(embedder, X, [0, 1])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda result: result * np.nan, "NaN or infinity for 40 of 40 points"),
        (lambda result: result[1:], r"shape \(40, 2\), found \(39, 2\)"),
        (lambda result: result[:, :1], r"shape \(40, 2\), found \(40, 1\)"),
        (lambda result: result.astype(str), "real numbers"),
    ],
)
def test_an_unusable_run_is_named_with_its_seed(wrong, words):
    with pytest.raises(ValueError, match=rf"Run 1 of Misbehaving \(seed 8\) .*{words}"):
        run_embeddings(Misbehaving(8, wrong), X, [7, 8, 9])


@pytest.mark.parametrize(
    ("embedder", "words"),
    [
        (Isomap(), "Isomap has no random_state"),
        (object(), "fit_transform, found <object"),
        (dict, "fit_transform, found <class"),
    ],
)
def test_what_cannot_be_run_with_several_seeds_is_refused(embedder, words):
    for run in (lambda: run_embeddings(embedder, X, [0, 1]), lambda: MedianConsensusEmbedding(embedder).fit(X)):
        with pytest.raises(ValueError, match=words):
            run()


@pytest.mark.parametrize("embedder", [ExactTSNE(), PCA()])
def test_runs_need_a_seed(embedder):
    with pytest.raises(ValueError, match=r"seeds .* found none"):
        run_embeddings(embedder, X, [])

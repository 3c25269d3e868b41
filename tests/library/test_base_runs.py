"""Runs of any embedder: the same whatever the number of processes, and a clear word on what cannot be run."""

import threading
import warnings
from typing import ClassVar

import joblib
import numpy as np
import pytest
from consensus_embedding import ExactTSNE, MedianConsensusEmbedding, check_embedding, run_embeddings
from joblib._parallel_backends import ThreadingBackend
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


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        ([], "found none"),
        (5, r"range\(10\), found 5"),
        ([0.25, 0.5], "found 0.25"),
        ([True], "found True"),
        (["7"], "found '7'"),
        ([-1], "found -1"),
        ([3, 4, 3], "found 3 twice"),
    ],
)
@pytest.mark.parametrize("embedder", [ExactTSNE(), PCA()])
def test_seeds_are_a_list_of_different_integers(embedder, seeds, words):
    """Made whole, all shares between 0 and 1 would be one seed."""
    with pytest.raises(ValueError, match=f"seeds .*{words}"):
        run_embeddings(embedder, X, seeds)


EMBEDDERS = [Misbehaving(), ExactTSNE(perplexity=5, max_iter=250)]


class Cluster(ThreadingBackend):
    """A backend as others register them, which counts its tasks."""

    tasks = 0

    def submit(self, *arguments, **keywords):
        Cluster.tasks += 1
        return super().submit(*arguments, **keywords)


class OneAnswer(Cluster):
    """One that has no results before all are there."""

    supports_return_generator = False


@pytest.fixture(params=[Cluster, OneAnswer])
def cluster(request):
    joblib.register_parallel_backend("cluster", request.param)
    Cluster.tasks = 0
    with joblib.parallel_config(backend="cluster", n_jobs=2):
        yield


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_runs_go_where_parallel_config_says(embedder, cluster):
    found = run_embeddings(embedder, X, range(4))
    # So has the search for neighbours, of scikit-learn.
    assert Cluster.tasks >= 4
    with joblib.parallel_config(backend="sequential"):
        assert found.tobytes() == run_embeddings(embedder, X, range(4)).tobytes()


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_result_does_not_depend_on_the_backend(embedder, backend):
    """Where it sends arrays that are only read, too."""
    expected = run_embeddings(embedder, X, range(4))
    options = {"max_nbytes": 100} if backend == "loky" else {}
    with joblib.parallel_config(backend=backend, n_jobs=2, **options):
        assert run_embeddings(embedder, X, range(4)).tobytes() == expected.tobytes()


class Noting(Misbehaving):
    """Notes in which threads it was run."""

    threads: ClassVar = set()

    def fit_transform(self, X):
        Noting.threads.add(threading.current_thread())
        return super().fit_transform(X)


@pytest.mark.slow
def test_dask_makes_the_runs_of_a_check():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as local,
        distributed.Client(local),
    ):
        for embedder in (Noting(), EMBEDDERS[1]):
            with joblib.parallel_config(backend="dask"):
                found = check_embedding(X, embedder, 4, n_neighbors=5, random_state=0)
            assert threading.main_thread() not in Noting.threads
            expected = check_embedding(X, embedder, 4, n_neighbors=5, random_state=0)
            assert found.embeddings.tobytes() == expected.embeddings.tobytes()
            assert found.points.equals(expected.points)
            Noting.threads.clear()


class Warner(Misbehaving):
    def fit_transform(self, X):
        warnings.warn("by design", UserWarning, stacklevel=1)
        return super().fit_transform(X)


def test_a_warning_of_all_runs_is_given_once():
    with pytest.warns(UserWarning, match="by design") as caught:
        run_embeddings(Warner(), X, range(5))
    assert [str(warning.message) for warning in caught] == ["by design"]


def test_runs_in_threads_leave_warnings_as_they_were():
    before = warnings.showwarning, warnings.filters
    with joblib.parallel_config(backend="threading", n_jobs=4), pytest.warns(UserWarning, match="by design"):
        run_embeddings(Warner(), np.tile(X, (50, 1)), range(16))
    assert (warnings.showwarning, warnings.filters) == before


def test_runs_that_are_equal_draw_a_warning():
    X = np.random.default_rng(0).normal(size=(20, 4))
    for make in (
        lambda: run_embeddings(PCA(2), X, [1, 2, 3]),
        lambda: MedianConsensusEmbedding(PCA(2), n_embeddings=3, random_state=0).fit(X),
    ):
        with pytest.warns(UserWarning, match="3 of 3 runs are equal"):
            make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_embeddings(GaussianRandomProjection(2), X, [1, 2, 3])


class InPlace(BaseEstimator):
    """Centres its table in place, by a draw."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit_transform(self, X):
        X += np.random.RandomState(self.random_state).normal(size=X.shape[1])
        return X[:, :2] - 3.0 * X[:1, :2]


def test_an_embedder_that_works_in_place_changes_no_other_run_and_no_table_of_the_caller():
    X = np.random.default_rng(0).normal(size=(20, 3))
    kept = X.copy()
    runs = run_embeddings(InPlace(), X, [0, 1])
    np.testing.assert_array_equal(X, kept)
    np.testing.assert_array_equal(runs[1], run_embeddings(InPlace(), X, [1])[0])


def test_seeds_may_come_one_by_one():
    X = np.random.default_rng(0).normal(size=(20, 3))
    seeds = (seed for seed in (3, 5))
    np.testing.assert_array_equal(run_embeddings(InPlace(), X, seeds), run_embeddings(InPlace(), X, [3, 5]))

"""C-LLE: the steps of the paper written out with scikit-learn, and the estimator's contract."""

import numpy as np
import pytest
from consensus_embedding import ConsensusEmbedding, ConsensusLLE, FeatureImportanceInEmbeddings, lle_embeddings
from consensus_embedding.consensus.pairwise import combine_values
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from consensus_embedding.utils import progress as waiting
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.preprocessing import scale
from test_modes import plain_half_sample

KS = (6, 8, 9, 12, 15, 20)


@pytest.fixture(scope="module")
def spectra():
    """Three peaks of varied height on 64 points, with noise."""
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 64)
    peaks = np.exp(-np.square((x - np.array([0.3, 0.55, 0.8])[:, None]) / 0.05))
    return rng.random((100, 3)) @ peaks + 0.03 * rng.normal(size=(100, 64))


def plain_c_lle(X, kappas, n_components):
    """Tiwari 2008, Steps 1 to 3, with scikit-learn's LLE: consensus distances and their picture."""
    single = [
        LocallyLinearEmbedding(n_neighbors=kappa, n_components=n_components, eigen_solver="dense").fit_transform(X)
        for kappa in kappas
    ]
    distances = np.array([plain_half_sample(pair) for pair in np.array([pdist(y) for y in single]).T])
    squared = np.square(squareform(distances))
    centring = np.eye(len(X)) - 1.0 / len(X)
    values, vectors = np.linalg.eigh(-0.5 * centring @ squared @ centring)
    return distances, vectors[:, ::-1][:, :n_components] * np.sqrt(values[::-1][:n_components])


@pytest.mark.parametrize("n_components", [2, 4])
def test_the_steps_of_the_paper(spectra, n_components):
    model = ConsensusLLE(n_components, n_neighbors=KS).fit(spectra)
    distances, embedding = plain_c_lle(spectra, KS, n_components)
    assert model.distances_ == pytest.approx(distances, abs=1e-9)
    assert pdist(model.embedding_) == pytest.approx(pdist(embedding), abs=1e-8)
    assert model.kappas_ == KS
    assert model.skipped_ == {}
    assert model.embeddings_.shape == (6, 100, n_components)


@pytest.mark.parametrize("estimator", ["mean", "median", "mode_kernel_density", "mode_histogram"])
def test_other_estimators_combine_the_same_distances(spectra, estimator):
    model = ConsensusLLE(3, n_neighbors=KS, estimator=estimator).fit(spectra)
    distances = np.array([pdist(y) for y in model.embeddings_])
    if estimator in ("mean", "median"):
        expected = getattr(np, estimator)(distances, axis=0)
    else:
        # What the modes are of values is in test_modes.py.
        expected = combine_values(distances, estimator)
    assert model.distances_ == pytest.approx(expected, abs=1e-12)


def test_the_same_to_the_last_bit_on_repeat_and_on_any_number_of_threads(spectra):
    model = ConsensusLLE(4, n_neighbors=range(5, 21))
    first = model.fit_transform(spectra)
    again = clone(model).set_params(n_jobs=3).fit(spectra)
    assert np.array_equal(first, again.embedding_)
    assert np.array_equal(model.distances_, again.distances_)


def test_the_consensus_turns_with_nothing_and_resists_one_odd_embedding(spectra):
    def consensus_of(stack, estimator="mode"):
        return combine_embeddings(stack, estimator=estimator, normalization="none").distances

    stack = lle_embeddings(spectra, KS, 3).embeddings
    expected = consensus_of(stack)
    rotation, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    turned = stack.copy()
    turned[2] = turned[2] @ rotation
    assert consensus_of(turned) == pytest.approx(expected, abs=1e-12)
    odd = stack.copy()
    odd[3] = np.random.default_rng(2).normal(size=(100, 3))
    mode, mean = (np.abs(consensus_of(odd, e) - consensus_of(stack, e)).mean() for e in ("mode", "mean"))
    assert mode < 0.5 * mean


def test_kappas_that_part_the_graph_are_an_error_or_left_out(spectra):
    far = spectra.copy()
    far[:11] += 9.0
    with pytest.raises(ValueError, match=r"8 neighbours .* 89, 11 .* is 11"):
        ConsensusLLE(2, n_neighbors=(8, 12)).fit(far)
    model = ConsensusLLE(2, n_neighbors=(8, 12, 14), on_disconnected="skip").fit(far)
    assert model.kappas_ == (12, 14)
    assert list(model.skipped_) == [8]
    assert np.array_equal(model.embedding_, ConsensusLLE(2, n_neighbors=(12, 14)).fit_transform(far))


@pytest.mark.parametrize(
    ("model", "step", "remedy"),
    [
        (ConsensusLLE(2, n_neighbors=(12, 14)), "consensus", ""),
        (ConsensusEmbedding(n_embeddings=10, random_state=0), "consensus", ""),
        (
            FeatureImportanceInEmbeddings(2, reduction="isomap", n_neighbors=12),
            "1 of 1 numbers of neighbours",
            "choice_samples",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_long_run_is_announced(monkeypatch, capsys, model, step, remedy):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:100], y[:100]
    model.set_params(verbose=True).fit(X, y)
    printed = capsys.readouterr().err
    assert "about 1 s." in printed
    assert step in printed.splitlines()[-1]
    monkeypatch.setattr(waiting, "LONG_RUN", 0.0)
    with pytest.warns(waiting.LongRunWarning, match=remedy):
        model.set_params(verbose=False).fit(X, y)

"""The contract of a consensus and of an embedding: what keeps it passes, what breaks it is refused in clear words."""

from itertools import count

import numpy as np
import pytest
from consensus_embedding import (
    check_base_embedding,
    check_consensus,
    embedding_distances,
    median_consensus,
    procrustes_align,
    validate_embeddings,
)
from consensus_embedding.clustering.clustering import co_association, kmeans_runs
from consensus_embedding.consensus.check_consensus import keeps_unit
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

# Draws without a seed, which never are the same by chance.
DRAWS = count(1)


class Mean(BaseEstimator):
    """The mean distance of each pair: a consensus as short as it can be."""

    def fit(self, embeddings):
        self.distances_ = np.mean([pdist(one) for one in validate_embeddings(embeddings)], axis=0)
        return self


class Median(BaseEstimator):
    """The project's own consensus, with both results."""

    def __init__(self, n_components=2, mds="smacof"):
        self.n_components = n_components
        self.mds = mds

    def fit(self, embeddings):
        found = median_consensus(embeddings, n_components=self.n_components, mds=self.mds)
        self.embedding_, self.distances_ = found.embedding, found.distances
        return self


class Weighted(Mean):
    """A consensus with weights that are drawn."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, embeddings):
        super().fit(embeddings)
        self.distances_ *= np.random.default_rng(self.random_state).uniform(1, 2)
        return self


class Turned(BaseEstimator):
    """The mean of the embeddings, each turned onto the first: of embeddings that differ the first counts."""

    def fit(self, embeddings):
        first, *others = validate_embeddings(embeddings)
        self.embedding_ = np.mean(
            [first - first.mean(axis=0), *(procrustes_align(one, first) for one in others)], axis=0
        )
        return self


def broken(change, least=0):
    """A consensus like Mean; with more than `least` points something is done to it or the embeddings after a fit."""

    class Broken(Mean):
        def fit(self, embeddings):
            super().fit(embeddings)
            if len(embeddings[0]) > least:
                change(self, embeddings)
            return self

    return Broken()


def distances(change, least=0):
    """A consensus whose distances are those of Mean, changed."""
    return broken(lambda self, embeddings: setattr(self, "distances_", change(self.distances_, embeddings)), least)


def embedding(change):
    return broken(lambda self, embeddings: setattr(self, "embedding_", change(embeddings[0])))


def double_the_first(self, embeddings):
    embeddings[0] *= 2


def mean_of_sizes(embeddings):
    return pdist(np.mean([np.abs(one) for one in embeddings], axis=0))


def draw(n):
    return np.random.rand(n)  # noqa: NPY002


class Unreturned(Mean):
    def fit(self, embeddings):
        super().fit(embeddings)


class Computed(Mean):
    def __init__(self, power=2):
        self.half = power / 2


class Remembering(Mean):
    def fit(self, embeddings):
        earlier = getattr(self, "distances_", 0.0)
        super().fit(embeddings)
        self.distances_ = self.distances_ + earlier
        return self


class Rash(Mean):
    def fit(self, embeddings):
        self.distances_ = np.mean([pdist(one) for one in embeddings], axis=0)
        return self


class Ignoring(Weighted):
    """Takes a random_state and draws without it."""

    def fit(self, embeddings):
        Mean.fit(self, embeddings)
        self.distances_ *= next(DRAWS)
        return self


class Reseeding(Mean):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, embeddings):
        super().fit(embeddings)
        self.random_state = 5
        return self


SQUARE = distances(lambda d, embeddings: squareform(d))


class ScaledByNeighbours(Mean):
    """Each point's distances as a share of that to its 30th neighbour."""

    def fit(self, embeddings):
        super().fit(embeddings)
        table = squareform(self.distances_)
        far = np.partition(table, 30)[:, 30]
        self.distances_ = table / np.sqrt(np.outer(far, far))
        return self


@pytest.mark.parametrize(
    ("consensus", "kept"),
    [
        (Mean(), True),
        (Median(), True),
        (SQUARE, True),
        (distances(lambda d, embeddings: d / pdist(embeddings[0]).max()), False),
        # The sum, and principal components of the columns of all runs.
        (distances(lambda d, embeddings: d * len(embeddings)), False),
        (distances(lambda d, embeddings: d * len(embeddings) ** 0.5), False),
    ],
)
def test_the_unit_is_that_of_the_embeddings_if_it_scales_with_them_and_agrees_where_they_do(consensus, kept):
    assert keeps_unit(consensus) is kept


@pytest.mark.parametrize(
    "consensus",
    [Mean(), Median(), Median(n_components=3, mds="classical"), Weighted(), SQUARE, ScaledByNeighbours()],
    ids=repr,
)
def test_what_keeps_the_contract_passes(consensus):
    before = consensus.get_params()
    check_consensus(consensus)
    assert consensus.get_params() == before
    assert not hasattr(consensus, "distances_")


class ClustersInTheOrderOfRows(BaseEstimator):
    """Evidence accumulation whose starts are drawn from the rows as they come."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, embeddings):
        runs = [kmeans_runs(one, round(len(one) ** 0.5), 10, seed=self.seed) for one in validate_embeddings(embeddings)]
        self.distances_ = squareform(1 - co_association(np.concatenate(runs)), checks=False)
        return self


class OneNeighbour(Mean):
    """Of neighbours at one distance only the first counts."""

    def fit(self, embeddings):
        super().fit(embeddings)
        table = squareform(self.distances_) + 1e9 * np.eye(len(embeddings[0]))
        near = np.argsort(table, axis=1, kind="stable")[:, :4]
        graph = np.zeros(table.shape)
        np.put_along_axis(graph, near, 1.0, axis=1)
        self.distances_ = self.distances_ + squareform(graph + graph.T, checks=False)
        return self


class FirstMedoid(Mean):
    """The first of the embeddings that are nearest to the others, as are any two."""

    def fit(self, embeddings):
        stack = validate_embeddings(embeddings)
        self.distances_ = pdist(stack[embedding_distances(stack).sum(axis=1).argmin()])
        return self


class ForgetfulWithMany(Remembering):
    def fit(self, embeddings):
        if len(embeddings[0]) <= 100:
            self.__dict__.pop("distances_", None)
        return super().fit(embeddings)


NUMBERS = "distances_ of Broken must contain real numbers, found "
POINTS, ORDER = "must not depend on the order of the points", "must not depend on the order of the embeddings"
TURNED, GLOBAL = "must not depend on a rotation, reflection or shift", "must not draw from NumPy's global generator"
FAULTS = {
    "wrong shape": (distances(lambda d, e: d[:-1]), r"\(1770,\).* or \(60, 60\), found shape \(1769,\)"),
    "wrong shape of the embedding": (embedding(lambda y: np.zeros((3, 2))), r"\(60, p\).*, found shape \(3, 2\)"),
    "not symmetric": (distances(lambda d, e: np.triu(squareform(d))), "must be symmetric"),
    "mutates its input": (broken(double_the_first), r"Broken.fit must not change its input"),
    "random without random_state": (distances(lambda d, e: d * next(DRAWS)), "Broken .* has no random_state"),
    "ignores its random_state": (Ignoring(), "Ignoring must give the same result for the same random_state"),
    "depends on the order of the embeddings": (distances(lambda d, e: d + pdist(e[0])), ORDER),
    "depends on the rotation": (distances(lambda d, e: pdist(np.mean(e, axis=0))), TURNED),
    "negative": (distances(lambda d, e: -d), "must not be negative, found -"),
    "not finite": (distances(lambda d, e: d * np.inf), "must be finite"),
    "no numbers": (distances(lambda d, e: None), "embedding_ or distances_, found neither"),
    "words": (distances(lambda d, e: "far"), NUMBERS + "<U3"),
    "complex": (distances(lambda d, e: d + 1j), NUMBERS + "complex128"),
    "a complex embedding": (embedding(lambda y: y * 1j), "embedding_ .* real numbers, found complex128"),
    "masked": (distances(lambda d, e: np.ma.masked_less(d, 1)), "masked"),
    "numbers as words": (distances(lambda d, e: d.astype(str)), NUMBERS + "<U32"),
    "no spread": (distances(lambda d, e: 0 * d), "found all distances 0"),
    "no spread of the embedding": (embedding(lambda y: np.full((len(y), 2), 0.1)), "found all 60 at one position"),
    "another triangle": (distances(lambda d, e: squareform(d)[np.tril_indices(len(e[0]), -1)]), POINTS),
    "small draws from the global generator": (distances(lambda d, e: d + 1e-4 * draw(1)), GLOBAL),
    "seeds the global generator": (broken(lambda self, e: np.random.seed(0)), GLOBAL + ".* nor seed it"),  # noqa: NPY002
    "not on the diagonal": (distances(lambda d, e: squareform(d) + 1), "found 1 on the diagonal"),
    "returns nothing": (Unreturned(), "Unreturned.fit must return the estimator"),
    "cannot be cloned": (Computed(), "Computed must let scikit-learn clone it"),
    "remembers": (Remembering(), "Remembering must give the same result when it is fitted again"),
    "changes a parameter": (Reseeding(), "changed random_state"),
    "takes anything": (Rash(), "Rash.fit must refuse an embedding with NaN"),
    "a class": (Mean, r"write Mean\(\)"),
    "no method": (BaseEstimator(), r"fit\(embeddings\), found none"),
    # Faults that clear groups of few points do not show.
    "starts in the order of the rows": (ClustersInTheOrderOfRows(), POINTS),
    "one of several nearest": (OneNeighbour(), POINTS),
    "one of two medoids": (FirstMedoid(), ORDER),
    "turned onto the first": (Turned(), ORDER),
    "axes": (distances(lambda d, e: d + 0.05 * mean_of_sizes(e), 100), TURNED),
    "draws for many points": (distances(lambda d, e: d * next(DRAWS), 100), "gives a different result each time"),
    "jitter where points coincide": (distances(lambda d, e: d + (d == 0) * draw(d.size) if not d.all() else d), GLOBAL),
    "remembers many points": (ForgetfulWithMany(), "must give the same result when it is fitted again"),
    "changes many points": (broken(double_the_first, 100), "must not change its input"),
    "negative with many points": (distances(lambda d, e: d - 1e-6, 100), "must not be negative"),
    "NaN where points coincide": (distances(lambda d, e: d**2 / d), "must be finite"),
}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", FAULTS)
def test_what_breaks_it_is_refused_in_clear_words(name):
    consensus, message = FAULTS[name]
    with pytest.raises(ValueError, match=message):
        check_consensus(consensus)


class ChangesItsParameters(PCA):
    """Sets a parameter on which the result does not depend, as umap.UMAP sets its threads."""

    def __init__(self, n_components=2, n_jobs=-1):
        super().__init__(n_components)
        self.n_jobs = n_jobs

    def fit_transform(self, X):
        self.n_jobs = 1
        return super().fit_transform(X)


@pytest.mark.parametrize("estimator", [PCA(n_components=2), TSNE(perplexity=5, max_iter=250), ChangesItsParameters()])
def test_embeddings_of_a_library_keep_the_contract_and_stay_as_they_are(estimator):
    before = dict(vars(estimator))
    check_base_embedding(estimator)
    assert vars(estimator) == before


class Embedder(BaseEstimator):
    def __init__(self, change=None, n_components=2):
        self.change, self.n_components = change, n_components

    def fit_transform(self, X):
        return self.change(X)


def halve(X):
    X /= 2
    return X[:, :2].copy()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X[1:, :2], r"Embedder.fit_transform\(X\) must have shape \(60, 2\).* found shape \(59, 2\)"),
        (halve, "Embedder.fit_transform must not change its input"),
        (lambda X: X[:, :2] + np.random.default_rng().normal(size=(len(X), 2)), "no random_state"),
        (lambda X: 0 * X[:, :2], "found all 60 at one position"),
        (lambda X: X[:, :2] + 1e-6 * draw(2 * len(X)).reshape(-1, 2), "must not draw from NumPy's global generator"),
    ],
)
def test_an_embedding_that_breaks_the_contract_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        check_base_embedding(Embedder(change))
    with pytest.raises(ValueError, match=r"fit_transform\(X\), found none"):
        check_base_embedding(Mean())

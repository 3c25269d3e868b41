"""The contract of a consensus and of an embedding: what keeps it passes, what breaks it is refused in clear words."""

import re
from itertools import count

import numpy as np
import pytest
from consensus_embedding import (
    check_base_embedding,
    check_consensus,
    embedding_distances,
    median_consensus,
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


class Square(Mean):
    def fit(self, embeddings):
        super().fit(embeddings)
        self.distances_ = squareform(self.distances_)
        return self


def broken(change):
    """A class like Mean that something is done to after each fit."""

    class Broken(Mean):
        def fit(self, embeddings):
            super().fit(embeddings)
            change(self, embeddings)
            return self

    return Broken()


def set_distances(values):
    return broken(lambda self, embeddings: setattr(self, "distances_", values(self, embeddings)))


def upper_triangle(self, embeddings):
    return np.triu(squareform(self.distances_))


def double_the_first(self, embeddings):
    embeddings[0] *= 2


def of_the_first(self, embeddings):
    return self.distances_ + pdist(embeddings[0])


def draw_a_little(self, embeddings):
    self.distances_ = self.distances_ + 1e-4 * np.random.rand()  # noqa: NPY002


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


class Reseeding(Mean):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, embeddings):
        super().fit(embeddings)
        self.random_state = 5
        return self


def multiply(factor):
    def change(self, embeddings):
        self.distances_ *= factor(embeddings)

    return change


@pytest.mark.parametrize(
    ("consensus", "kept"),
    [
        (Mean(), True),
        (Median(), True),
        (Square(), True),
        (broken(multiply(lambda embeddings: 1 / pdist(embeddings[0]).max())), False),
        # The sum, and principal components of the columns of all runs.
        (broken(multiply(len)), False),
        (broken(multiply(lambda embeddings: len(embeddings) ** 0.5)), False),
    ],
)
def test_the_unit_is_that_of_the_embeddings_if_it_scales_with_them_and_agrees_where_they_do(consensus, kept):
    assert keeps_unit(consensus) is kept


@pytest.mark.parametrize(
    "consensus", [Mean(), Median(), Median(n_components=3, mds="classical"), Weighted(), Square()], ids=repr
)
def test_what_keeps_the_contract_passes(consensus):
    before = consensus.get_params()
    check_consensus(consensus)
    assert consensus.get_params() == before
    assert not hasattr(consensus, "distances_")


BROKEN = {
    "wrong shape": (
        set_distances(lambda self, embeddings: self.distances_[:-1]),
        "distances_ of Broken must have shape (435,), the condensed order of SciPy, or (30, 30), found shape (434,)",
    ),
    "wrong shape of the embedding": (
        broken(lambda self, embeddings: setattr(self, "embedding_", np.zeros((3, 2)))),
        "embedding_ of Broken must have shape (30, p), a row per point, found shape (3, 2)",
    ),
    "not symmetric": (set_distances(upper_triangle), "must be symmetric, found entries that differ from their mirror"),
    "mutates its input": (broken(double_the_first), "Broken.fit must not change its input"),
    "random without random_state": (
        set_distances(lambda self, embeddings: self.distances_ * next(DRAWS)),
        "Broken gives a different result each time and has no random_state",
    ),
    "depends on the order of the embeddings": (
        set_distances(of_the_first),
        "The consensus of Broken must not depend on the order of the embeddings, but its distances change by up to",
    ),
    "depends on the rotation": (
        set_distances(lambda self, embeddings: pdist(np.mean(embeddings, axis=0))),
        "must not depend on a rotation, reflection or shift of each embedding",
    ),
    "negative": (set_distances(lambda self, embeddings: -self.distances_), "must not be negative, found -"),
    "not finite": (
        set_distances(lambda self, embeddings: self.distances_ * np.inf),
        "must be finite, found NaN or inf",
    ),
    "no numbers": (set_distances(lambda self, embeddings: None), "must set embedding_ or distances_, found neither"),
    "words": (
        set_distances(lambda self, embeddings: "far"),
        "distances_ of Broken must contain real numbers, found <U3",
    ),
    "complex": (
        set_distances(lambda self, embeddings: self.distances_ + 1j),
        "distances_ of Broken must contain real numbers, found complex128",
    ),
    "a complex embedding": (
        broken(lambda self, embeddings: setattr(self, "embedding_", embeddings[0] * 1j)),
        "embedding_ of Broken must contain real numbers, found complex128",
    ),
    "masked": (
        set_distances(lambda self, embeddings: np.ma.masked_less(self.distances_, 1)),
        "distances_ of Broken must not have masked entries",
    ),
    "numbers as words": (
        set_distances(lambda self, embeddings: self.distances_.astype(str)),
        "distances_ of Broken must contain real numbers, found <U32",
    ),
    "no spread": (set_distances(lambda self, embeddings: 0 * self.distances_), "found all distances 0"),
    "no spread of the embedding": (
        broken(lambda self, embeddings: setattr(self, "embedding_", np.full((len(embeddings[0]), 2), 0.1))),
        "embedding_ of Broken must have points that differ, found all 30 at one position",
    ),
    "the order of another triangle": (
        set_distances(lambda self, embeddings: squareform(self.distances_)[np.tril_indices(len(embeddings[0]), -1)]),
        "must not depend on the order of the points, but distances of renumbered points change by up to",
    ),
    "small draws from the global generator": (broken(draw_a_little), "Broken must not draw from NumPy's global gener"),
    "seeds the global generator": (
        broken(lambda self, embeddings: np.random.seed(0)),  # noqa: NPY002
        "must not draw from NumPy's global generator, such as by np.random.rand, nor seed it; let __init__ take a rand",
    ),
    "not on the diagonal": (
        set_distances(lambda self, embeddings: squareform(self.distances_) + 1),
        "must be zero from a point to itself, found 1 on the diagonal",
    ),
    "returns nothing": (Unreturned(), "Unreturned.fit must return the estimator itself, found nothing"),
    "cannot be cloned": (Computed(), "Computed must let scikit-learn clone it; let it inherit from sklearn.base.Base"),
    "remembers": (Remembering(), "Remembering must give the same result when it is fitted again"),
    "changes a parameter": (Reseeding(), "Reseeding must leave its parameters as they are, but changed random_state"),
    "takes anything": (Rash(), "Rash.fit must refuse an embedding with NaN with a ValueError, but gave a result"),
    "a class": (Mean, "Expected an instance of Mean, found the class itself; write Mean()"),
    "no method": (BaseEstimator(), "BaseEstimator must have a method fit(embeddings), found none"),
}


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


def with_many_points(change):
    """Something that is done above 100 points only, as a method that takes a sample of them does."""
    return broken(lambda self, embeddings: change(self, embeddings) if len(embeddings[0]) > 100 else None)


def jitter_ties(self, embeddings):
    tied = self.distances_ == 0
    if tied.any():
        self.distances_ = self.distances_ + tied * np.random.rand(tied.size)  # noqa: NPY002


def draw_for_many(self, embeddings):
    self.distances_ = self.distances_ * next(DRAWS)


def lean_on_the_axes(self, embeddings):
    self.distances_ = self.distances_ + 0.05 * pdist(np.mean([np.abs(one) for one in embeddings], axis=0))


class ForgetfulWithMany(Remembering):
    def fit(self, embeddings):
        if len(embeddings[0]) <= 100:
            self.__dict__.pop("distances_", None)
        return super().fit(embeddings)


# Faults that clear groups of few points do not show.
SUBTLE = {
    "starts in the order of the rows": (ClustersInTheOrderOfRows(), "must not depend on the order of the points"),
    "one of several nearest": (OneNeighbour(), "must not depend on the order of the points"),
    "one of two medoids": (FirstMedoid(), "must not depend on the order of the embeddings"),
    "axes": (with_many_points(lean_on_the_axes), "must not depend on a rotation, reflection or shift"),
    "draws for many points": (with_many_points(draw_for_many), "gives a different result each time"),
    "jitter where points coincide": (broken(jitter_ties), "must not draw from NumPy's global generator"),
    "remembers many points": (ForgetfulWithMany(), "must give the same result when it is fitted again"),
    "changes many points": (with_many_points(double_the_first), "must not change its input"),
    "negative with many points": (
        with_many_points(lambda self, embeddings: setattr(self, "distances_", self.distances_ - 1e-6)),
        "must not be negative",
    ),
    "NaN where points coincide": (
        broken(lambda self, embeddings: setattr(self, "distances_", self.distances_**2 / self.distances_)),
        "must be finite",
    ),
}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", SUBTLE)
def test_faults_that_clear_groups_do_not_show_are_refused(name):
    consensus, message = SUBTLE[name]
    with pytest.raises(ValueError, match=re.escape(message)):
        check_consensus(consensus)


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_it_is_refused_in_clear_words(name):
    consensus, message = BROKEN[name]
    with pytest.raises(ValueError, match=re.escape(message)):
        check_consensus(consensus)


def test_a_consensus_that_ignores_its_random_state_is_refused():
    class Ignoring(Weighted):
        def fit(self, embeddings):
            Mean.fit(self, embeddings)
            self.distances_ *= next(DRAWS)
            return self

    with pytest.raises(ValueError, match="Ignoring must give the same result for the same random_state, found two"):
        check_consensus(Ignoring())


def test_embeddings_of_a_library_keep_the_contract_as_they_are():
    check_base_embedding(PCA(n_components=2))
    check_base_embedding(TSNE(perplexity=5, max_iter=250))


class Short(PCA):
    def fit_transform(self, X):
        return super().fit_transform(X)[1:]


class Scaling(PCA):
    def fit_transform(self, X):
        X /= 2
        return super().fit_transform(X)


class Flat(PCA):
    def fit_transform(self, X):
        return 0 * super().fit_transform(X)


class GloballyDrawing(BaseEstimator):
    def fit_transform(self, X):
        return X[:, :2] + 1e-6 * np.random.rand(len(X), 2)  # noqa: NPY002


class Drawing(BaseEstimator):
    def fit_transform(self, X):
        return X[:, :2] + np.random.default_rng().normal(size=(len(X), 2))


@pytest.mark.parametrize(
    ("embedding", "message"),
    [
        (
            Short(2),
            "The result of Short.fit_transform(X) must have shape (60, 2), a row per point, found shape (59, 2)",
        ),
        (Scaling(2), "Scaling.fit_transform must not change its input"),
        (Drawing(), "Drawing gives a different result each time and has no random_state"),
        (Flat(2), "The result of Flat.fit_transform(X) must have points that differ, found all 60 at one position"),
        (GloballyDrawing(), "GloballyDrawing must not draw from NumPy's global generator"),
        (Mean(), "Mean must have a method fit_transform(X), found none"),
    ],
)
def test_an_embedding_that_breaks_the_contract_is_refused(embedding, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check_base_embedding(embedding)

"""
Our methods under scikit-learn's names.

An adapter has the constructor of scikit-learn's class and nothing else of it: ours compute. A parameter that ours has
too is passed on; one that ours lacks must keep its default, and another value raises `NotOffered`.
"""

import inspect
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from consensus_embedding import (
    BarnesHutTSNE,
    ExactTSNE,
    GraphEmbedding,
    KernelEmbedding,
    classical_mds,
    lle_embeddings,
    locally_linear_embedding,
    mean_shift_objects,
    smacof,
)
from consensus_embedding.manifold.graphs import affinity_matrix
from consensus_embedding.manifold.spectral import graph_eigenvectors
from sklearn import cluster, manifold
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

# They say how to compute or what to print, not what: ours decide that themselves.
HOW = {"n_jobs", "verbose"}

# Which of ours a test has called.
called: set[str] = set()


class NotOffered(BaseException):
    """A parameter, an attribute or a method that ours does not offer; no test takes it for an error of ours."""


class Adapter(BaseEstimator):
    """Base of the adapters. `lacking` names the parameters, attributes and methods that ours lacks."""

    lacking: ClassVar[set[str]] = set()

    def parameters(self, ours: Callable, *used: str, **own: object) -> dict:
        """
        Arguments for ours: those of the adapter that ours has too, and `own`.

        The adapter itself has seen to the parameters that are `used`.
        """
        called.add(ours.__name__)
        offered = inspect.signature(ours).parameters
        if not self.lacking.isdisjoint(offered):
            raise TypeError(
                f"{ours.__name__} does not lack {sorted(self.lacking & set(offered))}: take it off the list."
            )
        defaults = inspect.signature(type(self)).parameters
        for name, value in self.get_params(deep=False).items():
            if name in offered:
                own.setdefault(name, value)
            elif name not in HOW.union(used) and not _is_same(value, defaults[name].default):
                if name not in self.lacking:
                    raise TypeError(f"{ours.__name__} has no {name}, and `lacking` does not say so.")
                raise NotOffered(name)
        return own

    def fit(self, X, y=None):
        self.fit_transform(X, y)
        return self

    def __getattr__(self, name: str):
        raise NotOffered(name) if name in self.lacking else AttributeError(name)


def _is_same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


class TSNE(Adapter):
    __init__ = manifold.TSNE.__init__
    lacking: ClassVar = {"n_components", "metric", "metric_params"}
    # Tests switch the early exaggeration off by this attribute.
    _EXPLORATION_MAX_ITER = 250

    def fit_transform(self, X, y=None):
        ours = {"exact": ExactTSNE, "barnes_hut": BarnesHutTSNE}[self.method]
        off = {} if self._EXPLORATION_MAX_ITER else {"early_exaggeration": 1.0}
        model = ours(**self.parameters(ours, "method", "angle", **off))
        embedding = model.fit_transform(X, y)
        # Theirs is the number of the last iteration, from 0; ours is how many were made.
        self.embedding_, self.kl_divergence_, self.n_iter_ = model.embedding_, model.kl_divergence_, model.n_iter_ - 1
        return embedding


class _Kernel(Adapter):
    """Adapter of a reduction of `KernelEmbedding`."""

    def get_feature_names_out(self, names=None):
        names = self._model.get_feature_names_out(names)
        return np.array([name.replace("kernelembedding", type(self).__name__.lower()) for name in names], dtype=object)


class LocallyLinearEmbedding(_Kernel):
    __init__ = manifold.LocallyLinearEmbedding.__init__
    lacking: ClassVar = {"method"}

    def fit_transform(self, X, y=None):
        solver = ("eigen_solver", "tol", "max_iter", "neighbors_algorithm", "random_state", "reg")
        parameters = self.parameters(locally_linear_embedding, *solver, regularization=self.reg)
        self._model = KernelEmbedding(reduction="lle", **parameters).fit(X)
        found = lle_embeddings(X, [parameters.pop("n_neighbors")], **parameters)
        self.embedding_, self.reconstruction_error_ = found.embeddings[0], found.eigenvalues[0].sum()
        return self.embedding_

    def transform(self, X):
        # Theirs has orthonormal columns.
        return self._model.transform(X) / np.sqrt(self._model.eigenvalues_)


def their_locally_linear_embedding(X, **parameters):
    model = LocallyLinearEmbedding(**parameters).fit(X)
    return model.embedding_, model.reconstruction_error_


class Isomap(_Kernel):
    __init__ = manifold.Isomap.__init__
    lacking: ClassVar = {"radius", "metric", "metric_params", "p", "nbrs_"}

    def fit_transform(self, X, y=None):
        how = ["eigen_solver", "tol", "max_iter", "path_method", "neighbors_algorithm"]
        if self.metric == "euclidean" or (self.metric == "minkowski" and self.p == 2):
            how += ["metric", "p"]
        self._model = KernelEmbedding(reduction="isomap", **self.parameters(KernelEmbedding, *how)).fit(X)
        self.embedding_, self.dist_matrix_ = self._model.embedding_, self._model.distances_
        return self.embedding_

    def transform(self, X):
        return self._model.transform(X)

    def reconstruction_error(self):
        kernel, values = self._model.kernel_, self._model.eigenvalues_
        return np.sqrt(np.square(kernel).sum() - np.square(values).sum()) / len(kernel)


def _distances(X, metric, parameters):
    return X if metric == "precomputed" else pairwise_distances(X, metric=metric, **(parameters or {}))


class MDS(Adapter):
    __init__ = manifold.MDS.__init__
    lacking: ClassVar = {"metric_mds", "n_init", "normalized_stress", "n_iter_"}

    def fit_transform(self, X, y=None, init=None):
        # Up to scikit-learn 1.7, `metric` says whether scaling is metric.
        kinds = {self.metric, getattr(self, "dissimilarity", None)} - {True, False, None, "deprecated", "euclidean"}
        return self.scale(_distances(X, kinds.pop() if kinds else "euclidean", self.metric_params), init)

    def scale(self, distances, start=None):
        n = len(distances)
        if start is None and isinstance(self.init, str) and self.init == "random":
            start = check_random_state(self.random_state).uniform(size=(n, self.n_components))
        if self.metric is False:
            raise NotOffered("metric_mds")
        seen = ["init", "random_state", "metric", "dissimilarity", "metric_params", "eps"]
        seen += ["n_init"] * (self.n_init == 1) + ["normalized_stress"] * (self.normalized_stress is False)
        self.embedding_ = smacof(distances, **self.parameters(smacof, *seen, tolerance=self.eps, start=start))
        self.stress_ = np.square(pairwise_distances(self.embedding_) - distances).sum() / 2
        return self.embedding_


def their_smacof(dissimilarities, *, init=None, return_n_iter=False, **parameters):
    if return_n_iter:
        raise NotOffered("n_iter_")
    model = MDS(**parameters)
    return model.scale(dissimilarities, init), model.stress_


class ClassicalMDS(Adapter):
    __init__ = getattr(manifold, "ClassicalMDS", manifold.MDS).__init__

    def fit_transform(self, X, y=None):
        distances = _distances(X, self.metric, self.metric_params)
        self.embedding_ = classical_mds(distances, **self.parameters(classical_mds, "metric", "metric_params"))
        self.eigenvalues_ = np.square(self.embedding_).sum(axis=0)
        return self.embedding_


class SpectralEmbedding(Adapter):
    __init__ = manifold.SpectralEmbedding.__init__

    def fit_transform(self, X, y=None):
        how = ("random_state", "eigen_solver", "eigen_tol", "affinity", "gamma")
        if callable(self.affinity) or self.affinity == "precomputed":
            self.affinity_matrix_ = self.affinity(X) if callable(self.affinity) else X
            parameters = self.parameters(graph_eigenvectors, *how, "n_neighbors", affinity=self.affinity_matrix_)
            self.embedding_ = graph_eigenvectors(**parameters)[1]
            return self.embedding_
        n = X.shape[0]
        graph = {"kernel": "knn", "n_neighbors": self.n_neighbors or max(n // 10, 1)}
        if self.affinity == "rbf":
            median = np.median(pairwise_distances(X)[np.triu_indices(n, 1)])
            graph |= {"kernel": "gaussian", "sigma": (self.gamma or 1 / X.shape[1]) ** -0.5 / median, "floor": 0.0}
        elif self.affinity != "nearest_neighbors":
            raise NotOffered("affinity")
        model = GraphEmbedding(scaling="none", **self.parameters(GraphEmbedding, *how, **graph))
        self.embedding_, self.affinity_matrix_ = model.fit_transform(X), affinity_matrix(X, **graph)
        return self.embedding_


def their_spectral_embedding(adjacency, *, norm_laplacian=True, drop_first=True, n_components=8, **solver):
    if not (norm_laplacian and drop_first):
        raise NotOffered("norm_laplacian, drop_first")
    return SpectralEmbedding(n_components, affinity="precomputed", **solver).fit_transform(adjacency)


class MeanShift(Adapter):
    __init__ = cluster.MeanShift.__init__
    lacking: ClassVar = {"seeds", "min_bin_freq", "cluster_all", "max_iter", "n_iter_", "predict"}

    def fit(self, X, y=None):
        seeding = "grid" if self.bin_seeding else "pixels"
        # Where scikit-learn estimates 0, most points coincide, and ours needs no bandwidth.
        bandwidth = (cluster.estimate_bandwidth(X) or None) if self.bandwidth is None else self.bandwidth
        parameters = self.parameters(mean_shift_objects, "bin_seeding", bandwidth=bandwidth, seeding=seeding)
        found = mean_shift_objects(X, **parameters)
        self.labels_, self.cluster_centers_ = found.assignment, found.features
        return self

    def fit_predict(self, X, y=None):
        return self.fit(X).labels_


def their_mean_shift(X, **parameters):
    model = MeanShift(**parameters).fit(X)
    return model.cluster_centers_, model.labels_


ADAPTERS = {
    manifold.TSNE: TSNE,
    manifold.LocallyLinearEmbedding: LocallyLinearEmbedding,
    manifold.locally_linear_embedding: their_locally_linear_embedding,
    manifold.Isomap: Isomap,
    manifold.MDS: MDS,
    manifold.smacof: their_smacof,
    getattr(manifold, "ClassicalMDS", ClassicalMDS): ClassicalMDS,
    manifold.SpectralEmbedding: SpectralEmbedding,
    manifold.spectral_embedding: their_spectral_embedding,
    cluster.MeanShift: MeanShift,
    cluster.mean_shift: their_mean_shift,
}

"""
Our methods under scikit-learn's names.

An adapter has the parameters of scikit-learn's class and nothing else of it: ours compute. A parameter that ours has
too is passed on; one that ours lacks must keep its default, and another value raises `NotOffered`.
"""

import inspect
from collections.abc import Callable
from numbers import Integral
from typing import ClassVar

import numpy as np
from consensus_embedding import (
    BarnesHutTSNE,
    ExactTSNE,
    GraphEmbedding,
    KernelEmbedding,
    classical_mds,
    hierarchical_clusters,
    lle_embeddings,
    locally_linear_embedding,
    mean_shift_objects,
    procrustes_align,
    replicated_kmeans,
    smacof,
)
from consensus_embedding.diagnostics.fidelity import fidelity_values
from consensus_embedding.manifold.graphs import affinity_matrix
from consensus_embedding.manifold.spectral import graph_eigenvectors
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from sklearn import cluster, decomposition, manifold
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

# They say how to compute or what to print, not what: ours decide that themselves.
HOW = {"n_jobs", "verbose", "copy", "copy_x", "memory"}

# Which of ours a test has called.
called: set[str] = set()


class NotOffered(BaseException):
    """A parameter, an attribute or a method that ours does not offer; no test takes it for an error of ours."""


class Adapter(BaseEstimator):
    """
    Base of the adapters.

    `peer` is scikit-learn's class; `lacking` names its parameters, attributes and methods that ours lacks.
    """

    peer: ClassVar[type]
    lacking: ClassVar[set[str]] = set()

    def __init_subclass__(cls):
        if "peer" in vars(cls):
            signature = inspect.signature(cls.peer.__init__)

            def __init__(self, *args, **given):
                bound = signature.bind(self, *args, **given)
                bound.apply_defaults()
                for name, value in list(bound.arguments.items())[1:]:
                    setattr(self, name, value)

            __init__.__signature__ = signature
            cls.__init__ = __init__

    def parameters(self, ours: Callable, *used: str, **own: object) -> dict:
        """
        Arguments for ours: those of the adapter that ours has too, and `own`.

        The adapter itself has seen to the parameters that are `used`.
        """
        called.add(ours.__name__)
        offered = inspect.signature(ours).parameters
        if not self.lacking.isdisjoint(offered):
            raise RuntimeError(
                f"{ours.__name__} does not lack {sorted(self.lacking & set(offered))}: take it off the list."
            )
        defaults = inspect.signature(type(self)).parameters
        for name, value in self.get_params(deep=False).items():
            if name in offered:
                own.setdefault(name, value)
            elif name not in HOW.union(used) and not _is_same(value, defaults[name].default):
                if name not in self.lacking:
                    raise RuntimeError(f"{ours.__name__} has no {name}, and `lacking` does not say so.")
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
    peer = manifold.TSNE
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
    peer = manifold.LocallyLinearEmbedding
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
    peer = manifold.Isomap
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
    peer = manifold.MDS
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
    peer = getattr(manifold, "ClassicalMDS", manifold.MDS)

    def fit_transform(self, X, y=None):
        distances = _distances(X, self.metric, self.metric_params)
        self.embedding_ = classical_mds(distances, **self.parameters(classical_mds, "metric", "metric_params"))
        self.eigenvalues_ = np.square(self.embedding_).sum(axis=0)
        return self.embedding_


class SpectralEmbedding(Adapter):
    peer = manifold.SpectralEmbedding

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
    peer = cluster.MeanShift
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


class AgglomerativeClustering(Adapter):
    peer = cluster.AgglomerativeClustering
    lacking: ClassVar = {"metric", "connectivity", "distance_threshold", "distances_", "children_", "n_leaves_"}

    def fit(self, X, y=None):
        if self.linkage == "single":
            raise NotOffered("linkage")
        used = ("compute_full_tree", "compute_distances")
        self.labels_ = hierarchical_clusters(X, **self.parameters(hierarchical_clusters, *used))
        self.n_clusters_ = self.labels_.max() + 1
        return self

    def fit_predict(self, X, y=None):
        return self.fit(X).labels_


class KMeans(Adapter):
    peer = cluster.KMeans
    lacking: ClassVar = {"init", "n_iter_", "predict", "score", "transform", "fit_transform", "get_feature_names_out"}

    def fit(self, X, y=None, sample_weight=None):
        own = {"n_init": 10} if self.n_init == "auto" else {}
        if self.random_state is not None:
            own["seed"] = int(check_random_state(self.random_state).randint(2**31))
        used = ("algorithm", "tol", "n_init", "random_state")
        parameters = self.parameters(replicated_kmeans, *used, weights=sample_weight, **own)
        self.labels_ = replicated_kmeans(X, **parameters)
        member = np.eye(self.labels_.max() + 1)[self.labels_] * (
            1.0 if sample_weight is None else sample_weight[:, None]
        )
        self.cluster_centers_ = member.T @ X / member.sum(axis=0)[:, None]
        self.inertia_ = (member * pairwise_distances(X, self.cluster_centers_) ** 2).sum()
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        return self.fit(X, sample_weight=sample_weight).labels_


def their_k_means(X, n_clusters, *, sample_weight=None, return_n_iter=False, **parameters):
    if return_n_iter:
        raise NotOffered("n_iter_")
    model = KMeans(n_clusters, **parameters).fit(X, sample_weight=sample_weight)
    return model.cluster_centers_, model.labels_, model.inertia_


class PCA(_Kernel):
    peer = decomposition.PCA
    lacking: ClassVar = {
        *("whiten", "components_", "mean_", "noise_variance_", "explained_variance_ratio_"),
        *("get_covariance", "get_precision", "inverse_transform", "score", "score_samples"),
    }

    def fit_transform(self, X, y=None):
        if not isinstance(self.n_components, Integral):
            raise NotOffered("n_components")
        how = ("svd_solver", "tol", "iterated_power", "n_oversamples", "power_iteration_normalizer", "random_state")
        self._model = KernelEmbedding(reduction="pca", **self.parameters(KernelEmbedding, *how)).fit(X)
        self.embedding_, self.n_components_ = self._model.embedding_, self.n_components
        self.singular_values_ = np.sqrt(self._model.eigenvalues_)
        self.explained_variance_ = self._model.eigenvalues_ / (len(self.embedding_) - 1)
        return self.embedding_

    def transform(self, X):
        return self._model.transform(X)


def their_trustworthiness(X, X_embedded, *, n_neighbors=5, metric="euclidean"):
    if metric != "euclidean":
        raise NotOffered("metric")
    called.add("fidelity_values")
    X, none, runs = np.asarray(X), np.empty((len(X), 0, n_neighbors), dtype=int), np.empty((0, *np.shape(X_embedded)))
    values = fidelity_values(X, runs, none, pdist(X_embedded), X_embedded, np.random.RandomState(0))
    return values["trustworthiness"][-1]


def their_procrustes(data1, data2):
    called.add("procrustes_align")
    first = np.array(data1, dtype=float) - np.mean(data1, axis=0)
    first /= np.linalg.norm(first)
    second = procrustes_align(data2, first, scaling=True)
    return first, second, np.square(first - second).sum()


ADAPTERS = {
    manifold.TSNE: TSNE,
    manifold.LocallyLinearEmbedding: LocallyLinearEmbedding,
    manifold.locally_linear_embedding: their_locally_linear_embedding,
    manifold.Isomap: Isomap,
    manifold.MDS: MDS,
    manifold.smacof: their_smacof,
    manifold.SpectralEmbedding: SpectralEmbedding,
    manifold.spectral_embedding: their_spectral_embedding,
    manifold.trustworthiness: their_trustworthiness,
    decomposition.PCA: PCA,
    cluster.MeanShift: MeanShift,
    cluster.mean_shift: their_mean_shift,
    cluster.AgglomerativeClustering: AgglomerativeClustering,
    cluster.KMeans: KMeans,
    cluster.k_means: their_k_means,
    procrustes: their_procrustes,
}
if hasattr(manifold, "ClassicalMDS"):
    ADAPTERS[manifold.ClassicalMDS] = ClassicalMDS

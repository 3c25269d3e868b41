"""
Time FINE and what it is compared with beside what a user would pick instead, on one core.

    .venv/bin/python tests/benchmarks/bench.py --only features    about a minute

One line per step: both times, their ratio, and how well the results agree. The table is simulated, of 100 samples on a
curved sheet in 20000 features; the grids are those of the paper-scale study.
"""

import numpy as np
from consensus_embedding import choose_embedding, fine_scores, gini_scores, t_scores
from rows import clock, once, say
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ttest_ind
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.neighbors import kneighbors_graph
from test_feature_filters import gini_of_trees
from threadpoolctl import threadpool_limits

N_SAMPLES, N_FEATURES, N_COMPONENTS = 100, 20000, 50
NEIGHBORS, ALPHAS, TOLERANCE = range(3, 31), (0.1, 1.0, 10.0), 0.01


def simulated_table():
    """Samples on a sheet rolled up in three dimensions, turned into many features, with noise; two classes."""
    rng = np.random.default_rng(2016)
    turn = rng.uniform(1.5 * np.pi, 4.5 * np.pi, N_SAMPLES)
    sheet = np.column_stack([turn * np.cos(turn), 20 * rng.random(N_SAMPLES), turn * np.sin(turn)])
    X = sheet @ rng.normal(size=(3, N_FEATURES)) + rng.normal(size=(N_SAMPLES, N_FEATURES))
    return X, np.where(turn > 3 * np.pi, 1, -1)


def plain_variances(embedding, wanted):
    """One pass over the pairs for each number of components."""
    return [
        1 - np.corrcoef(pdist(embedding[:, :h]), wanted)[0, 1] ** 2 for h in range(1, min(embedding.shape[1], 50) + 1)
    ]


def plain_embeddings(X, reduction):
    """Parameters, embedding and the method's own distances, one fit of scikit-learn after the other."""
    if reduction == "pca":
        yield (None, None), PCA(N_COMPONENTS, svd_solver="full").fit_transform(X), pdist(X)
        return
    for k in NEIGHBORS:
        graph = kneighbors_graph(X, k, mode="distance").toarray()
        if connected_components(graph, directed=False)[0] > 1:
            continue
        isomap = Isomap(n_neighbors=k, n_components=N_COMPONENTS, eigen_solver="dense").fit(X)
        geodesic = squareform(isomap.dist_matrix_, checks=False)
        if reduction == "isomap":
            yield (k, None), isomap.embedding_, geodesic
        elif reduction == "lle":
            model = LocallyLinearEmbedding(n_neighbors=k, n_components=N_COMPONENTS, eigen_solver="dense")
            yield (k, None), model.fit_transform(X), geodesic
        else:
            lengths = np.maximum(graph, graph.T)
            median = np.median(lengths[np.triu(lengths) > 0])
            for alpha in ALPHAS:
                weights = np.where(lengths > 0, np.exp(-np.square(lengths / (alpha * median)) / 2), 0.0)
                inverse = np.linalg.pinv(np.diag(weights.sum(axis=0)) - weights, hermitian=True)
                yield (k, alpha), KernelPCA(N_COMPONENTS, kernel="precomputed").fit_transform(inverse), geodesic


def plain_choice(X, reduction):
    """The fewest components within the tolerance of the lowest residual variance, and the best of these."""
    tried = [(plain_variances(T, wanted), parameters) for parameters, T, wanted in plain_embeddings(X, reduction)]
    lowest = min(min(values) for values, _ in tried)
    h = min(next((i for i, v in enumerate(values) if v <= lowest + TOLERANCE), 99) for values, _ in tried)
    value, parameters = min((values[h], parameters) for values, parameters in tried if len(values) > h)
    return value, (h + 1, *parameters)


def bench_choice(X):
    """Neighbours and paths by our own kernels, once for all widths; the rest differs in what is computed twice."""
    for reduction in ("pca", "isomap", "le", "lle"):
        ours, found = clock(choose_embedding, X, reduction, n_neighbors=NEIGHBORS, alphas=ALPHAS, repeats=3)
        theirs, (value, parameters) = once(plain_choice, X, reduction)
        chosen = found.n_components, found.n_neighbors, found.alpha
        agreement = (
            f"components, neighbours, alpha {chosen} and {parameters}, "
            f"residual variance {found.residual_variance:.4f} and {value:.4f}"
        )
        say(f"Choice of {reduction}, {N_SAMPLES} x {N_FEATURES}", ours, "scikit-learn's, in a loop", theirs, agreement)
    return found.estimator


def plain_fine(T, X, y):
    """Equation 13 with the loadings of Equation 18, as one would write it in NumPy."""
    centred = X - X.mean(axis=0)
    V = centred.T @ np.linalg.pinv(T).T
    part = np.square(np.linalg.lstsq(T, y - y.mean(), rcond=None)[0]) * np.square(T).sum(axis=0)
    return np.sqrt(len(V) * np.square(V / np.linalg.norm(V, axis=0)) @ part / part.sum())


def bench_scores(X, y):
    T = PCA(N_COMPONENTS, svd_solver="full").fit_transform(X)
    ours, found = clock(fine_scores, T, X, y, repeats=5)
    theirs, expected = clock(plain_fine, T, X, y, repeats=5)
    difference = "largest difference {:.0e}".format
    what = f"{N_FEATURES} features, {N_SAMPLES} samples"
    say(f"FINE scores of {what}, h = 50", ours, "NumPy", theirs, difference(np.abs(found - expected).max()))

    ours, found = clock(t_scores, X, y, repeats=5)
    theirs, expected = clock(ttest_ind, X[y == 1], X[y == -1], repeats=3)
    largest = np.abs(found - np.abs(expected.statistic)).max()
    say(f"t-scores of {what}", ours, "scipy.stats.ttest_ind", theirs, difference(largest))

    ours, found = clock(gini_scores, X, y, repeats=5)
    theirs, expected = once(gini_of_trees, X, y)
    largest = np.abs(found - expected).max()
    say(f"Gini scores of {what}", ours, "DecisionTreeClassifier(max_depth=1) a feature", theirs, difference(largest))


def bench_features():
    X, y = simulated_table()
    with threadpool_limits(1):
        choose_embedding(X[:, :50], "le", n_neighbors=(5,))
        bench_choice(X)
        bench_scores(X, y)

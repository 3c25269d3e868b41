"""
Time out-of-sample extrapolation and retrieval beside what a user would do instead, on one core.

    .venv/bin/python tests/benchmarks/bench.py --only retrieval    a minute

One line per step: both times, their ratio, and how well the results agree. Swiss roll and glands are simulated; the
settings are those of config/config.yaml.
"""

import numpy as np
from consensus_embedding import SemiSupervisedGraphEmbedding
from consensus_embedding.diagnostics.retrieval import class_average, retrieval_scores
from consensus_embedding.manifold.graphs import dissimilarity_affinity, semi_supervised_affinity
from consensus_embedding.manifold.nystroem import approximation_error, nystroem_extension
from consensus_embedding.manifold.spectral import graph_eigenvectors
from replication.catalogue.configuration import read_configuration
from replication.data.domains.shape_distance import shape_distances
from replication.data.glands import GlandSimulator, simulate_glands
from replication.data.swiss_roll import simulate_swiss_roll
from replication.papers.sparks2011 import swiss_roll
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from rows import clock, note, once, say
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_samples
from test_retrieval import areas_by_scikit_learn
from threadpoolctl import threadpool_limits

CONFIG = read_configuration()
ROLL = swiss_roll.SwissRollSettings.model_validate(CONFIG["swiss_roll"])
GRID = OutOfSample.model_validate(CONFIG["out_of_sample"])
N_COMPONENTS, N_TRAINING = ROLL.n_components, 5000
# Outlines that the plain loop compares, and points of its grid over the starting point.
N_PLAIN, N_STARTS = 40, 2048
N_CORES = 2


def plain_scores(embedding, labels):
    """Silhouettes and areas of all objects through scikit-learn."""
    return silhouette_samples(embedding, labels), areas_by_scikit_learn(cdist(embedding, embedding), labels)


def plain_weights(gamma, labels):
    """W_R as Eq. 3 prints it."""
    known = (labels[:, None] >= 0) & (labels >= 0)
    same = labels[:, None] == labels
    return np.where(known, np.where(same, gamma * (1 + gamma), gamma * (1 - gamma)), gamma)


def plain_embedding(W, n_components):
    """Eigenvalues and eigenvectors of W y = lambda D y."""
    n = len(W)
    values, vectors = eigh(W, np.diag(W.sum(axis=0)), subset_by_index=(n - n_components - 1, n - 2))
    return values[::-1], vectors[:, ::-1]


def plain_cell(gamma, labels, training, known):
    """One cell of the grid as one would write it from the paper, with dense matrices."""
    new = np.setdiff1d(np.arange(len(labels)), training)
    W, B = plain_weights(gamma[np.ix_(training, training)], known[training]), gamma[np.ix_(new, training)]
    W, B = W + GRID.floor, B + GRID.floor
    values, vectors = plain_embedding(W, N_COMPONENTS)
    places = np.empty((len(labels), N_COMPONENTS))
    places[training], places[new] = vectors, B @ vectors / values / B.sum(axis=1, keepdims=True)
    W, B = W - GRID.floor, B - GRID.floor
    truth = gamma[np.ix_(new, new)]
    error = np.linalg.norm(truth - B @ np.linalg.inv(W) @ B.T) / np.linalg.norm(truth)
    scores = [plain_scores(places, labels)]
    scores.append(plain_scores(plain_embedding(plain_weights(gamma, known) + GRID.floor, N_COMPONENTS)[1], labels))
    return [error, *(value for si, area in scores for value in (si.mean(), class_average(area, labels)))]


def our_cell(gamma, labels, training, known):
    new = np.setdiff1d(np.arange(len(labels)), training)
    W = semi_supervised_affinity(gamma[training][:, training], known[training])
    B = gamma[new][:, training]
    values, vectors = graph_eigenvectors(W, N_COMPONENTS, floor=GRID.floor)
    places = np.empty((len(labels), N_COMPONENTS))
    places[training], places[new] = vectors, nystroem_extension(B, vectors, values, floor=GRID.floor)
    whole = graph_eigenvectors(semi_supervised_affinity(gamma, known), N_COMPONENTS, floor=GRID.floor)[1]
    scores = [retrieval_scores(embedding, labels) for embedding in (places, whole)]
    averages = [(score.silhouette.mean(), class_average(score.area, labels)) for score in scores]
    return [approximation_error(W, B, gamma[new][:, new]).relative, *(value for pair in averages for value in pair)]


def plain_shape_distances(outlines):
    """Cross-correlations by FFT, the starting point on a grid."""
    n, n_points = outlines.shape
    spectra = np.fft.fft(outlines - outlines.mean(axis=1, keepdims=True), axis=1) / n_points
    h = (n_points - 1) // 2
    padded = np.zeros((n, N_STARTS), complex)
    padded[:, 1 : h + 1], padded[:, -h:] = spectra[:, 1 : h + 1], spectra[:, -h:]
    sizes = np.square(np.abs(padded)).sum(axis=1)
    distances = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            best = np.abs(np.fft.ifft(padded[i].conj() * padded[j])).max() * N_STARTS
            distances[i, j] = distances[j, i] = np.sqrt(max(sizes[i] + sizes[j] - 2 * best, 0.0))
    return distances


def bench_one_sample():
    """The alternative is the same estimator, trained anew with the sample."""
    roll = simulate_swiss_roll(N_TRAINING + 1, 0, split=ROLL.split)
    labels = np.where(np.random.default_rng(0).random(N_TRAINING + 1) < 0.5, roll.labels, -1)
    labels[-1] = -1
    model = SemiSupervisedGraphEmbedding(N_COMPONENTS, kernel="radius", radius=ROLL.radius, scaling="none")
    theirs, expected = once(lambda: model.fit(roll.X, labels).embedding_)
    model.fit(roll.X[:-1], labels[:-1])
    ours, found = clock(model.transform, roll.X[-1:], repeats=200)
    moved = np.linalg.norm(found - expected[-1]) / np.linalg.norm(expected[-1])
    what = f"One new sample into an embedding of {N_TRAINING}"
    say(what, ours, "recomputing the embedding", theirs, f"places differ by {moved:.0e} of their distance from 0")
    A = cdist(roll.X, roll.X)
    model.set_params(metric="precomputed").fit(A[:-1, :-1], labels[:-1])
    ours, same = clock(model.transform, A[-1:, :-1], repeats=200)
    say(
        f"{what}, from dissimilarities", ours, "recomputing", theirs, f"{np.abs(same - found).max():.0e} from the above"
    )


def bench_scores(embedding, labels):
    ours, found = clock(retrieval_scores, embedding, labels)
    theirs, (si, area) = once(plain_scores, embedding, labels)
    differences = np.abs(found.silhouette - si).max(), np.abs(found.area - area).max()
    say(
        f"Silhouette and precision-recall area of each of {len(labels)} objects",
        ours,
        "silhouette_samples and a loop over precision_recall_curve",
        theirs,
        "largest differences {:.0e} and {:.0e}".format(*differences),
    )


def bench_shapes():
    outlines = simulate_glands(GlandSimulator.model_validate(CONFIG["glands"]), 0).outlines
    shape_distances(outlines[:10])
    ours, found = once(shape_distances, outlines)
    chosen = np.random.default_rng(0).permutation(len(outlines))[:N_PLAIN]
    theirs, expected = once(plain_shape_distances, outlines[chosen])
    theirs *= len(outlines) * (len(outlines) - 1) / (N_PLAIN * (N_PLAIN - 1))
    apart = (expected - found[np.ix_(chosen, chosen)])[np.triu_indices(N_PLAIN, k=1)] / found[found > 0].min()
    say(
        f"Shape distances of {len(outlines)} outlines",
        ours,
        f"a loop over FFTs with {N_STARTS} starting points (from {N_PLAIN} outlines)",
        theirs,
        f"theirs larger by {apart.min():.0e} to {apart.max():.0e} of the smallest distance",
    )


def bench_cell():
    """Half of the objects in training, half of these labelled."""
    roll = simulate_swiss_roll(ROLL.n_samples, 0, split=ROLL.split)
    rng = np.random.default_rng(0)
    n = len(roll.labels)
    training = np.sort(rng.permutation(n)[: n // 2])
    known = np.where(np.isin(np.arange(n), rng.permutation(training)[: n // 4]), roll.labels, -1)
    gamma, _ = dissimilarity_affinity(cdist(roll.X, roll.X), sigma=ROLL.sigma, radius=ROLL.radius)
    ours, found = clock(our_cell, gamma, roll.labels, training, known)
    theirs, expected = once(plain_cell, gamma.toarray(), roll.labels, training, known)
    what = f"One cell of the Swiss-roll grid, {n} objects"
    difference = np.abs(np.subtract(found, expected)).max()
    say(what, ours, "dense matrices and scikit-learn", theirs, f"largest difference of five scores {difference:.0e}")
    places = graph_eigenvectors(gamma, N_COMPONENTS, floor=GRID.floor)[1]
    bench_scores(places, roll.labels)


def bench_grid():
    """The experiment itself, from a few of its shares of training objects on the roll of one draw."""
    shares = GRID.training[1:-1:3]
    roll = ROLL.replace(variants=())
    swiss_roll.score_roll(roll, GRID.replace(training=shares[:1], labelled=(0.5,)), 0, 0)
    took, _ = once(swiss_roll.score_roll, roll, GRID.replace(training=shares), 0, 0)
    n_cells, cells = len(GRID.training) * len(GRID.labelled) * GRID.draws, len(shares) * len(GRID.labelled)
    minutes = took * n_cells / cells / N_CORES / 60
    note(f"Swiss-roll grid, {n_cells} cells, {N_CORES} cores", f"about {minutes:.1f} min", f"from {cells} cells")


def bench_retrieval():
    with threadpool_limits(1):
        bench_one_sample()
        bench_cell()
        bench_shapes()
        bench_grid()

"""
Time the steps of consensus embedding on a brain slice beside what a user would pick instead, on one core.

    .venv/bin/python tests/benchmarks/bench.py --only images    half a minute

One line per step: both times, their ratio, and how well the results agree. The slice is simulated on the anatomy that
comes with nilearn, with the settings of config/config.yaml.
"""

import itertools
import time
from functools import partial

import numpy as np
from consensus_embedding.clustering.clustering import replicated_kmeans
from consensus_embedding.clustering.mean_shift import mean_shift_objects
from consensus_embedding.consensus.consensus_embedding import combine_embeddings, select_embeddings
from consensus_embedding.consensus.pairwise import pairwise_consensus
from consensus_embedding.consensus.strength import embedding_strength
from consensus_embedding.manifold.graph_embedding import GraphEmbedding, graph_embedding
from consensus_embedding.manifold.graphs import kernel_graph
from consensus_embedding.manifold.spectral import graph_eigenvectors
from replication.catalogue.configuration import read_configuration
from replication.data.brainweb import brain_slices
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice, slice_features
from replication.papers.viswanath2012.settings import ImageSettings
from rows import clock, note, once, say
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans, MeanShift
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

SETTINGS = ImageSettings.model_validate(read_configuration()["image_embedding"])
SLICE, SLICE_OF_MEAN_SHIFT = 90, 130
PAPER_SECONDS = 119  # ConsEmbedMS on a slice of 15000 to 40000 pixels, 8 cores, MATLAB


def smallest_cosine(one, other):
    """Between the subspaces that the centred columns of two tables span: 1 if they are the same."""
    one, other = (np.linalg.qr(table - table.mean(axis=0))[0] for table in (one, other))
    return np.linalg.svd(one.T @ other, compute_uv=False).min()


def bench_graph_embedding(objects):
    """From the features of a subset, and from ready affinities; scikit-learn makes the same graph of its neighbours."""
    X = np.ascontiguousarray(objects.features[:, : SETTINGS.subset_size])
    # scikit-learn leaves the affinity of an object to itself out.
    options = SETTINGS.graph_options | {"self_affinity": 0.0, "scaling": "none"}
    ours, found = clock(graph_embedding, X, SETTINGS.n_components, **options)
    affinity, _ = kernel_graph(X, **{key: value for key, value in options.items() if key != "scaling"})
    affinity += GraphEmbedding().floor
    by_scikit_learn = partial(spectral_embedding, n_components=SETTINGS.n_components, random_state=0)

    def from_neighbors():
        graph = kneighbors_graph(X, SETTINGS.n_neighbors, mode="distance")
        graph = graph.maximum(graph.T)
        graph.data = np.exp(-graph.data / (SETTINGS.sigma * np.median(graph.data)))
        return by_scikit_learn(graph.toarray() + GraphEmbedding().floor)

    theirs, expected = clock(from_neighbors)
    agreement = f"smallest cosine between the subspaces {smallest_cosine(found, expected):.4f}"
    say(f"Graph embedding, {len(X)} objects", ours, "kneighbors_graph and spectral_embedding", theirs, agreement)
    ours, (_, found) = clock(graph_eigenvectors, affinity, SETTINGS.n_components)
    theirs, expected = clock(by_scikit_learn, affinity)
    agreement = f"smallest cosine between the subspaces {smallest_cosine(found, expected):.4f}"
    say(f"Eigenvectors of ready affinities, {len(X)} objects", ours, "spectral_embedding", theirs, agreement)


def bench_kmeans(embedding, sizes):
    ours, found = clock(replicated_kmeans, embedding, 2, weights=sizes, n_init=10)
    model = KMeans(2, n_init=10, random_state=0)
    theirs, expected = clock(model.fit_predict, embedding, sample_weight=sizes)
    what = f"Replicated weighted k-means, {' x '.join(map(str, embedding.shape))}, 10 starts"
    say(what, ours, "KMeans", theirs, f"adjusted Rand index {adjusted_rand_score(found, expected):.3f}")


def bench_mean_shift(features):
    """At the bandwidth that the search finds, which is not counted."""
    bandwidth = mean_shift_objects(features, max_objects=SETTINGS.max_objects).bandwidth
    ours, found = clock(mean_shift_objects, features, bandwidth=bandwidth, repeats=3)
    theirs, expected = once(MeanShift(bandwidth=bandwidth, bin_seeding=True).fit, features)
    agreement = (
        f"{len(found.features)} and {len(expected.cluster_centers_)} centres, adjusted Rand index of the pixels "
        f"{adjusted_rand_score(found.assignment, expected.labels_):.3f}"
    )
    say(f"Mean shift, {len(features)} pixels", ours, "MeanShift(bin_seeding=True)", theirs, agreement)


def bench_median(embeddings):
    ours, found = clock(pairwise_consensus, embeddings, "median")
    theirs, expected = clock(lambda: np.median([pdist(one) for one in embeddings], axis=0), repeats=3)
    found = found if found.ndim == 1 else squareform(found, checks=False)
    what = f"Median distances of all pairs, {len(embeddings)} embeddings of {embeddings.shape[1]} objects"
    say(what, ours, "np.median of stacked pdist", theirs, f"largest difference {np.abs(found - expected).max():.0e}")


def plain_strength(original, embedding):
    """Share of triplets whose strictly closest pair stays the strictly closest."""
    i, j, k = np.array(list(itertools.combinations(range(len(original)), 3))).T
    pairs = [np.stack([table[i, j], table[i, k], table[j, k]]) for table in (original, embedding)]
    single = [(np.sort(sides, axis=0)[0] < np.sort(sides, axis=0)[1]) for sides in pairs]
    kept = (pairs[0].argmin(axis=0) == pairs[1].argmin(axis=0)) & single[0] & single[1]
    return kept.sum() / single[0].sum()


def bench_strength(features, embedding, n=100):
    tables = [squareform(pdist(table[:n])) for table in (features, embedding)]
    ours, found = clock(embedding_strength, *tables)
    theirs, expected = clock(plain_strength, *tables, repeats=3)
    agreement = f"difference {abs(found.value - expected):.0e}"
    say(f"Embedding strength, all triplets of {n} objects", ours, "NumPy over itertools", theirs, agreement)


def cons_embed_ms(image, mask, positive, n_jobs, kind="mean_shift"):
    """The paper's ConsEmbedMS whole: texture, objects, base embeddings, selection, consensus."""
    embedded = embed_slice(image, mask, positive, SETTINGS.replace(objects=kind), seed=0, n_jobs=n_jobs)
    selected = select_embeddings(embedded.accuracies, SETTINGS.theta)
    return embedded, combine_embeddings(embedded.embeddings[selected], n_jobs=n_jobs, **SETTINGS.combination).embedding


def bench_images(n_jobs=2):
    first, second = brain_slices("icbm152", 3, 20, [SLICE, SLICE_OF_MEAN_SHIFT], seed=0)
    whole = first.image, first.mask, first.labels == WHITE_MATTER
    with threadpool_limits(1):
        # The mean shift leaves at most as many objects as it may; k-means exactly as many.
        embedded, consensus = cons_embed_ms(*whole, 1, kind="k_means")
        bench_graph_embedding(embedded.objects)
        bench_kmeans(consensus, embedded.objects.sizes)
        bench_mean_shift(slice_features(second.image, second.mask, SETTINGS))
        bench_median(embedded.embeddings.astype(np.float64))
        bench_strength(embedded.objects.features, consensus)
        cons_embed_ms(*whole, 1)
        took = {}
        for cores in (1, n_jobs):
            start = time.perf_counter()
            _, consensus = cons_embed_ms(*whole, cores)
            took[cores] = time.perf_counter() - start
    note(
        f"ConsEmbedMS, one slice of {first.mask.sum()} pixels, {SETTINGS.n_embeddings} embeddings of "
        f"{len(consensus)} objects, on the clock",
        f"{took[1]:.1f} s on one core, {took[n_jobs]:.1f} s on {n_jobs}",
        f"the paper {PAPER_SECONDS} s on eight cores (other images, other machine, MATLAB)",
    )

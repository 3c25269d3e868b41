"""Graphs with a floor, and sparse ones, for the tests."""

from consensus_embedding.manifold.graphs import kernel_graph


def affinity_matrix(X, *, floor=1e-6, **options):
    return kernel_graph(X, **options)[0] + floor


def knn_graph_sparse(X, **options):
    return kernel_graph(X, sparse=True, **options)[0]

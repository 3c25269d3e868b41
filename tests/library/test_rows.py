"""Rows are matched by position; tables whose row names say otherwise are refused."""

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import (
    ConsensusEmbedding,
    FeatureImportanceInEmbeddings,
    SemiSupervisedGraphEmbedding,
    check_embedding,
    class_triplet_accuracy,
    clustering_accuracy,
    embedding_strength,
    fine_scores,
    fisher_scores,
    hierarchical_clusters_many,
    knn_ensemble,
    procrustes_align,
    r_squared_index,
    replicated_kmeans,
    residual_variances,
    retrieval_scores,
    smacof,
    vip_scores,
)
from consensus_embedding.clustering.clustering import cluster_scores
from consensus_embedding.diagnostics.retrieval import scores_of_dissimilarities
from consensus_embedding.utils.rows import check_row_order
from scipy.spatial.distance import pdist, squareform

NAMES = [f"p{k}" for k in range(40)]
TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 6)), NAMES, [f"f{k}" for k in range(6)])
LABELS = pd.Series(np.arange(40) % 2, NAMES)
READERS = {
    "consensus": lambda X, y: ConsensusEmbedding(2, n_embeddings=5, subset_size=3, random_state=0).fit(X, y),
    "importance": lambda X, y: FeatureImportanceInEmbeddings(n_features_to_select=2).fit(X, y),
    "semi-supervised": lambda X, y: SemiSupervisedGraphEmbedding(2).fit(X, y),
    "filter": lambda X, y: fisher_scores(X, y),
    "check": lambda X, y: check_embedding(X, embeddings=[TABLE.iloc[:, k : k + 2] for k in range(3)], labels=y),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_labels_under_the_row_names_of_the_table_in_another_order_are_refused(reader):
    words = "labels must have its rows in the order of X, .*; expected 'p0' as row 0 .*, found 'p39'"
    with pytest.raises(ValueError, match=words):
        reader(TABLE, LABELS[::-1])
    reader(TABLE, LABELS)
    # The same labels in the order of the table, under no names of it.
    reader(TABLE, LABELS.reset_index(drop=True))


@pytest.mark.parametrize(
    ("first", "second"),
    [(NAMES, range(40)), (range(40), range(7, 47)), (NAMES, [f"q{k}" for k in range(40)]), (NAMES, NAMES)],
)
def test_names_that_are_all_different_or_count_the_rows_are_other_names_of_the_rows(first, second):
    table, labels = TABLE.set_axis(first), LABELS.set_axis(second)
    assert np.array_equal(fisher_scores(table, labels), fisher_scores(TABLE.to_numpy(), LABELS.to_numpy()))


@pytest.mark.parametrize("other", [[*NAMES[1:], "p0"], [*NAMES[:20], *NAMES[30:], *NAMES[20:30]], [*NAMES[:39], "new"]])
def test_names_in_another_order_or_only_partly_the_same_are_refused(other):
    with pytest.raises(ValueError, match="labels must have its rows in the order of X"):
        check_row_order(X=TABLE, labels=pd.Series(0, other))


def test_the_same_instants_in_two_time_zones_are_the_same_rows():
    instants = pd.date_range("2026-01-01", periods=40, freq="h", tz="UTC")
    frame, labels = TABLE.set_axis(instants), LABELS.set_axis(instants.tz_convert("Europe/Berlin"))
    check_row_order(X=frame, labels=labels)
    with pytest.raises(ValueError, match="labels must have its rows in the order of X"):
        check_row_order(X=frame, labels=labels.iloc[::-1])


DISTANCES = pd.DataFrame(squareform(pdist(TABLE)), NAMES, NAMES)
PICTURE = TABLE.iloc[:, :2]
# What has its rows in another order, the table before it, and the function.
FUNCTIONS = [
    ("labels", "X", fine_scores, lambda y: (PICTURE, TABLE, y)),
    ("T", "X", fine_scores, lambda y: (PICTURE.loc[y.index], TABLE, LABELS)),
    ("labels", "T", vip_scores, lambda y: (PICTURE, np.eye(4, 2), y)),
    ("labels", "embedding", retrieval_scores, lambda y: (TABLE, y)),
    ("labels", "A", scores_of_dissimilarities, lambda y: (DISTANCES, y)),
    ("embedding", "reference", procrustes_align, lambda y: (TABLE.loc[y.index], TABLE)),
    ("train_positive", "train", knn_ensemble, lambda y: (TABLE, y, TABLE, [[0, 1]])),
    ("labels", "embedding", class_triplet_accuracy, lambda y: (y, DISTANCES)),
    ("embedding", "original", embedding_strength, lambda y: (DISTANCES, DISTANCES.loc[y.index, y.index])),
    ("truth", "clusters", clustering_accuracy, lambda y: (LABELS, y)),
    ("weights", "clusters", clustering_accuracy, lambda y: (LABELS, LABELS, 1 + y)),
    ("truth", "clusters", cluster_scores, lambda y: (LABELS, y)),
    ("clusters", "X", r_squared_index, lambda y: (TABLE, y)),
    ("weights", "X", r_squared_index, lambda y: (TABLE, LABELS, 1 + y)),
    ("embedding", "distances", residual_variances, lambda y: (TABLE.loc[y.index], DISTANCES)),
    ("weights", "X", lambda X, w: replicated_kmeans(X, weights=w), lambda y: (TABLE, 1 + y)),
    ("start", "distances", lambda A, start: smacof(A, start=start), lambda y: (DISTANCES, PICTURE.loc[y.index])),
    ("Embedding 1", "Embedding 0", hierarchical_clusters_many, lambda y: ([TABLE, TABLE.loc[y.index]],)),
]


@pytest.mark.parametrize(("late", "first", "function", "arguments"), FUNCTIONS)
def test_functions_refuse_names_in_another_order(late, first, function, arguments):
    function(*arguments(LABELS))
    with pytest.raises(ValueError, match=rf"^{late} must have its rows in the order of {first}, .* as row 0"):
        function(*arguments(LABELS[::-1]))

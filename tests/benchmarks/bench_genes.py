"""
Time the steps of consensus embedding on gene expression beside what a user would pick instead, on one core.

    .venv/bin/python tests/benchmarks/bench.py --only genes    under a minute

One line per step: both times, their ratio, and how well the results agree. The tables are planted, as large as those
of the lung cancer study of the Kent Ridge repository; the settings are those of config/config.yaml.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from consensus_embedding.clustering.hierarchical_clustering import hierarchical_clusters_many
from consensus_embedding.features.nearest_neighbors import knn_ensemble
from consensus_embedding.manifold.graph_embedding import EMBEDDERS
from replication.catalogue.configuration import read_configuration
from replication.data.domains.gene_preparation import prepare_genes, t_statistics
from replication.data.readers.expression_table import read_expression
from replication.data.readers.planted_expression import planted_expression
from replication.papers.viswanath2012.gene_splits import (
    base_embeddings,
    consensus_space,
    draw_subsets,
    embed_pool,
    score_space,
)
from replication.papers.viswanath2012.settings import GeneSettings
from rows import clock, in_words, note, once, say
from scipy.io import arff
from scipy.stats import ttest_ind
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score
from test_nearest_neighbors import by_scikit_learn
from threadpoolctl import threadpool_limits

SETTINGS = GeneSettings.model_validate(read_configuration()["gene_embedding"])
N_GENES = 12500
TRAINING, TEST = (16, 16), (15, 134)
N_EMBEDDINGS = 1000


def write_tables(folder, table):
    """The table as a .data file without header, class last, and as ARFF."""
    cells = pd.DataFrame(table.values.round(3)).assign(label=table.classes)
    rows = cells.to_csv(header=False, index=False)
    names = [f"@attribute g{k} numeric" for k in range(N_GENES)]
    head = "\n".join(["@relation genes", *names, "@attribute label {A,B}", "@data", ""])
    (folder / "genes.data").write_text(rows)
    (folder / "genes.arff").write_text(head + rows)


def largest_difference(ours, theirs):
    return f"largest difference {np.nanmax(np.abs(ours - theirs)):.0e}"


def bench_reading(folder):
    """Ours also checks every cell and class."""
    path = folder / "genes.data"
    ours, found = clock(read_expression, path, repeats=3)
    theirs, expected = clock(pd.read_csv, path, header=None, repeats=3)
    what = "Reading {} samples x {} genes, {}"
    agreement = largest_difference(found.values, expected.iloc[:, :-1].to_numpy())
    say(what.format(*found.values.shape, ".data"), ours, "pandas.read_csv", theirs, agreement)

    path = folder / "genes.arff"
    ours, found = clock(read_expression, path, repeats=3)
    theirs, (rows, meta) = once(arff.loadarff, path)
    values = np.array([rows[name] for name in meta.names()[:-1]]).T
    agreement = largest_difference(found.values, values)
    say(what.format(*found.values.shape, ".arff"), ours, "scipy.io.arff.loadarff", theirs, agreement)


def bench_t_statistics(table, positive):
    """Whole, and with some values missing."""
    holes = np.where(np.random.default_rng(0).random(table.values.shape) < 0.01, np.nan, table.values)
    for values, state, policy in ((table.values, "", "propagate"), (holes, ", 1 % missing", "omit")):
        ours, found = clock(t_statistics, values, positive)
        classes = values[positive], values[~positive]
        theirs, expected = clock(ttest_ind, *classes, equal_var=False, nan_policy=policy, repeats=1)
        what = f"t-statistics of {values.shape[1]} genes, {len(positive)} samples{state}"
        say(what, ours, "scipy.stats.ttest_ind", theirs, largest_difference(found, expected.statistic))


def bench_clustering(embeddings):
    for linkage in ("ward", "average"):
        ours, found = clock(hierarchical_clusters_many, embeddings, 2, linkage=linkage)
        model = AgglomerativeClustering(2, linkage=linkage)
        theirs, expected = clock(lambda m=model: np.array([m.fit_predict(one) for one in embeddings]), repeats=1)
        same = np.mean([adjusted_rand_score(*pair) == 1.0 for pair in zip(found, expected, strict=True)])
        what = f"Two clusters by {linkage} linkage, {' x '.join(map(str, embeddings.shape))}"
        say(what, ours, "AgglomerativeClustering", theirs, f"the same clusters in {same:.1%} of the embeddings")


def bench_knn(genes, subsets):
    k = SETTINGS.knn_neighbors
    tables = genes.training, genes.training_positive, genes.test, subsets
    ours, found = clock(knn_ensemble, *tables, n_neighbors=k)
    theirs, expected = clock(by_scikit_learn, *tables, k, repeats=1)
    what = f"kNN ensemble, {len(subsets)} subsets of {subsets.shape[1]} genes, {len(found)} test samples"
    say(what, ours, "KNeighborsClassifier a subset", theirs, largest_difference(found, expected))


def repetition(genes, reduction, subsets):
    """CreateEmbed on both splits, SelEmbed and CalcConsEmbed, once with labels and once without."""
    pool = embed_pool(genes, reduction, subsets, SETTINGS)
    found = {}
    for strength in ("supervised", "unsupervised"):
        chosen = pool.selected(strength, SETTINGS.theta)
        space = consensus_space(pool.embeddings[chosen], SETTINGS)
        found[strength] = score_space(space, genes.test_positive, SETTINGS.linkage).accuracy
    return found


def bench_repetition(genes, subsets):
    for reduction in EMBEDDERS:
        took, found = clock(repetition, genes, reduction, subsets, repeats=1)
        note(
            f"One repetition by {reduction}, {len(subsets)} embeddings of {len(genes.training)} training and "
            f"{len(genes.test)} test samples in {len(genes.genes)} genes",
            in_words(took),
            f"accuracy {', '.join(f'{value:.3f} ({strength})' for strength, value in found.items())}",
        )


def bench_genes():
    split = planted_expression(
        n_genes=N_GENES, n_informative=1000, effect=1.0, training=TRAINING, test=TEST, seed=20121
    )
    genes = prepare_genes(split, **SETTINGS.preparation)
    subsets = draw_subsets(SETTINGS.n_genes, SETTINGS.subset_size, N_EMBEDDINGS, 20121, 0)
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder), split.test)
        bench_reading(Path(folder))
        bench_t_statistics(split.test, genes.test_positive)
        bench_clustering(base_embeddings(genes.test, subsets, "pca", SETTINGS))
        bench_knn(genes, subsets)
        bench_repetition(genes, subsets)

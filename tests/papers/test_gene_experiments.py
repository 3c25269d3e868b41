"""Gene expression on planted classes: what is recovered, what must not leak from the test labels, and every score."""

from dataclasses import replace

import numpy as np
import pytest
from consensus_embedding.features.nearest_neighbors import knn_ensemble
from consensus_embedding.manifold.graph_embedding import GraphEmbedding
from consensus_embedding.manifold.out_of_sample import SemiSupervisedGraphEmbedding
from replication.data.domains.gene_preparation import PreparedGenes, prepare_genes
from replication.data.readers.expression_table import ExpressionTable, SplitExpression
from replication.data.readers.planted_expression import planted_expression
from replication.papers.viswanath2012 import gene_expression, gene_splits
from replication.papers.viswanath2012.gene_expression import (
    class_silhouettes,
    cohort_scores,
    knn_scores,
    score_variant,
    ssage_spaces,
)
from replication.papers.viswanath2012.gene_splits import (
    GenePool,
    check_embeddable,
    draw_subsets,
    embed_pool,
    gene_seed,
    load_pools,
    pool_depends_on,
    reduce,
    save_pools,
    score_space,
)
from replication.papers.viswanath2012.method_names import GENE_METHODS as METHODS
from replication.papers.viswanath2012.method_names import REDUCTIONS, VIEWS
from replication.papers.viswanath2012.settings import GeneSettings, GraphSettings, PoolSettings
from replication.shared.tidy import Metrics
from scipy.spatial.distance import pdist, squareform
from scipy.stats import hypergeom
from sklearn.cluster import AgglomerativeClustering
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score, balanced_accuracy_score, silhouette_samples, silhouette_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

SETTINGS = GeneSettings.model_validate(
    {"n_genes": 24, "n_neighbors": 8, "sigma": 0.5, "n_components": 3, "n_embeddings": 10, "subset_size": 6}
)
POOL = 10
NEIGHBORS = ("knn_ensemble", "knn_ensemble_scaled")
TRAINED = ("best_trained_ge", "best_trained_pca")
SINGLES = (*TRAINED, "best_single_ge", "best_single_pca")
# No space of their own is scored.
SPACELESS = (*NEIGHBORS, "majority", *SINGLES)
BY_TRAINING = SETTINGS.replace(standardization="training")
CONSENSUS = [f"consensus_{short}_{mark}{end}" for short in ("ge", "pca") for mark in ("s", "us")
             for end in ("", "_strict")]  # fmt: skip


def planted(seed=0, effect=2.5, test=(11, 9), n_genes=200):
    return planted_expression(
        n_genes=n_genes, n_informative=24, effect=effect, training=[14, 12], test=list(test), seed=seed
    )  # fmt: skip


def relabelled(split, part, seed=0):
    """The split with the labels of one part shuffled."""
    table = getattr(split, part)
    return replace(split, **{part: replace(table, classes=np.random.default_rng(seed).permutation(table.classes))})


def scored(split, *, repetitions=2, variant="main", pools=None, seed=5, **change):
    metrics = Metrics("gene_expression", "planted", "simulated", gene_expression.CONDITIONS)
    draws = {"repetitions": repetitions, "pool_size": POOL, "seed": seed}
    pictures, notes = score_variant(metrics, split, SETTINGS.replace(**change), variant=variant, pools=pools, **draws)
    return metrics.table(), pictures, notes


def values(table, metric, of_class=False):
    """Series of one metric by method and repetition; of the mean over the classes, or by class as well."""
    chosen = table[(table["metric"] == metric) & (table["class"].notna() == of_class)]
    index = ["method", "repetition", "class"] if of_class else ["method", "repetition"]
    return chosen.set_index(index)["value"]


@pytest.fixture(scope="module")
def split():
    # Weak enough that methods, draws and reductions differ.
    return planted(seed=3, effect=0.8, test=(11, 8))


@pytest.fixture(scope="module")
def genes(split):
    return prepare_genes(split, **SETTINGS.preparation)


@pytest.fixture(scope="module")
def main(split):
    return scored(split, repetitions=3)


@pytest.fixture(scope="module")
def subsets():
    return draw_subsets(24, 6, 20, seed=1, repetition=0)


def test_subsets_hold_every_gene_and_differ_between_draws_seeds_and_data_sets():
    found = draw_subsets(24, 6, POOL, gene_seed(1, "lung"), 0)
    assert found.shape == (POOL, 6)
    assert sorted(found[:4].ravel()) == list(range(24))
    np.testing.assert_array_equal(found, draw_subsets(24, 6, POOL, gene_seed(1, "lung"), 0))
    for other in ((gene_seed(1, "lung"), 1), (gene_seed(1, "breast"), 0), (gene_seed(2, "lung"), 0)):
        assert not np.array_equal(found, draw_subsets(24, 6, POOL, *other))


def test_embeddings_and_strengths_are_those_of_scikit_learn_on_the_same_subset_of_both_splits(genes, subsets):
    pool = embed_pool(genes, "pca", subsets, SETTINGS)
    truth = genes.training_positive
    for k in (0, 7, 19):
        training = PCA(3).fit_transform(genes.training[:, subsets[k]])
        clusters = AgglomerativeClustering(2, linkage="ward").fit_predict(training) == 1
        agreement = np.mean(clusters == truth)
        within = sum(np.square(training[part] - training[part].mean(axis=0)).sum() for part in (clusters, ~clusters))
        assert pool.supervised[k] == pytest.approx(max(agreement, 1 - agreement))
        assert pool.unsupervised[k] == pytest.approx(1 - within / np.square(training).sum())
        test = PCA(3).fit_transform(genes.test[:, subsets[k]])
        np.testing.assert_allclose(pdist(pool.embeddings[k].astype(float)), pdist(test), rtol=1e-5)


def test_graph_embedding_has_the_options_of_the_settings(genes, subsets):
    settings = SETTINGS.replace(kernel="gaussian", sigma=2.0, self_affinity=0.0, eigenvectors="diffusion")
    model = GraphEmbedding(3, kernel="gaussian", sigma=2.0, self_affinity=0.0, scaling="diffusion")
    found = embed_pool(genes, "graph_embedding", subsets[:2], settings).embeddings
    np.testing.assert_allclose(found[1], model.fit_transform(genes.test[:, subsets[1]]), rtol=1e-6)
    np.testing.assert_array_equal(reduce(genes.test, "graph_embedding", settings), model.fit_transform(genes.test))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_test_embeddings_need_no_training_split_and_strengths_no_test_split(genes, subsets, reduction):
    pool = embed_pool(genes, reduction, subsets, SETTINGS)
    other = embed_pool(replace(genes, training=genes.training[::-1] ** 3), reduction, subsets, SETTINGS)
    np.testing.assert_array_equal(other.embeddings, pool.embeddings)
    assert not np.array_equal(other.supervised, pool.supervised)
    other = embed_pool(
        replace(genes, test=genes.test**3, test_positive=~genes.test_positive), reduction, subsets, SETTINGS
    )  # fmt: skip
    np.testing.assert_array_equal(other.supervised, pool.supervised)
    np.testing.assert_array_equal(other.unsupervised, pool.unsupervised)
    assert not np.array_equal(other.embeddings, pool.embeddings)
    other = embed_pool(
        replace(genes, training_positive=np.roll(genes.training_positive, 5)), reduction, subsets, SETTINGS
    )  # fmt: skip
    np.testing.assert_array_equal(other.unsupervised, pool.unsupervised)
    assert not np.array_equal(other.supervised, pool.supervised)


def test_a_pool_depends_on_its_settings_and_one_of_pca_on_no_graph():
    for key in PoolSettings.model_fields:
        other = SETTINGS.replace(**{key: "another"})
        assert pool_depends_on("graph_embedding", other) != pool_depends_on("graph_embedding", SETTINGS)
        of_the_graph = key in GraphSettings.model_fields and key != "n_components"
        assert (pool_depends_on("pca", other) == pool_depends_on("pca", SETTINGS)) is of_the_graph


@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal:RuntimeWarning")
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_subsets_of_constant_genes_have_no_strength(genes, subsets, reduction):
    plain = embed_pool(genes, reduction, subsets, SETTINGS)
    constant = genes.training.copy()
    constant[:, subsets[3]] = np.arange(6) / 10
    pool = embed_pool(replace(genes, training=constant), reduction, subsets, SETTINGS)
    assert pool.supervised[3] == pool.unsupervised[3] == 0
    untouched = ~np.isin(subsets, subsets[3]).any(axis=1)
    assert untouched.any()
    assert np.array_equal(pool.supervised[untouched], plain.supervised[untouched])


def test_selection_by_either_strength():
    pool = GenePool(np.zeros((4, 5, 2)), np.array([1.0, 0.9, 0.5, 0.91]), np.array([0.1, 0.5, 0.46, 0.0]))
    assert pool.selected("supervised", 0.15).tolist() == [0, 1, 2, 3]
    # Strictly above the threshold.
    assert pool.selected("supervised", 0.9).tolist() == [0, 3]
    assert pool.selected("unsupervised", 0.15).tolist() == [0, 1, 2]
    assert pool.first(1).selected("unsupervised", 0.9).tolist() == [0]
    # Chance is one half with labels: above 0.5 + 0.85 x 0.5; and nothing without.
    assert pool.selected("supervised", 0.85, "chance_corrected").tolist() == [0]
    assert pool.selected("unsupervised", 0.85, "chance_corrected").tolist() == [1, 2]
    assert pool.selected("supervised", 0.5, "strongest").tolist() == [0, 3]


def test_saved_pools_are_loaded_as_they_were(genes, subsets, tmp_path):
    pools = [embed_pool(genes, "pca", part, SETTINGS) for part in (subsets[:5], subsets[5:10])]
    np.savez(tmp_path / "pools.npz", **save_pools(pools))
    loaded = load_pools(tmp_path / "pools.npz")
    assert len(loaded) == 2
    for saved, found in zip(pools, loaded, strict=True):
        for key in ("embeddings", "supervised", "unsupervised"):
            np.testing.assert_array_equal(getattr(found, key), getattr(saved, key))
        assert found.embeddings.dtype == np.float32


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_embeddings_do_not_depend_on_the_threads_of_blas(reduction, monkeypatch):
    # Large enough for BLAS to share its work.
    rng = np.random.default_rng(0)
    positive = np.arange(300) % 2 == 1
    tables = [rng.normal(size=(300, 260)) + positive[:, None] for _ in range(2)]
    large = PreparedGenes(*tables, positive, positive, np.arange(260).astype(str), ("a", "b"), ())
    drawn = draw_subsets(260, 250, 3, 0, 0)
    threads, cluster = [], gene_splits.hierarchical_clusters_many

    def watched(*args, **options):
        threads.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return cluster(*args, **options)

    monkeypatch.setattr(gene_splits, "hierarchical_clusters_many", watched)
    found = []
    for n in (1, 2):
        with threadpool_limits(n, user_api="blas"):
            found.append(embed_pool(large, reduction, drawn, SETTINGS))
    assert set(threads) == {1}
    for key in ("embeddings", "supervised", "unsupervised"):
        np.testing.assert_array_equal(getattr(found[0], key), getattr(found[1], key))


def test_scores_of_a_space_are_those_of_its_two_ward_clusters(genes):
    truth, found = genes.test_positive, {}
    for linkage in ("ward", "average"):
        found[linkage] = score_space(genes.test, truth, linkage)
        clusters = AgglomerativeClustering(2, linkage=linkage).fit_predict(genes.test)
        called = max((clusters == 0, clusters == 1), key=lambda one: accuracy_score(truth, one))
        np.testing.assert_array_equal(found[linkage].called, called)
        assert found[linkage].accuracy == accuracy_score(truth, called)
        assert found[linkage].balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, called))
    assert not np.array_equal(found["ward"].called, found["average"].called)


def test_silhouettes_of_balanced_classes_average_to_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    space, positive = rng.normal(size=(20, 3)), rng.permutation(20) < 10
    space[positive] += 1
    assert np.mean(class_silhouettes(space, positive)) == pytest.approx(silhouette_score(space, positive))
    rare = rng.permutation(20) < 3
    single = silhouette_samples(space, rare)
    assert class_silhouettes(space, rare) == pytest.approx((single[~rare].mean(), single[rare].mean()))


def test_ssage_reveals_the_training_labels_and_only_those(genes):
    space, clusters = ssage_spaces(genes, SETTINGS)
    together = np.concatenate([genes.training, genes.test])
    labels = np.concatenate([np.where(genes.training_positive, 1, 0), np.full(19, -1)])
    graph = {"kernel": "knn", "n_neighbors": 8, "sigma": 0.5, "self_affinity": 1.0, "scaling": "rows"}
    doubled = SemiSupervisedGraphEmbedding(3, label_weights=(2.0, 0.5), **graph).fit_transform(together, labels)
    np.testing.assert_array_equal(space, doubled)
    assert len(clusters) == 45
    assert set(clusters) == {0, 1}
    zhao, _ = ssage_spaces(genes, SETTINGS.replace(label_weights="zhao"))
    np.testing.assert_array_equal(zhao, SemiSupervisedGraphEmbedding(3, **graph).fit_transform(together, labels))
    assert not np.allclose(space, zhao, atol=1e-3)
    hidden, _ = ssage_spaces(replace(genes, test_positive=~genes.test_positive), SETTINGS)
    np.testing.assert_array_equal(hidden, space)
    shuffled, _ = ssage_spaces(replace(genes, training_positive=np.roll(genes.training_positive, 5)), SETTINGS)
    assert not np.allclose(shuffled, space, atol=1e-3)


@pytest.mark.parametrize(("reduction", "short"), REDUCTIONS.items())
def test_single_embeddings_are_those_of_the_pool(main, genes, reduction, short):
    found = {metric: values(main[0], metric) for metric in ("accuracy", "balanced_accuracy", "n_selected")}
    for r in range(3):
        pool = embed_pool(genes, reduction, draw_subsets(24, 6, POOL, 5, r), SETTINGS)
        each = [score_space(one.astype(float), genes.test_positive, SETTINGS.linkage) for one in pool.embeddings]
        tied = [one for one, strength in zip(each, pool.supervised, strict=True) if strength == max(pool.supervised)]
        for metric in ("accuracy", "balanced_accuracy"):
            assert found[metric][f"best_trained_{short}", r] == np.mean([getattr(one, metric) for one in tied])
        assert found["n_selected"][f"best_trained_{short}", r] == len(tied)
        best = max(each, key=lambda one: one.accuracy)
        assert found["accuracy"][f"best_single_{short}", r] == best.accuracy
        assert found["balanced_accuracy"][f"best_single_{short}", r] == best.balanced_accuracy


def two_groups(wrong, truth):
    """A space of two far groups, the classes but for some samples of A and of B in the other group."""
    called = truth.copy()
    for positive, n in zip((False, True), wrong, strict=True):
        called[np.flatnonzero(truth == positive)[:n]] ^= True
    return 100.0 * called[:, None] + np.random.default_rng(0).normal(size=(len(truth), 3))


def test_of_embeddings_tied_in_training_the_mean_is_scored(split, genes):
    # Samples of A (of 11) and of B (of 8) on the wrong side, of four embeddings; the second is without fault.
    wrong = [(1, 0), (0, 0), (0, 2), (3, 1)]
    spaces = np.array([two_groups(one, genes.test_positive) for one in wrong], dtype=np.float32)
    flat, strengths = np.ones(4), {"graph_embedding": [0.9, 0.7, 0.9, 0.9], "pca": [0.6, 0.7, 0.8, 0.7]}
    pools = {key: [GenePool(spaces, np.array(one), flat), GenePool(spaces, flat, flat)]
             for key, one in strengths.items()}  # fmt: skip
    table, _, _ = scored(split, pools=pools, n_embeddings=4)
    accuracy, balanced = np.array([18, 19, 17, 15]) / 19, (np.array([10, 11, 11, 8]) / 11 + [1, 1, 6 / 8, 7 / 8]) / 2
    # All four are tied in the second draw.
    chosen = {("ge", 0): [0, 2, 3], ("pca", 0): [2], ("ge", 1): [0, 1, 2, 3], ("pca", 1): [0, 1, 2, 3]}
    for (short, r), members in chosen.items():
        trained = f"best_trained_{short}", r
        assert values(table, "n_selected")[trained] == len(members)
        assert values(table, "accuracy")[trained] == pytest.approx(accuracy[members].mean())
        assert values(table, "balanced_accuracy")[trained] == pytest.approx(balanced[members].mean())
        for metric in ("accuracy", "balanced_accuracy"):
            assert values(table, metric)[f"best_single_{short}", r] == 1


def test_scaled_methods_measure_both_splits_by_the_training_split(main, genes):
    # Expression before it is scaled, and scikit-learn to scale it and to look for neighbours.
    raw = prepare_genes(
        planted(seed=3, effect=0.8, test=(11, 8)), **SETTINGS.replace(standardization="none").preparation
    )
    scaler = StandardScaler().fit(raw.training)
    training, test, truth = scaler.transform(raw.training), scaler.transform(raw.test), genes.test_positive
    found = {metric: values(main[0], metric) for metric in ("accuracy", "balanced_accuracy", "silhouette")}
    for r in range(3):
        shares = []
        for subset in draw_subsets(24, 6, POOL, 5, r):
            model = KNeighborsClassifier(3).fit(training[:, subset], raw.training_positive)
            shares.append(model.predict_proba(test[:, subset])[:, 1])
        called = np.rint(3 * np.array(shares)).sum(axis=0) > 1.5 * POOL
        assert found["accuracy"]["knn_ensemble_scaled", r] == accuracy_score(truth, called)
        assert found["balanced_accuracy"]["knn_ensemble_scaled", r] == balanced_accuracy_score(truth, called)
    space, clusters = ssage_spaces(replace(genes, training=training, test=test), SETTINGS)
    expected = cohort_scores(clusters, 26, truth)
    assert (found["accuracy"]["ssage_scaled"] == expected.accuracy).all()
    assert (found["balanced_accuracy"]["ssage_scaled"] == expected.balanced_accuracy).all()
    assert found["silhouette"]["ssage_scaled", 0] == pytest.approx(np.mean(class_silhouettes(space[26:], truth)))
    assert found["silhouette"]["ssage_scaled", 0] != pytest.approx(found["silhouette"]["ssage", 0])


def test_unequal_shares_of_the_classes_shift_splits_that_are_scaled_each_by_itself():
    # 15 and 15 training samples; 45 and 5 test samples, and for comparison 25 and 25.
    accuracy, shift = {}, {}
    for shares in ((45, 5), (25, 25)):
        for seed in range(4):
            split = planted_expression(
                n_genes=200, n_informative=24, effect=2.5, training=[15, 15], test=list(shares), seed=seed
            )  # fmt: skip
            for by in ("split", "training"):
                genes = prepare_genes(split, **SETTINGS.replace(standardization=by).preparation)
                found = knn_scores(genes, draw_subsets(24, 6, POOL, 5, 0), 3)
                accuracy.setdefault((shares, by), []).append(found.accuracy)
                # How far the common class lies from where it lies in training, in units of the distance of both.
                centre, other, training = (part[chosen].mean(axis=0) for part, chosen in (
                    (genes.test, ~genes.test_positive), (genes.training, genes.training_positive),
                    (genes.training, ~genes.training_positive)))  # fmt: skip
                shift.setdefault((shares, by), []).append(
                    (centre - training) @ (other - training) / np.square(other - training).sum()
                )
    # A share p of B puts A at -p * effect and makes the unit sqrt(1 + p * (1 - p) * effect^2), both in deviations
    # within a class: 0.1 * 2.5 / 1.25 = 0.2 and 0.5 * 2.5 / 1.60 = 0.78, of which twice is the distance in training.
    np.testing.assert_allclose(shift.pop(((45, 5), "split")), (0.78 - 0.2) / 1.56, atol=0.03)
    np.testing.assert_allclose(list(shift.values()), 0, atol=0.05)
    assert max(accuracy[(45, 5), "split"]) < 0.92
    assert min(accuracy[(45, 5), "training"]) == 1
    assert min(accuracy[(25, 25), "split"] + accuracy[(25, 25), "training"]) == 1


@pytest.mark.parametrize("part", ["training", "test"])
def test_splits_that_cannot_be_embedded_are_refused(genes, part):
    positive = np.array([False, True, True, False])
    few = {n: replace(genes, **{part: getattr(genes, part)[:n], f"{part}_positive": positive[:n]}) for n in (2, 3, 4)}
    # As many as needed; no fewer than three even for one dimension.
    check_embeddable(few[4], 3)
    check_embeddable(few[3], 1)
    with pytest.raises(ValueError, match=f"at least 4 samples in the {part} split .* 3 dimensions, found 3"):
        embed_pool(few[3], "pca", np.arange(24).reshape(4, 6), SETTINGS)
    with pytest.raises(ValueError, match=f"at least 3 samples in the {part} split .* 1 dimensions, found 2"):
        check_embeddable(few[2], 1)
    n = len(getattr(genes, part))
    equal = replace(genes, **{part: np.tile(getattr(genes, part)[:1], (n, 1))})
    with pytest.raises(ValueError, match=f"24 chosen genes, found {n} equal ones in the {part} split"):
        check_embeddable(equal, 3)
    equal.__dict__[part][-1, -1] += 1e-9
    check_embeddable(equal, 3)


def test_pictures_show_the_scored_clusters_of_the_first_draw(main, split):
    table, pictures, _ = main
    truth = split.test.classes == "B"
    np.testing.assert_array_equal(pictures["positive"], truth)
    assert pictures["class_names"].tolist() == ["A", "B"]
    for method in VIEWS:
        called, space = pictures[f"{method}/called"], pictures[f"{method}/embedding"]
        first = {metric: values(table, metric)[method, 0] for metric in set(table["metric"]) - {"n_samples"}
                 if (method, 0) in values(table, metric)}  # fmt: skip
        assert first["false_positive_rate"] == pytest.approx(called[~truth].mean())
        assert first["false_negative_rate"] == pytest.approx(1 - called[truth].mean())
        assert first["accuracy"] == pytest.approx(accuracy_score(truth, called))
        assert first["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(truth, called))
        single = silhouette_samples(space, truth)
        by_class = [single[truth == positive].mean() for positive in (False, True)]
        assert first["silhouette"] == pictures[f"{method}/silhouette"] == pytest.approx(np.mean(by_class))


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        ({"label_weights": "zhao"}, {"ssage", "ssage_test_only", "ssage_scaled"}),
        ({"knn_neighbors": 1}, {"knn_ensemble", "knn_ensemble_scaled"}),
    ],
)
def test_variants_use_the_draws_of_the_main_choices(main, split, genes, change, moved):
    # The main scores take pools that were embedded before, with more subsets than they use.
    few = 8
    drawn = [draw_subsets(24, 6, POOL, 5, r) for r in range(2)]
    pools = {reduction: [embed_pool(genes, reduction, one, SETTINGS) for one in drawn] for reduction in REDUCTIONS}
    before, _, _ = scored(split, pools=pools, n_embeddings=few)
    other, _, _ = scored(split, variant="other", n_embeddings=few, **change)
    assert set(other["variant"]) == {"other"}
    assert list(before["method"]) == list(other["method"])
    differ = before["value"] != other["value"]
    assert differ.any()
    assert set(before["method"][differ]) <= moved
    assert values(before, "n_selected")["consensus_ge_s"].tolist() == [few] * 2
    assert (
        values(main[0], "accuracy")["random_genes"][:2].tolist() == values(other, "accuracy")["random_genes"].tolist()
    )


def test_subsets_are_combined_without_a_reduction_as_well(main, genes):
    found = values(main[0], "silhouette", of_class=True)["consensus_subsets"]
    for r in range(3):
        tables = np.array([genes.test[:, subset] for subset in draw_subsets(24, 6, POOL, 5, r)])
        distances = np.array([pdist(one) / pdist(one).max() for one in tables])
        # Multidimensional scaling by scalar products of the centred median distances.
        centre = np.eye(19) - 1 / 19
        products = -0.5 * centre @ np.square(squareform(np.median(distances, axis=0))) @ centre
        sizes, axes = np.linalg.eigh(products)
        single = silhouette_samples(axes[:, -3:] * np.sqrt(sizes[-3:]), genes.test_positive)
        assert found[r, "A"] == pytest.approx(single[~genes.test_positive].mean())
        assert found[r, "B"] == pytest.approx(single[genes.test_positive].mean())


def test_random_genes_are_usable_where_the_genes_are_chosen():
    # Of 30 genes 6 are constant and 8 more are so in the training split: it alone has fewer usable ones than asked for.
    split = planted(seed=1, n_genes=30)
    tables = []
    for part, constant in ((split.training, range(14)), (split.test, range(6))):
        given = part.values.copy()
        given[:, list(constant)] = 6.0
        tables.append(replace(part, values=given))
    flat = SplitExpression(*tables)
    with pytest.raises(ValueError, match=r"at least 24 usable genes .* found 16 of 30"):
        scored(flat)
    table, _, notes = scored(flat, pruning="whole", transform="none")
    # The whole set has just as many as asked for, so any draw contains the same ones.
    accuracy, silhouette = values(table, "accuracy"), values(table, "silhouette")
    assert accuracy["random_genes"].tolist() == accuracy["features"].tolist()
    np.testing.assert_allclose(silhouette["random_genes"], silhouette["features"])
    assert notes == ("14 of 30 genes cannot be used (0 have no value in the training split)",)


@pytest.mark.parametrize("seed", range(3))
def test_planted_classes_are_recovered(seed):
    table, pictures, _ = scored(planted(seed), repetitions=1)
    accuracy, balanced = values(table, "accuracy"), values(table, "balanced_accuracy")
    baselines = ("ssage", "ssage_scaled", *NEIGHBORS)
    for method in (*CONSENSUS, *baselines, "pca", "graph_embedding", "features", "consensus_subsets"):
        assert accuracy[method, 0] >= 0.95, method
        assert balanced[method, 0] >= 0.94, method
    assert accuracy["random_embedding", 0] < 0.8
    # Which cluster is which class is known, too.
    assert (pictures["consensus_pca_s/called"] == pictures["positive"]).mean() >= 0.95


def chance(called, positive, *, best_of_two=True):
    """Mean and variance of the accuracy when the labels are shuffled and the clusters stay."""
    n, size = len(called), int(called.sum())
    hits = np.arange(size + 1)
    weights = hypergeom(n, int(positive.sum()), size).pmf(hits)
    right = hits + (n - positive.sum()) - (size - hits)
    accuracy = (np.maximum(right, n - right) if best_of_two else right) / n
    mean = weights @ accuracy
    return mean, weights @ np.square(accuracy - mean)


def beyond_chance(pruning, n_seeds):
    """How many standard errors each method lies above chance where the classes do not differ."""
    found = {}
    for seed in range(n_seeds):
        split = planted(seed, effect=0.0)
        _, pictures, _ = scored(split, repetitions=1, pruning=pruning)
        positive = pictures["positive"]
        called = {method: pictures[f"{method}/called"] for method in VIEWS}
        genes = prepare_genes(split, **SETTINGS.replace(pruning=pruning).preparation)
        for reduction in REDUCTIONS:
            space = reduce(genes.test, reduction, SETTINGS)
            called[reduction] = score_space(space, positive, SETTINGS.linkage).called
        subsets = draw_subsets(24, 6, POOL, 5, 0)
        scaled = prepare_genes(split, **BY_TRAINING.replace(pruning=pruning).preparation)
        for method, one in zip(NEIGHBORS, (genes, scaled), strict=True):
            called[method] = knn_ensemble(one.training, one.training_positive, one.test, subsets) > 0.5
        called["ssage_scaled"] = cohort_scores(ssage_spaces(scaled, SETTINGS)[1], 26, positive).called
        for method, one in called.items():
            mean, variance = chance(one, positive, best_of_two=method not in NEIGHBORS)
            found.setdefault(method, []).append((np.mean(one == positive) - mean, variance))
    return {method: np.sum(rows, axis=0)[0] / np.sqrt(np.sum(rows, axis=0)[1]) for method, rows in found.items()}


@pytest.mark.slow
def test_without_an_effect_nothing_is_found_beyond_chance():
    found = beyond_chance("training", 40)
    assert len(found) == 10
    assert max(np.abs(list(found.values()))) < 3, found


@pytest.mark.slow
def test_genes_chosen_on_the_whole_set_find_classes_where_there_are_none():
    found = beyond_chance("whole", 20)
    assert min(found.values()) > 4, found


def traces(split, **change):
    """All that is computed before any score of the test samples: name -> list of arrays."""
    seen = {}

    def watch(patch, module, name, *, arguments=False):
        function = getattr(module, name)

        def watched(*args, **options):
            result = function(*args, **options)
            kept = args[0] if arguments else result
            if isinstance(kept, PreparedGenes):
                # The test labels, which are there for the scores, are the one thing that follows them.
                kept = (kept.training, kept.test, kept.training_positive, kept.genes)
            kept = vars(kept).values() if hasattr(kept, "__dataclass_fields__") else (kept,)
            for part in kept:
                seen.setdefault(name, []).extend(part if isinstance(part, tuple) else [part])
            return result

        patch.setattr(module, name, watched)

    with pytest.MonkeyPatch.context() as patch:
        # Its first argument is the space of each method in turn.
        watch(patch, gene_expression, "class_silhouettes", arguments=True)
        for name in ("prepare_genes", "draw_subsets", "embed_pool", "ssage_spaces", "knn_ensemble"):
            watch(patch, gene_expression, name)
        for name in ("select_embeddings", "combine_embeddings", "hierarchical_clusters", "hierarchical_clusters_many"):
            watch(patch, gene_splits, name)
        watch(patch, gene_expression.DistancesOfEmbeddings, "combine")
        table, _, _ = scored(split, **change)
    silhouettes = values(table, "silhouette")
    spaces = seen.pop("class_silhouettes")
    assert len(spaces) == len(silhouettes) == 2 * (len(METHODS) - len(SPACELESS))
    seen |= {f"space of {method}, draw {r}": [space]
             for (method, r), space in zip(silhouettes.index, spaces, strict=True)}  # fmt: skip
    votes = [f"votes of {method}, draw {r}" for r in range(2) for method in NEIGHBORS]
    seen |= {name: [one] for name, one in zip(votes, seen.pop("knn_ensemble"), strict=True)}
    # Space and clusters of the whole cohort, of each of the two in turn.
    cohorts = seen.pop("ssage_spaces")
    assert len(cohorts) == 4
    seen |= {"cohort of ssage": cohorts[:2], "cohort of ssage_scaled": cohorts[2:]}
    # The genes as they are scaled, and those scaled by the training split.
    assert len(seen["prepare_genes"]) == 2 * 4
    seen["n_selected"] = [values(table, "n_selected").to_numpy()]
    return seen


def differing(first, second):
    assert set(first) == set(second)
    found = set()
    for name, arrays in first.items():
        same = len(arrays) == len(second[name])
        # Bit for bit.
        if not (same and all(np.array_equal(a, b) for a, b in zip(arrays, second[name], strict=True))):
            found.add(name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("shuffle", range(3))
@pytest.mark.parametrize("change", [{}, {"standardization": "training", "transform": "log", "eigenvectors": "none"}])
def test_test_labels_move_nothing(split, change, shuffle):
    before = traces(split, **change)
    assert len(before) > 30
    # What is compared holds the baselines that are scaled by the training split as well, apart from the plain ones.
    for name in ("cohort of ssage", "votes of knn_ensemble, draw 1", "space of ssage, draw 1"):
        method = next(one for one in name.replace(",", " ").split() if one in METHODS)
        plain, scaled = before[name][0], before[name.replace(method, f"{method}_scaled")][0]
        assert np.array_equal(plain, scaled) == ("standardization" in change), name
    other = relabelled(split, "test", shuffle)
    assert not np.array_equal(other.test.classes, split.test.classes)
    assert differing(before, traces(other, **change)) == set()


def test_training_labels_move_what_is_learnt_from_them(split):
    moved = differing(traces(split), traces(relabelled(split, "training")))
    still = {name for name in traces(split) if name not in moved}
    controls = {f"space of random_{kind}, draw {r}" for kind in ("genes", "embedding") for r in range(2)}
    assert still == controls | {"draw_subsets"}


def test_test_labels_move_everything_if_genes_are_chosen_on_the_whole_set(split):
    other = relabelled(split, "test")
    moved = differing(traces(split, pruning="whole"), traces(other, pruning="whole"))
    for method in set(METHODS) - {*SPACELESS, "random_genes", "random_embedding"}:
        assert {f"space of {method}, draw 0", f"space of {method}, draw 1"} <= moved, method
    assert {f"votes of {method}, draw {r}" for method in NEIGHBORS for r in range(2)} <= moved
    assert {"prepare_genes", "embed_pool", "combine", "cohort of ssage", "cohort of ssage_scaled"} <= moved
    assert "draw_subsets" not in moved


def test_order_of_the_test_samples_does_not_matter():
    split = planted(seed=2, effect=2.0)
    order = np.random.default_rng(0).permutation(20)
    turned = replace(split, test=ExpressionTable(split.test.values[order], split.test.genes, split.test.classes[order]))
    first, second = (values(scored(part)[0], "accuracy") for part in (split, turned))
    steady = [method for method in METHODS if method != "random_embedding"]
    np.testing.assert_allclose(second[steady], first[steady])

"""The toy image and the checks of the theory, small: known answers, bounds, and what must hold exactly."""

import numpy as np
import pytest
from presented import rows
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.planted_expression import planted_expression
from replication.data.toy_image import toy_image
from replication.papers.viswanath2012 import theory_error, theory_monotone, theory_strength, toy_rgb
from replication.papers.viswanath2012.gene_splits import base_embeddings, draw_subsets, embed_pool
from replication.papers.viswanath2012.method_names import MEASURES
from replication.papers.viswanath2012.settings import PoolSettings
from replication.platform.steps import Work
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kendalltau, spearmanr

GRAPH = {"kernel": "knn", "n_neighbors": 10, "scaling": "none"}
TOY = toy_rgb.ToyStudy.model_validate(
    {
        "size": 14,
        "noise": [0.1, 3.0],
        "red_noise": [0.0],
        "n_draws": 3,
        "n_components": 2,
        "graphs": {"knn": GRAPH},
        "picture": {"noise": 3.0, "red_noise": 0.0, "draw": 0, "graph": "knn"},
    },
)
STRENGTH = theory_strength.StrengthStudy.model_validate(
    {
        "n_objects": 16,
        "n_components": 2,
        "n_embeddings": [1, 4, 16],
        "levels": [0.28, 1 / 3, 0.45, 0.7],
        "theta": 0.6,
        "errors": ["independent", "unequal", "shared"],
        "repetitions": 3,
    },
)
ERROR = theory_error.ErrorStudy.model_validate(
    {
        "n_objects": 12,
        "n_components": 3,
        "n_embeddings": [3, 8],
        "error_size": 0.5,
        "errors": ["gaussian", "heavy_tailed", "skewed", "lost_axes"],
        "repetitions": 4,
    },
)
MONOTONE = theory_monotone.MonotoneStudy.model_validate(
    {
        "n_objects": 24,
        "n_components": 3,
        "separation": 3.0,
        "n_levels": 8,
        "largest_error": 10.0,
        "largest_stretch": 8.0,
        "series": ["noise", "emphasis", "both", "premise"],
        "repetitions": 3,
        "noise": 3,
        "inhomogeneity": 20,
    },
)

GENES = PoolSettings.model_validate(
    {"n_genes": 20, "n_neighbors": 5, "sigma": 0.5, "n_components": 3, "subset_size": 5}
)


@pytest.fixture(scope="module")
def toy():
    return toy_rgb.run(TOY, Work(seed=1))


@pytest.fixture(scope="module")
def strength():
    return theory_strength.run(STRENGTH, Work(seed=1))


@pytest.fixture(scope="module")
def error():
    return theory_error.run(ERROR, Work(seed=1))


@pytest.fixture(scope="module")
def monotone():
    return theory_monotone.run(MONOTONE, Work(seed=1))


def test_every_method_finds_the_foreground_with_little_noise():
    image = toy_image(14, noise=0.3, seed=0)
    found = {
        method: (clusters.reshape(14, 14) == image.foreground).mean()
        for method, clusters in toy_rgb.partitions(image, GRAPH).items()
    }
    assert {method for method, agreement in found.items() if agreement not in (0.0, 1.0)} <= {"green_blue"}
    assert len(found) > 2


def test_noise_defeats_k_means_but_not_the_consensus(toy):
    metrics, _ = toy
    assert rows(metrics, "accuracy", method="k_means", noise=0.1)["value"].min() == 1.0
    assert rows(metrics, "accuracy", method="k_means", noise=3.0)["value"].max() < 0.75
    assert rows(metrics, "accuracy", method="green_blue", noise=3.0)["value"].max() < 0.75
    assert rows(metrics, "accuracy", method="consensus", noise=3.0)["value"].min() > 0.75


def test_baselines_fail_at_a_noise_level_where_both_are_wrong_on_average(toy):
    metrics, _ = toy
    means = rows(metrics, "accuracy").groupby(["noise", "method"])["value"].mean().unstack()
    failing = (means[["k_means", "graph_embedding"]] < 0.75).all(axis=1)
    assert failing.any()
    assert not failing.all()
    told = metrics.groupby("noise")["baselines"].unique()
    assert {noise: one.tolist() for noise, one in told.items()} == {
        noise: ["fail" if bad else "succeed"] for noise, bad in failing.items()
    }


def test_formula_against_explicit_sums():
    assert theory_strength.majority_formula(0.7, 1) == pytest.approx(0.7)
    assert theory_strength.majority_formula(0.7, 2) == pytest.approx(0.7)
    assert theory_strength.majority_formula(0.7, 3) == pytest.approx(0.7**3 + 3 * 0.7**2 * 0.3)
    assert theory_strength.majority_formula(0.7, 400) > 0.999
    assert theory_strength.majority_formula(0.4, 400) < 0.001
    assert theory_strength.majority_formula(0.5, 10) == pytest.approx(0.5)


def test_bands():
    bands = [theory_strength.band(level, 0.6) for level in (0.2, 1 / 3, 0.5, 0.6, 0.61)]
    assert bands == ["reversed", "chance", "weak", "weak", "strong"]


@pytest.mark.slow
def test_single_embeddings_have_the_strength_that_was_asked_for(strength):
    for level in STRENGTH.levels:
        for kind in STRENGTH.errors:
            found = rows(strength, "strength", method="single", level=level, error=kind)["value"]
            assert found.mean() == pytest.approx(level, abs=0.06)


def test_independent_strong_embeddings_gain_with_their_number_shared_errors_stay(strength):
    def mean(kind, k):
        return rows(strength, "strength", method="mean", space="consensus", level=0.7, error=kind, n_embeddings=k)[
            "value"
        ].mean()

    assert mean("independent", 16) > mean("independent", 1) + 0.1
    assert mean("independent", 16) > mean("shared", 16)
    correlation = rows(strength, "spearman", method="mean", space="consensus", level=0.7, error="independent")
    assert (correlation["value"] > 0.9).all()


def test_inside_out_is_worse_than_chance():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(10):
        truth = rng.normal(size=(40, 3))
        reverse = theory_strength.inside_out(truth)
        assert reverse.std() == pytest.approx(truth.std())
        found.append(theory_strength.embedding_strength(squareform(pdist(truth)), squareform(pdist(reverse))).value)
    assert np.mean(found) < theory_strength.CHANCE - 0.02


def test_mean_distances_tend_to_the_true_order_whatever_the_strength():
    # Independent errors alike for all samples: the expected distance is a rising function of the true one.
    shape = (10, 2)
    size = theory_strength.error_size("independent", 0.5, shape, 0)
    truth, base = theory_strength.simulate("independent", 0.5, size, 4000, shape, np.random.default_rng(0))
    mean = np.mean([pdist(y) for y in base], axis=0)
    assert spearmanr(mean, pdist(truth)).statistic > 0.99


def test_votes_against_direct_counting():
    rng = np.random.default_rng(0)
    truth, base = rng.normal(size=(7, 2)), rng.normal(size=(5, 7, 2))
    found = theory_strength.vote_curves(squareform(pdist(truth)), base, [5])
    majority, plurality, triplets = 0.0, 0.0, 0
    for c in range(7):
        for d in range(c + 1, 7):
            for e in range(d + 1, 7):
                pairs = [(c, d), (c, e), (d, e)]
                votes = [min(pairs, key=lambda p: np.linalg.norm(y[p[0]] - y[p[1]])) for y in base]
                right = min(pairs, key=lambda p: np.linalg.norm(truth[p[0]] - truth[p[1]]))
                counts = [votes.count(pair) for pair in pairs]
                majority += votes.count(right) > 2.5
                plurality += (votes.count(right) == max(counts)) / counts.count(max(counts))
                triplets += 1
    assert found["majority_vote", "vote"] == [pytest.approx(majority / triplets)]
    assert found["plurality_vote", "vote"] == [pytest.approx(plurality / triplets)]


def test_strength_that_cannot_be_reached_is_refused():
    with pytest.raises(ValueError, match="One embedding has a strength between"):
        theory_strength.error_size("independent", 0.01, (16, 2), 0)


def test_mean_before_scaling_never_has_more_error_than_its_base(error):
    exact = rows(error, "holds", method="mean", space="consensus")
    assert len(exact) == 2 * 4 * 4 * 2 + 1
    assert (exact["value"] == 1.0).all()
    assert (rows(error, "pair_share", method="mean", space="consensus")["value"] == 1.0).all()


def test_errors_against_explicit_distances():
    truth, base = theory_error.simulate("skewed", 5, (12, 3), 0.5, np.random.default_rng(0))
    scores = theory_error.errors_of(truth, base, "max")
    true = pdist(truth) / pdist(truth).max()
    distances = np.array([pdist(y) / pdist(y).max() for y in base])
    assert scores["mean", "consensus"]["mse"] == pytest.approx(np.mean((distances.mean(axis=0) - true) ** 2))
    median = np.median(distances, axis=0)
    assert scores["median", "consensus"]["mse"] == pytest.approx(np.mean((median - true) ** 2))
    assert scores["median", "consensus"]["mse_base"] == pytest.approx(np.mean((distances - true) ** 2))
    share = np.mean((median - true) ** 2 <= np.mean((distances - true) ** 2, axis=0))
    assert scores["median", "consensus"]["pair_share"] == pytest.approx(share)


def test_two_collapsed_embeddings_of_three_break_the_proposition_for_the_median(error):
    case = error[error["error"] == "counterexample"]

    def value(method, metric):
        return rows(case, metric, method=method, space="consensus")["value"].item()

    assert value("median", "mse") == pytest.approx(4.0)
    assert value("median", "mse_base") == pytest.approx(3.0)
    assert value("median", "holds") == 0.0
    assert value("mean", "mse") == pytest.approx(1.0)
    assert value("mean", "holds") == 1.0


def test_strength_falls_with_the_error_and_rises_with_class_triplets(monotone):
    draws = (theory_monotone.simulate("noise", MONOTONE, np.random.default_rng(draw)) for draw in range(3))
    strengths = [theory_monotone.measures(truth, embeddings, labels)["strength"] for truth, labels, embeddings in draws]
    mean = np.mean(strengths, axis=0)
    assert mean[0] > 0.95
    assert mean[-1] < 0.5
    correlation = rows(monotone, "spearman", method="strength", series="noise", compared_with="class_triplet_accuracy")
    assert (correlation["value"] > 0.9).all()


def test_a_stretched_class_axis_breaks_the_theorem():
    # Beyond the true shape the class triplets still gain, while those of the original space are lost.
    gains, losses = [], []
    for draw in range(5):
        truth, labels, _ = theory_monotone.simulate("emphasis", MONOTONE, np.random.default_rng(draw))
        stretched = truth * [6.0, 1.0, 1.0]
        found = theory_monotone.measures(truth, [truth, stretched], labels)
        assert found["strength"][0] == 1.0
        gains.append(np.diff(found["class_triplet_accuracy"]).item())
        losses.append(np.diff(found["strength"]).item())
    assert np.mean(gains) > 0.03
    assert max(losses) < -0.1


def test_emphasis_has_no_errors_and_passes_through_the_true_shape():
    odd = MONOTONE.replace(n_levels=9)
    truth, _, embeddings = theory_monotone.simulate("emphasis", odd, np.random.default_rng(0))
    np.testing.assert_allclose(embeddings[4], truth)
    np.testing.assert_allclose(embeddings[0][:, 0], truth[:, 0] / 8.0)
    np.testing.assert_allclose(embeddings[8][:, 0], truth[:, 0] * 8.0)
    np.testing.assert_allclose(embeddings[:, :, 1:], np.broadcast_to(truth[:, 1:], (9, 24, 2)))


def test_the_premise_of_the_theorem_holds_in_its_series_alone():
    for series in MONOTONE.series:
        truth, labels, _ = theory_monotone.simulate(series, MONOTONE, np.random.default_rng(0))
        distances, same = squareform(pdist(truth)), labels[:, None] == labels
        assert (distances[same].max() < distances[~same].min()) == (series == "premise")


def test_concordant_pairs_are_those_of_kendall():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 30))
    assert theory_monotone.concordant_share(a, b) == pytest.approx((kendalltau(a, b).statistic + 1) / 2)
    assert theory_monotone.concordant_share(np.array([1, 1, 2]), np.array([3, 1, 2])) == pytest.approx(2 / 3)


def test_rank_correlation_is_that_of_scipy():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 30), rng.normal(size=30)
    assert theory_monotone.rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic)
    assert np.isnan(theory_monotone.rank_correlation([1, 1, 1], [1, 2, 3]))


def real():
    rng = np.random.default_rng(0)
    shares = np.concatenate([rng.uniform(0, 0.3, 20), rng.uniform(0.7, 1, 20)])
    features = rng.normal(size=(40, 5))
    features[:, 0] += 6 * shares
    embeddings = [features[:, :2] + size * rng.normal(size=(40, 2)) for size in (0.1, 0.5, 1, 2, 4, 8)]
    return features, np.array(embeddings), shares, rng.integers(5, 50, 40)


def test_real_embeddings_with_shares_of_pixels():
    features, embeddings, shares, sizes = real()
    values = theory_monotone.measures(features, embeddings, shares, sizes=sizes)
    assert list(values) == list(MEASURES)
    for found in values.values():
        assert len(found) == 6
        assert (found >= 0).all()
        assert (found <= 1).all()
    table = theory_monotone.run_on_embeddings(features, embeddings, shares, sizes=sizes, dataset="toy", source="x")
    found = rows(table, "spearman", method="strength", compared_with="clustering_accuracy")["value"].item()
    assert found == pytest.approx(spearmanr(values["strength"], values["clustering_accuracy"]).statistic)


def test_strength_of_other_embeddings_of_the_same_objects():
    features, embeddings, shares, sizes = real()
    others = {"itself": features, "one_place": np.zeros((len(features), 2))}
    table = theory_monotone.run_on_embeddings(
        features, embeddings, shares, sizes=sizes, dataset="toy", source="x", others=others
    )
    found = rows(table, "triplet_strength").set_index("method")["value"]
    # The original space keeps every triplet, one place keeps none.
    assert (found["itself"], found["one_place"]) == (1.0, 0.0)
    base = theory_monotone.measures(features, embeddings, shares, sizes=sizes)["strength"]
    assert found["best_base"] == pytest.approx(base.max())
    assert found["mean_base"] == pytest.approx(base.mean())


@pytest.mark.parametrize(("reduction", "linkage"), [("pca", "ward"), ("graph_embedding", "average")])
def test_embeddings_of_genes_are_clustered_as_in_the_gene_experiments(reduction, linkage):
    split = planted_expression(n_genes=80, n_informative=12, effect=1.0, training=[14, 12], test=[3, 3], seed=2)
    genes = prepare_genes(split, **GENES.preparation)
    subsets = draw_subsets(20, 5, 9, seed=1, repetition=0)
    embeddings = base_embeddings(genes.training, subsets, reduction, GENES)
    table = theory_monotone.run_on_embeddings(
        genes.training, embeddings, genes.training_positive.astype(float), linkage=linkage,
        series="genes", dataset="planted", source="simulated", repetition=reduction,
    )  # fmt: skip
    assert set(table["series"]) == {"genes"}
    assert set(table["repetition"]) == {reduction}
    assert set(table["dataset"]) == {"planted"}
    pool = embed_pool(genes, reduction, subsets, GENES.replace(linkage=linkage))
    found = theory_monotone.measures(genes.training, embeddings, genes.training_positive, linkage=linkage)
    np.testing.assert_allclose(found["clustering_accuracy"], pool.supervised, rtol=1e-12)
    np.testing.assert_allclose(found["r_squared_index"], pool.unsupervised, rtol=1e-9)
    by_kmeans = theory_monotone.measures(genes.training, embeddings, genes.training_positive)
    assert not np.array_equal(by_kmeans["clustering_accuracy"], found["clustering_accuracy"])
    np.testing.assert_array_equal(by_kmeans["strength"], found["strength"])
    at = {"method": "strength", "compared_with": "class_triplet_accuracy"}
    expected = spearmanr(found["strength"], found["class_triplet_accuracy"]).statistic
    assert rows(table, "spearman", **at)["value"].item() == pytest.approx(expected)


def test_bad_real_input():
    features, embeddings, shares, _ = real()
    with pytest.raises(ValueError, match="at least 3 embeddings, found 2"):
        theory_monotone.run_on_embeddings(features, embeddings[:2], shares, dataset="toy", source="x")

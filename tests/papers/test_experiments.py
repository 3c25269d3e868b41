"""The median consensus experiments, on pools made by hand: numbers recomputed from explicit distance matrices."""

from itertools import combinations

import numpy as np
import pytest
from consensus_embedding import ExactTSNE
from consensus_embedding.consensus import stability
from consensus_embedding.consensus.median_consensus_embedding import median_consensus
from consensus_embedding.consensus.pairwise import pairwise_consensus
from consensus_embedding.manifold.distance_matrices import combination_distances, distance_gram, validate_embeddings
from consensus_embedding.manifold.tsne import pca_start
from consensus_embedding.utils.seeds import stream_seed
from presented import rows
from pydantic import ValidationError
from replication.papers.tomo2025 import (
    consensus_comparison,
    mce_convergence,
    mce_cost,
    mce_extensions,
    mce_tail,
    method_names,
    pools,
    tsne_equivalence,
)
from replication.papers.tomo2025.kinds import OverRedraws
from replication.papers.tomo2025.layout import pool_size
from replication.papers.tomo2025.mce_tables import cost_table
from replication.platform.steps import Work
from replication.shared.tidy import Metrics
from scipy.spatial.distance import cdist, pdist
from scipy.stats import ttest_1samp
from sklearn.manifold import TSNE

N = 30
SOLVER = {"tolerance": 1e-9, "max_iter": 5000}
EXACT = pools.TSNESettings(
    implementation="exact", perplexity=10, learning_rate="auto", early_exaggeration=12, max_iter=250
)
ABOUT = {"dataset": "toy", "source": "simulated"}
# The data behind the pools.
DATA = np.random.default_rng(99).normal(size=(N, 2)) * [5, 2]
FIXED = {"about": ABOUT, "work": Work(seed=1)}


def make_pool(m, seed=0, noise=0.5, shift=0.0):
    rng = np.random.default_rng(seed)
    base = DATA + shift * (np.arange(N) < 10)[:, None]
    return np.array([base + rng.normal(scale=noise, size=base.shape) for _ in range(m)], dtype=np.float32)


@pytest.fixture(scope="module")
def pool():
    return make_pool(60)


@pytest.fixture(scope="module")
def gram(pool):
    return distance_gram(validate_embeddings(pool))


@pytest.fixture(scope="module")
def convergence(pool, gram):
    section = {"reference_runs": 20, "repetitions": 3, "n_embeddings": [1, 2, 8], "band_draws": 10}
    parameters = mce_convergence.ConvergenceStudy.model_validate(section)
    return mce_convergence.run(pool, gram, parameters=parameters, solver=SOLVER, mds="classical", **FIXED)


def test_repetitions_share_no_run_with_each_other_or_with_the_reference():
    groups = mce_convergence.repetition_runs(20, [1, 2, 8], 3)
    runs = np.concatenate([run for repetitions in groups.values() for run in repetitions])
    assert len(set(runs)) == len(runs) == 3 * (1 + 2 + 8)
    assert runs.min() == 20
    assert [len(run) for run in groups[8]] == [8, 8, 8]


def test_distances_of_single_runs_are_the_explicit_ones(pool, convergence):
    metrics, _ = convergence
    X = np.array([pdist(y.astype(float)) for y in pool])
    found = rows(metrics, "pairwise_distance", n_embeddings=1, space="consensus")["value"].to_numpy()
    pairs = [(20, 21), (20, 22), (21, 22)]
    expected = [np.sqrt(2) * np.linalg.norm(X[i] - X[j]) for i, j in pairs]
    assert found == pytest.approx(expected, rel=1e-5)
    picture = rows(metrics, "pairwise_distance", n_embeddings=1, space="picture")["value"].to_numpy()
    assert picture == pytest.approx(expected, rel=1e-5)


def test_distance_to_the_reference_against_the_direct_iteration(pool, convergence):
    metrics, _ = convergence
    X = np.array([pdist(y.astype(float)) for y in pool])

    def direct(inputs):
        x = inputs.mean(axis=0)
        for _ in range(3000):
            w = 1.0 / (np.linalg.norm(inputs - x, axis=1) + 1e-15)
            x = w @ inputs / w.sum()
        return x

    # The runs of the second repetition of 8: after 20 reference runs, 3 x 1, 3 x 2, and 8 of the first.
    expected = np.sqrt(2) * np.linalg.norm(direct(X[37:45]) - direct(X[:20]))
    found = rows(metrics, "distance_to_reference", n_embeddings=8, space="consensus", repetition=1)["value"]
    assert found.iloc[0] == pytest.approx(expected, rel=1e-4)


def test_more_runs_lie_nearer_and_pictures_of_single_runs_are_exact(convergence):
    metrics, pictures = convergence
    means = [
        rows(metrics, "distance_to_reference", n_embeddings=m, space="consensus")["value"].mean() for m in (1, 2, 8)
    ]
    assert means[0] > means[1] > means[2]
    gaps = rows(metrics, "picture_gap")
    assert gaps[gaps["n_embeddings"] == 1]["value"].max() < 1e-6
    assert gaps[gaps["n_embeddings"] == 8]["value"].min() > 1e-4
    assert pictures["reference"].shape == (N, 2)
    assert pictures["m8"].shape == (3, N, 2)
    assert np.abs(pictures["m8"] - pictures["reference"]).max() < np.abs(pictures["reference"]).max()


def test_distances_of_redraws_are_those_of_weights_over_the_whole_pool(gram):
    reference = mce_convergence.median_weights(gram, np.arange(20), SOLVER)
    runs = np.arange(20, 32).reshape(3, 4)
    whole = [reference, *(mce_convergence.median_weights(gram, row, SOLVER) for row in runs)]
    between = combination_distances(gram, np.array(whole))
    to_runs = gram @ reference
    found = mce_convergence._redrawn_distances(gram, runs, (float(reference @ to_runs), to_runs), SOLVER)
    np.testing.assert_allclose(found[0], between[0, 1:], rtol=1e-9)
    np.testing.assert_allclose(found[1], between[1:, 1:][np.triu_indices(3, 1)], rtol=1e-9)


def redraws(rng, of_set, draws, size):
    """Values of sets of five repetitions of some numbers, redrawn from each of many pools of 50."""
    pools = rng.normal(size=(200, 50))
    picked = rng.permuted(np.tile(np.arange(50), (draws, 1)), axis=1)[:, : 5 * size].reshape(draws, 5, size)
    return [of_set(pool[picked].mean(axis=2)) for pool in pools]


def no_common(groups):
    return np.array([[not set(one) & set(other) for other in groups] for one in groups])


def test_bands_of_means_are_stretched_as_in_survey_sampling():
    # Means of n = 5 x 8 of N = 50 numbers vary by 1 - n/N of what means of 40 fresh ones do.
    values = redraws(np.random.default_rng(0), lambda means: means, 400, 8)
    alone = no_common([(r,) for r in range(5)])
    found = np.mean([mce_convergence.band_stretch(one, alone) ** 2 for one in values])
    assert found == pytest.approx(1 / (1 - 40 / 50), rel=0.05)


def test_bands_of_pairwise_distances_are_those_of_fresh_sets():
    pairs = list(combinations(range(5), 2))
    first, second = np.array(pairs).T

    def distances(means):
        return np.abs(means[:, first] - means[:, second])

    rng = np.random.default_rng(1)
    values = redraws(rng, distances, 400, 8)
    disjoint = no_common(pairs)
    assert disjoint.sum() == 30
    redrawn = np.mean([one.mean(axis=1).var(ddof=1) for one in values])
    stretched = np.mean(
        [one.mean(axis=1).var(ddof=1) * mce_convergence.band_stretch(one, disjoint) ** 2 for one in values]
    )
    fresh = distances(rng.normal(size=(200_000, 5)) / np.sqrt(8)).mean(axis=1).var()
    # Without the correction the variance is a tenth too small; distances are not linear, so no more.
    assert redrawn < 0.95 * fresh
    assert stretched == pytest.approx(fresh, rel=0.05)


def test_what_cannot_be_corrected_is_left_as_it_is():
    values = np.random.default_rng(0).normal(size=(50, 3))
    assert mce_convergence.band_stretch(values, no_common([(0, 1), (0, 2), (1, 2)])) == 1
    assert mce_convergence.band_stretch(values[:1], no_common([(0,), (1,), (2,)])) == 1
    assert mce_convergence.band_stretch(np.ones((9, 3)), no_common([(0,), (1,), (2,)])) == 1


def test_tail_probability_falls_and_is_one_half_at_its_own_level(gram):
    parameters = {"n_embeddings": [1, 2, 4], "draws": 200, "sub_pools": 4}
    metrics = mce_tail.run(gram, reference_runs=20, **parameters, solver=SOLVER, **FIXED)
    probability = rows(metrics, "probability", level="primary")["value"].to_numpy()
    assert probability[1] == pytest.approx(0.5, abs=0.01)
    assert probability[0] > 0.9
    assert probability[2] < 0.1
    assert len(rows(metrics, "exponential_slope", level="primary")) == 4
    assert rows(metrics, "exponential_slope_pooled", level="primary")["value"].iloc[0] < 0


@pytest.mark.parametrize(
    ("law", "probability", "slope"),
    [("exponential", lambda m: np.exp(-0.3 * m), -0.3), ("power", lambda m: 0.8 * m**-1.5, -1.5)],
)
def test_the_fit_finds_slope_and_law(law, probability, slope):
    sizes = np.array([1, 2, 3, 4, 6, 8, 10, 15])
    draws = 20000
    exceeding = np.random.default_rng(0).binomial(draws, probability(sizes))
    found, aic = mce_tail.fit_decay(sizes, exceeding, draws, law)
    _, other = mce_tail.fit_decay(sizes, exceeding, draws, "power" if law == "exponential" else "exponential")
    assert found == pytest.approx(slope, rel=0.05)
    assert aic < other - 10


def test_comparison_scores_every_method_on_the_same_pools(pool, gram):
    labels = (DATA[:, 0] > 0).astype(int)
    kl = np.arange(60.0)[::-1]
    metrics = consensus_comparison.run(
        DATA, labels, pool, kl, gram, pool[0], make_pool(3, seed=5), reference_runs=20,
        n_embeddings=10, repetitions=3, n_neighbors=5,
        solver=SOLVER, mds="classical", **FIXED,
    )  # fmt: skip
    assert set(metrics["method"]) == set(method_names.COMBINATIONS)
    distance = metrics[metrics["metric"] == "distance_to_reference"].groupby("method")["value"].mean()
    assert distance["geometric_median"] < distance["single"] < distance["random"]
    kept = metrics[metrics["metric"] == "neighborhood_preservation"].groupby("method")["value"].mean()
    assert kept["geometric_median"] > kept["single"] > kept["random"] + 0.2
    assert rows(metrics, "pairwise_distance", method="pca_start")["value"].max() == 0
    X_runs = [pdist(y.astype(float)) for y in pool]
    # The lowest loss of the second pool of ten is its last run.
    lowest = rows(metrics, "pairwise_distance", method="lowest_kl", repetition="0-1")["value"].iloc[0]
    assert lowest == pytest.approx(np.sqrt(2) * np.linalg.norm(X_runs[29] - X_runs[39]), rel=1e-5)


def test_each_way_to_combine_is_its_own_definition(pool, gram):
    runs = slice(20, 30)
    combined = consensus_comparison._combine(pool[runs], gram[runs, runs], np.arange(10.0), SOLVER, 1)
    X = np.array([pdist(y.astype(float)) for y in pool[runs]])
    between = np.linalg.norm(X[:, None] - X[None], axis=2).sum(axis=1)
    assert combined["mean"] == pytest.approx(X.mean(axis=0))
    assert combined["pairwise_median"] == pytest.approx(np.median(X, axis=0))
    assert combined["pairwise_mode"] == pytest.approx(pairwise_consensus(pool[runs], "mode"))
    assert combined["medoid"] == pytest.approx(X[between.argmin()])
    assert combined["lowest_kl"] == pytest.approx(X[0])
    assert (
        np.linalg.norm(combined["geometric_median"] - X, axis=1).sum()
        < np.linalg.norm(combined["mean"] - X, axis=1).sum()
    )


def test_equivalence_finds_no_difference_where_there_is_none_and_one_where_there_is():
    loss = np.arange(9.0)
    runs = {
        "exact": (make_pool(9, seed=1), loss),
        "same": (make_pool(9, seed=2), loss),
        "moved": (make_pool(7, seed=3, shift=1.0), loss[:7]),
    }
    metrics = tsne_equivalence.run(runs, solver=SOLVER, **FIXED)
    p_values = rows(metrics, "consensus_distance_p_value").set_index("method")["value"]
    assert p_values["exact vs moved"] <= 0.02
    assert p_values["exact vs same"] > 0.05
    assert len(rows(metrics, "kl_divergence", method="moved")) == 7
    first = rows(metrics, "size", method="exact")["value"].iloc[0]
    assert first == pytest.approx(np.sqrt(2) * np.linalg.norm(pdist(runs["exact"][0][0].astype(float))))
    apart = rows(metrics, "pairwise_distance", method="exact")
    assert apart[apart["n_embeddings"] == 3]["value"].mean() < apart[apart["n_embeddings"] == 1]["value"].iloc[0]


@pytest.fixture(scope="module")
def implementations():
    """Ours as scikit-learn's, with a little noise; the exact one larger by a fifth and of lower loss."""
    rng = np.random.default_rng(5)
    theirs, loss = make_pool(12, seed=1), 0.76 + 0.003 * rng.normal(size=12)
    near = (theirs * rng.normal(1, 1e-3, size=(12, 1, 1))).astype(np.float32)
    return {
        "exact": (1.2 * make_pool(12, seed=2), loss - 0.02),
        "barnes_hut": (near, loss + 1e-4 * rng.normal(size=12)),
        "scikit-learn": (theirs, loss),
        "scikit-learn-fine": (1.2 * make_pool(4, seed=3), loss[:4] - 0.02),
    }


@pytest.fixture(scope="module")
def equivalence(implementations):
    return tsne_equivalence.run(implementations, solver=SOLVER, **FIXED)


@pytest.mark.slow
def test_loss_and_size_are_tested_for_equivalence_within_margins(implementations, equivalence):
    found = equivalence.pivot_table(index="method", columns="metric", values="value", sort=False)
    ours, theirs = (implementations[name][1] for name in ("barnes_hut", "scikit-learn"))
    differences = (ours - theirs) / theirs.mean()
    row = found.loc["scikit-learn vs barnes_hut"]
    assert row["kl_divergence_difference"] == pytest.approx(differences.mean())
    interval = ttest_1samp(differences, 0).confidence_interval()
    assert row[["kl_divergence_difference_low", "kl_divergence_difference_high"]].tolist() == pytest.approx(interval)
    margin = tsne_equivalence.MARGINS["kl_divergence"]
    sides = ((-margin, "greater"), (margin, "less"))
    expected = max(ttest_1samp(differences, side, alternative=alternative).pvalue for side, alternative in sides)
    assert row["kl_divergence_difference_p_value"] == pytest.approx(expected)
    assert row["size_difference_p_value"] < 0.05
    assert found.loc["exact vs scikit-learn", "size_difference"] == pytest.approx(-1 / 6, abs=0.02)
    assert found.loc["exact vs scikit-learn", "size_difference_p_value"] > 0.95
    assert found.loc["exact vs scikit-learn", "kl_divergence_difference_p_value"] > 0.95


def test_consensus_is_compared_with_halves_of_the_reference(equivalence):
    found = equivalence.pivot_table(index="method", columns="metric", values="value", sort=False)
    near, far = found.loc["scikit-learn vs barnes_hut"], found.loc["exact vs scikit-learn"]
    assert near["consensus_distance"] < near["consensus_distance_of_halves"]
    assert far["consensus_distance"] > far["consensus_distance_of_halves"]
    # Means of 6 independent runs each lie as far apart as a run from another, over the square root of 6.
    single = rows(equivalence, "pairwise_distance", method="scikit-learn", n_embeddings=1)["value"].iloc[0]
    assert near["consensus_distance_of_halves"] == pytest.approx(single / np.sqrt(6), rel=0.1)


def test_a_third_of_the_runs_is_as_many_runs_in_each_group():
    loss, pool = np.arange(8.0), make_pool(8, seed=1)
    runs = {"exact": (pool, loss), "few": (pool[:5], loss[:5])}
    apart = rows(tsne_equivalence.run(runs, solver=SOLVER, **FIXED), "pairwise_distance")
    assert apart.groupby(["method", "n_embeddings"]).size().to_dict() == {
        ("exact", 1): 1,
        ("exact", 2): 3,
        ("few", 1): 1,
    }
    # The geometric median of two runs is their mean, as near to one as to the other.
    X = np.array([pdist(y.astype(float)) for y in pool[:6]]).reshape(3, 2, -1).mean(axis=1)
    found = apart[apart["n_embeddings"] == 2].set_index("repetition")["value"]
    assert found["1-2"] == pytest.approx(np.sqrt(2) * np.linalg.norm(X[1] - X[2]), rel=1e-4)


def test_pool_is_as_large_as_the_hungriest_experiment():
    config = {
        "experiments": ["mce_convergence", "mce_tail", "consensus_comparison"],
        "mce_convergence": {"reference_runs": 7, "repetitions": 2, "n_embeddings": [1, 4]},
        "mce_tail": {"sub_pools": 3, "n_embeddings": [1, 2, 3]},
        "consensus_comparison": {"repetitions": 4, "n_embeddings": 5},
    }
    assert pool_size(config) == (7, 20)
    config["consensus_comparison"]["n_embeddings"] = 1
    assert pool_size(config) == (7, 10)
    config["experiments"] = ["mce_tail"]
    assert pool_size(config) == (7, 9)


def test_implementations_start_at_the_same_points_and_are_named():
    X = np.random.default_rng(0).normal(size=(60, 5))
    seeds = pools.run_seeds(5, "toy", range(2))
    exact, _ = pools.embed_runs(X, seeds, EXACT)
    coarse, losses = pools.embed_runs(X, seeds, EXACT.replace(implementation="scikit-learn"))
    fine, _ = pools.embed_runs(X, seeds, EXACT.replace(implementation="scikit-learn-fine"))
    seen = []
    ours = EXACT.replace(implementation="barnes_hut")
    approximated, approximated_losses = pools.embed_runs(X, seeds, ours, progress=seen.append)
    assert seen == [1, 2]
    assert exact.shape == coarse.shape == fine.shape == approximated.shape == (2, 60, 2)
    assert approximated_losses == pytest.approx(losses, rel=0.1)
    assert not np.array_equal(exact, approximated)
    assert np.isfinite(losses).all()
    assert not np.array_equal(coarse, fine)


def test_either_implementation_starts_from_the_principal_components():
    X = np.random.default_rng(0).normal(size=(60, 5)) * [4, 3, 1, 1, 1]
    parameters = {"perplexity": 10, "learning_rate": "auto", "early_exaggeration": 12, "max_iter": 250}
    found = {}
    for implementation in ("exact", "scikit-learn"):
        tsne = EXACT.replace(implementation=implementation)
        (first, second), _ = pools.embed_runs(X, [1, 2], tsne, init="pca")
        assert np.array_equal(first, second)
        found[implementation] = first
    assert np.array_equal(found["exact"], ExactTSNE(init="pca", **parameters).fit_transform(X))
    expected = TSNE(init=pca_start(X), angle=0.5, random_state=5, **parameters).fit_transform(X)
    assert np.array_equal(found["scikit-learn"], expected)
    assert not np.array_equal(found["exact"], found["scikit-learn"])


def extension_runs(X, kind="perplexity", repetition=0, n_embeddings=2, tsne=EXACT):
    return mce_extensions.extension_runs(
        kind, X, repetition, n_embeddings=n_embeddings, perplexities=[5, 8], missing_share=0.1, tsne=tsne, seed=1,
        dataset="toy",
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["perplexity", "multiscale", "imputation", pytest.param("umap", marks=pytest.mark.long_study)]
)
def test_extension_runs_differ_and_repeat(kind):
    X = np.random.default_rng(0).normal(size=(60, 6))
    first = extension_runs(X, kind)
    assert np.array_equal(first, extension_runs(X, kind))
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first, extension_runs(X, kind, repetition=1))
    if kind != "umap":
        coarse = EXACT.replace(implementation="scikit-learn")
        assert not np.array_equal(first, extension_runs(X, kind, tsne=coarse))


def test_perplexities_cycle_over_the_runs_of_a_repetition():
    X, tsne, perplexities = np.random.default_rng(0).normal(size=(40, 6)), EXACT.replace(max_iter=20), [5, 8]
    seeds = [stream_seed(1, "toy", "perplexity", 0, k) for k in range(5)]
    alone = [pools.embed_runs(X, [seeds[k]], tsne.replace(perplexity=perplexities[k % 2]))[0][0] for k in range(5)]
    assert np.array_equal(extension_runs(X, n_embeddings=5, tsne=tsne), alone)


def extended(runs, n_perplexities, normalize="none"):
    """Metrics of runs of each kind, a pool per repetition."""
    return mce_extensions.run(
        DATA, runs, solver=SOLVER, n_neighbors=5, n_perplexities=n_perplexities, normalize=normalize, mds="classical",
        about=ABOUT,
    )  # fmt: skip


def test_consensus_of_extension_runs_is_more_stable_than_single_runs():
    runs = {"perplexity": [make_pool(6, seed) for seed in range(3)]}
    metrics = extended(runs, 3)
    apart = rows(metrics, "pairwise_distance").groupby("method")["value"].mean()
    assert apart["mce"] < 0.7 * apart["single"]
    kept = rows(metrics, "neighborhood_preservation").groupby("method")["value"].mean()
    assert kept["mce"] > kept["single"]


def test_multiscale_runs_are_set_against_the_consensus_over_perplexities():
    runs = {
        "perplexity": [make_pool(6, seed) for seed in range(3)],
        "multiscale": [make_pool(2, 8 + s) for s in range(3)],
    }
    metrics = extended(runs, 3)
    assert set(metrics["kind"]) == {"perplexity"}
    counts = metrics.groupby(["metric", "method"]).size()
    methods = {"neighborhood_preservation": ("mce", "mce_picture", "multiscale", "single")}
    methods["pairwise_distance"] = ("mce", "multiscale", "single")
    assert counts.to_dict() == {(metric, method): 3 for metric, named in methods.items() for method in named}
    # The pictures are those of the consensus distances, in the plane.
    embedded = median_consensus(runs["perplexity"][0], mds="classical", **SOLVER).embedding
    kept = stability.neighborhood_preservation(
        stability.nearest_neighbors(cdist(DATA, DATA), 5), stability.nearest_neighbors(cdist(embedded, embedded), 5)
    )
    found = rows(metrics, "neighborhood_preservation", method="mce_picture", repetition=0)["value"].iloc[0]
    assert found == pytest.approx(kept, abs=0.02)
    X_runs = [[pdist(y.astype(float)) for y in pool] for pool in runs["multiscale"][:2]]
    expected = np.mean([np.sqrt(2) * np.linalg.norm(a - b) for a in X_runs[0] for b in X_runs[1]])
    found = rows(metrics, "pairwise_distance", method="multiscale", repetition="0-1")["value"].iloc[0]
    assert found == pytest.approx(expected, rel=1e-5)


def test_runs_of_different_scale_count_alike_at_unit_norm():
    pools = [make_pool(4, seed) for seed in range(2)]
    larger = [pool * np.array([1, 1, 10, 100], dtype=np.float32)[:, None, None] for pool in pools]
    found = {
        (name, how): rows(extended({"perplexity": runs}, 4, how), "pairwise_distance")
        for name, runs in {"alike": pools, "larger": larger}.items()
        for how in ("none", "unit_norm")
    }
    one, other = (found[name, "unit_norm"]["value"].to_numpy() for name in ("alike", "larger"))
    assert one == pytest.approx(other, rel=1e-4)
    assert found["larger", "none"]["value"].max() > 10 * found["alike", "none"]["value"].max()


@pytest.mark.parametrize("kind", ["perplexity", "umap"])
def test_single_runs_are_compared_at_equal_perplexity(kind):
    # Runs 0 and 2 have one perplexity, 1 and 3 the other. Only perplexities cycle: of UMAP every pair counts.
    pools = [make_pool(4, seed) * np.array([1, 9, 1, 9], dtype=np.float32)[:, None, None] for seed in range(2)]
    metrics = extended({kind: pools}, 2)
    runs = [[pdist(y.astype(float)) for y in pool] for pool in pools]
    apart = [
        np.sqrt(2) * np.linalg.norm(runs[0][i] - runs[1][j])
        for i in range(4)
        for j in range(4)
        if kind == "umap" or i % 2 == j % 2
    ]
    found = rows(metrics, "pairwise_distance", method="single")["value"].iloc[0]
    assert found == pytest.approx(np.mean(apart), rel=1e-5)


def test_slopes_of_the_cost_are_exponents():
    # By hand: 3 m n^2 microseconds; and what does not grow with m.
    metrics = Metrics("mce_cost", "random_pictures", "simulated", mce_cost.CONDITIONS)
    for m in (5, 10, 20):
        for n in (100, 200):
            for r, noise in enumerate((0.5, 1, 9)):
                metrics.add("iteration", "seconds", 3e-6 * m * n**2 * noise, r, n_embeddings=m, n_samples=n)
                metrics.add("eigenvalues", "seconds", 1e-9 * n**3, r, n_embeddings=m, n_samples=n)
    table = cost_table(metrics.table()).set_index("step")
    assert table.loc["iteration", ["m", "n", "seconds"]].tolist() == [20, 200, pytest.approx(2.4)]
    assert table.loc["iteration", ["slope on m", "slope on n"]].tolist() == pytest.approx([1, 2])
    assert table.loc["eigenvalues", ["slope on m", "slope on n"]].tolist() == pytest.approx([0, 3])
    one = metrics.table().query("n_samples == 200")
    assert np.isnan(cost_table(one)["slope on n"]).all()


@pytest.mark.parametrize("than", [{}, {"lower": 1, "higher": 3}, {"below": 1}])
def test_a_direction_is_against_one_other_size(than):
    given = {"kind": "value/redraws", "paper": {"mean_distance": 1.0}, "at": 2}
    assert OverRedraws.model_validate({**given, "than": {"lower": 1}}).than == {"lower": 1}
    with pytest.raises(ValidationError, match="than"):
        OverRedraws.model_validate({**given, "than": than})

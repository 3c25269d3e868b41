"""
Time the steps of C-LLE on prostate MR spectra beside what a user would pick instead, on one core.

    .venv/bin/python tests/benchmarks/bench.py --only spectra    under a minute

One line per step: both times, their ratio, and how well the results agree. The spectra are simulated; the settings are
those of config/config.yaml.
"""

from itertools import combinations, product

import numpy as np
from consensus_embedding import ConsensusLLE, consensus_clusters, lle_embeddings
from consensus_embedding.consensus.pairwise import combine_values
from replication.catalogue.configuration import read_configuration
from replication.data.prostate_mrsi import ProstateMRSI, simulate_cohort
from rows import clock, once, say
from scipy.spatial.distance import pdist
from scipy.stats import gaussian_kde
from sklearn.cluster import KMeans
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.metrics import adjusted_rand_score
from test_consensus_lle import plain_c_lle
from test_modes import plain_half_sample, plain_histogram
from threadpoolctl import threadpool_limits

CONFIG = read_configuration()
SETTINGS = CONFIG["spectra_embedding"]
KAPPAS = range(SETTINGS["kappas"][0], SETTINGS["kappas"][1] + 1)
SOME_KAPPAS = (10, 15, 20)
N_SEEDS = 8
N_COMPONENTS, N_CLUSTERS, N_RUNS = (SETTINGS[key] for key in ("n_components", "n_clusters", "kmeans_runs"))


def plain_lle(X, kappas):
    """Scikit-learn's LLE for each kappa, by its dense solver as ours."""
    return np.array(
        [
            LocallyLinearEmbedding(
                n_neighbors=kappa, n_components=N_COMPONENTS, reg=SETTINGS["regularization"], eigen_solver="dense"
            ).fit_transform(X)
            for kappa in kappas
        ]
    )


def kernel_density(values):
    """Highest point of SciPy's density on a grid, with the same bandwidth."""
    spread = values.std(ddof=1)
    width = 0.9 * min(spread, np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34) * len(values) ** -0.2
    grid = np.linspace(values.min(), values.max(), 512)
    return grid[gaussian_kde(values, width / spread)(grid).argmax()]


PLAIN_MODES = {"mode": plain_half_sample, "mode_kernel_density": kernel_density, "mode_histogram": plain_histogram}


def classical_scaling(distances, n_components):
    """Classical scaling through all eigenvalues."""
    centring = np.eye(len(distances)) - 1.0 / len(distances)
    values, vectors = np.linalg.eigh(-0.5 * centring @ np.square(distances) @ centring)
    return vectors[:, : -n_components - 1 : -1] * np.sqrt(np.maximum(values[: -n_components - 1 : -1], 0.0))


def plain_consensus_clusters(X, seed=0):
    """Consensus clustering as one would write it from the paper."""
    seeds = range(1000 * seed, 1000 * seed + N_RUNS)
    runs = [KMeans(N_CLUSTERS, n_init=1, random_state=k).fit_predict(X) for k in seeds]
    together = np.mean([run[:, None] == run for run in runs], axis=0)
    places = classical_scaling(1.0 - together, N_CLUSTERS)
    return KMeans(N_CLUSTERS, n_init=10, random_state=seed).fit_predict(places)


def mean_rand_index(pairs):
    return f"{np.mean([adjusted_rand_score(*pair) for pair in pairs]):.2f}"


def bench_lle(X):
    found = lle_embeddings(X, KAPPAS, N_COMPONENTS, on_disconnected="skip")
    ours, found = clock(lle_embeddings, X, found.kappas, N_COMPONENTS)
    theirs, expected = clock(plain_lle, X, found.kappas, repeats=3)
    # With several closed groups scikit-learn drops an arbitrary vector of the null space, we the constant one.
    pairs = zip(found.kappas, found.embeddings, expected, strict=True)
    differences = [np.abs(pdist(a) - pdist(b)).max() for kappa, a, b in pairs if found.closed_groups[kappa] == 1]
    say(
        f"LLE, {len(found.kappas)} numbers of neighbours, {X.shape[0]} spectra of {X.shape[1]} points",
        ours,
        "LocallyLinearEmbedding for each",
        theirs,
        f"largest difference of distances {max(differences):.0e} over the {len(differences)} with one closed group",
    )
    return found


def bench_large_lle(X):
    """Past the size up to which the dense solver is used."""
    ours, found = clock(lle_embeddings, X, SOME_KAPPAS, N_COMPONENTS, repeats=1)
    theirs, expected = once(plain_lle, X, SOME_KAPPAS)
    pairs = zip(found.embeddings, expected, strict=True)
    difference = max(np.abs(pdist(a) - pdist(b)).max() for a, b in pairs)
    what = f"LLE, {len(SOME_KAPPAS)} numbers of neighbours, {X.shape[0]} spectra of {X.shape[1]} points"
    say(what, ours, "LocallyLinearEmbedding for each", theirs, f"largest difference of distances {difference:.0e}")


def bench_modes(embeddings):
    distances = np.array([pdist(embedding) for embedding in embeddings])
    for estimator, plain in PLAIN_MODES.items():
        some = distances if estimator == "mode" else distances[:, ::10]
        ours, found = clock(combine_values, some, estimator)
        theirs, expected = once(lambda m=plain, s=some: np.array([m(pair) for pair in s.T]))
        same = np.abs(found - expected) <= (0 if estimator == "mode" else 5e-3 * np.ptp(some, axis=0))
        say(
            f"{estimator} of {len(some)} distances for each of {some.shape[1]} pairs",
            ours,
            "a loop in NumPy and SciPy",
            theirs,
            f"the same {'to the last bit' if estimator == 'mode' else 'except for the grid'} in {same.mean():.1%}",
        )


def bench_consensus(X, kappas):
    model = ConsensusLLE(N_COMPONENTS, n_neighbors=kappas)
    ours, found = clock(model.fit_transform, X)
    theirs, (_, expected) = once(plain_c_lle, X, kappas, N_COMPONENTS)
    difference = np.abs(pdist(found) - pdist(expected)).max()
    what = f"ConsensusLLE, {len(kappas)} numbers of neighbours, {len(X)} spectra"
    say(what, ours, "the plain recipe", theirs, f"largest difference of distances {difference:.0e}")
    return found


def bench_clustering(space):
    """Both depend on their seeds, so agreement is measured within and between the two."""
    ours, _ = clock(consensus_clusters, space, N_CLUSTERS, N_RUNS)
    theirs, _ = clock(plain_consensus_clusters, space, repeats=3)
    found = [consensus_clusters(space, N_CLUSTERS, N_RUNS, seed) for seed in range(N_SEEDS)]
    expected = [plain_consensus_clusters(space, seed) for seed in range(N_SEEDS)]
    agreement = (
        f"mean adjusted Rand index of {N_SEEDS} seeds each: {mean_rand_index(combinations(found, 2))} within ours, "
        f"{mean_rand_index(combinations(expected, 2))} within theirs, "
        f"{mean_rand_index(product(found, expected))} between the two"
    )
    what = f"Consensus clustering, {N_RUNS} runs, {len(space)} spectra"
    say(what, ours, "KMeans for each run and a full eigen-decomposition", theirs, agreement)


def bench_spectra():
    simulator = ProstateMRSI.model_validate(CONFIG["prostate_mrsi"])
    studies = [study.spectra for study in simulate_cohort(simulator, 20081, "benchmark", 20)]
    X = max(studies, key=len)
    with threadpool_limits(1):
        single = bench_lle(X)
        bench_modes(single.embeddings)
        space = bench_consensus(X, [kappa for kappa in single.kappas if single.closed_groups[kappa] == 1])
        bench_clustering(space)
        bench_large_lle(np.concatenate(studies))

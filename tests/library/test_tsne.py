"""t-SNE: affinities, gradients and loss against scikit-learn and plain NumPy; runs are deterministic."""

import sys

import numpy as np
import pytest
from consensus_embedding import BarnesHutTSNE, ExactTSNE, FourierTSNE
from consensus_embedding.manifold import tsne, tsne_fft, tsne_kernels
from numba import njit
from refusals import refusals
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import cosine_distances
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from threadpoolctl import threadpool_limits

N = 300
METHODS = ["exact", "barnes_hut", "fft"]
ESTIMATORS = [ExactTSNE, BarnesHutTSNE, FourierTSNE]


@pytest.fixture(scope="module")
def digits():
    X, labels = load_digits(return_X_y=True)
    return X[:N], labels[:N]


@pytest.fixture(scope="module")
def affinities(digits):
    return tsne.joint_probabilities(digits[0], 20.0)


@pytest.fixture
def embedding():
    return np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)


def test_affinities_are_those_of_scikit_learn(digits, affinities):
    # No public part of scikit-learn says them; another version may have this under another name.
    from sklearn.manifold._t_sne import _joint_probabilities_nn

    # Among equal distances it takes others on several threads.
    with threadpool_limits(1):
        graph = NearestNeighbors(n_neighbors=61).fit(digits[0]).kneighbors_graph(mode="distance")
    graph.data **= 2
    expected = _joint_probabilities_nn(graph, 20.0, 0).toarray()
    assert np.allclose(affinities.toarray(), expected, rtol=1e-4, atol=1e-9)
    assert affinities.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.long_study
def test_neighbours_of_very_many_points_are_approximate_with_the_same_bytes_each_time(digits, affinities, monkeypatch):
    pytest.importorskip("pynndescent")
    monkeypatch.setattr(tsne, "MOST_EXACT_NEIGHBORS", N - 1)
    first, second = (tsne.joint_probabilities(digits[0], 20.0) for _ in range(2))
    assert np.array_equal(first.data, second.data)
    assert np.array_equal(first.indices, second.indices)
    assert first.diagonal().sum() == 0
    assert abs(first - affinities).sum() < 0.02


def test_without_pynndescent_neighbours_are_exact_with_a_warning(digits, affinities, monkeypatch):
    monkeypatch.setattr(tsne, "MOST_EXACT_NEIGHBORS", N - 1)
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.warns(UserWarning, match="neighbours of 300 points.*'embedders'"):
        found = tsne.joint_probabilities(digits[0], 20.0)
    assert np.array_equal(found.data, affinities.data)


def test_affinities_survive_duplicates_and_far_outliers():
    X = np.vstack([np.zeros((10, 3)), np.random.default_rng(1).normal(size=(30, 3)), [[1e6, 0, 0]]])
    found = tsne.joint_probabilities(X, 5.0)
    assert np.isfinite(found.data).all()
    assert found.sum() == pytest.approx(1.0)


METRICS = ["euclidean", "cosine", "correlation", "l2", "minkowski", "sqeuclidean", "seuclidean", "mahalanobis"]


@pytest.mark.parametrize("unit", [2.0**-990, 2.0**-55, 2.0**990])
@pytest.mark.parametrize("metric", [*METRICS, "chebyshev"])
def test_affinities_by_a_metric_depend_on_no_unit(metric, unit):
    X = np.random.default_rng(0).normal(size=(40, 5))
    found = tsne.joint_probabilities(X * unit, 8.0, metric)
    # The perplexity is met within 1e-5 of its logarithm.
    assert abs(found - tsne.joint_probabilities(X, 8.0, metric)).sum() < 2e-4


def test_a_constant_feature_adds_nothing_to_standardised_distances():
    X = np.random.default_rng(0).normal(size=(40, 5))
    found = tsne.joint_probabilities(np.column_stack([X, np.ones(40)]), 8.0, "seuclidean")
    assert abs(found - tsne.joint_probabilities(X, 8.0, "seuclidean")).sum() < 1e-12


def test_the_covariance_of_mahalanobis_may_be_given_and_has_to_have_full_rank():
    X = np.random.default_rng(0).normal(size=(40, 5)) * [1, 2, 3, 4, 5]
    V = np.cov(X, rowvar=False)
    by_default = tsne.joint_probabilities(X, 8.0, "mahalanobis")
    for given in ({"V": V}, {"VI": np.linalg.inv(V)}):
        assert abs(tsne.joint_probabilities(X, 8.0, "mahalanobis", given) - by_default).sum() < 1e-9
    with pytest.raises(ValueError, match="full rank, found rank 5 for 6 features"):
        tsne.joint_probabilities(np.column_stack([X, X[:, 0]]), 8.0, "mahalanobis")


@pytest.mark.parametrize("unit", [1e-170, 1e160])
def test_a_start_from_principal_components_depends_on_no_unit(unit):
    X = np.random.default_rng(0).normal(size=(40, 5))
    np.testing.assert_allclose(tsne.pca_start(X * unit), tsne.pca_start(X), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("place", [1e5, 1.7e9, -1e12])
def test_affinities_depend_on_no_column_that_is_far_from_zero(digits, place, dtype):
    far = np.column_stack([digits[0], np.full(N, place)]).astype(dtype)
    without = tsne.joint_probabilities(digits[0].astype(dtype), 20.0)
    assert abs(tsne.joint_probabilities(far, 20.0) - without).sum() < 1e-6
    # Times in seconds since 1970 keep their digits.
    X = np.column_stack([digits[0], np.arange(N) % 5])
    late, early = (tsne.joint_probabilities(X + (np.arange(65) == 64) * start, 20.0) for start in (1.7e9, 0.0))
    assert abs(late - early).sum() < 1e-6


def test_gradient_and_loss_are_those_of_the_exact_method_of_scikit_learn(affinities, embedding):
    from sklearn.manifold._t_sne import _kl_divergence

    loss, gradient = _kl_divergence(
        embedding.astype(np.float64).ravel(), squareform(affinities.toarray(), checks=False), 1, N, 2
    )
    x, y = embedding.T.copy()
    pull, push = np.empty((N, 2), np.float32), np.empty((N, 2), np.float32)
    total = tsne_kernels.repulsion(x, y, push)
    tsne_kernels.attraction(affinities.indptr, affinities.indices, affinities.data.astype(np.float32), x, y, pull, 0, N)
    found = 4.0 * (pull - push / total)
    assert np.allclose(found, gradient.reshape(N, 2), rtol=1e-3, atol=1e-7)
    assert tsne.kl_divergence(affinities, embedding) == pytest.approx(loss, rel=1e-5)


def repulsion(embedding, angle):
    """Repulsive part of the gradient by our quadtree."""
    x, y = np.array(embedding, dtype=np.float32).T.copy()
    forces = np.full((len(x), 2), np.nan, np.float32)
    total = approximate(x, y, forces, angle)
    return forces / total, total


@njit
def approximate(x, y, forces, angle):
    return tsne_kernels.approximate_repulsion(x, y, forces, angle)


def repulsion_of_scikit_learn(embedding, angle):
    """The same by scikit-learn's. No public part of it says this; another version may have it under another name."""
    from sklearn.manifold._barnes_hut_tsne import gradient

    n, points = len(embedding), np.array(embedding, dtype=np.float32)
    forces, pulled = np.zeros((2, n, 2), np.float32)
    gradient(np.float32([]), points, np.empty(0, np.int64), np.zeros(n + 1, np.int64), forces, angle, 2, 0)
    # The normaliser follows from the loss of one edge, from point 0 to point 1.
    one, indptr = np.ones(1, np.int64), np.r_[0, np.ones(n, np.int64)]
    loss = gradient(np.float32([1]), points, one, indptr, pulled, angle, 2, 0)
    return -forces, np.exp(loss) / (1 + np.sum((points[0].astype(float) - points[1]) ** 2))


def two_clusters(n, apart, spread, seed=1):
    points = spread * np.random.default_rng(seed).normal(size=(n, 2))
    points[: n // 2, 0] += apart
    return points


CLOUD = np.random.default_rng(0).normal(size=(N, 2))
EMBEDDINGS = {
    "cloud": 20 * CLOUD,
    "first random start": tsne.random_start(1797, 0),
    # As in a run, which shrinks at first: most points join others.
    "shrunken start": 0.1 * tsne.random_start(1797, 1),
    "all within reach": 1e-7 * CLOUD,
    "duplicates": np.repeat(20 * CLOUD[:60], 5, axis=0),
    "duplicates in turn": np.tile(20 * CLOUD[:60], (5, 1)),
    "one point many times": np.vstack([np.tile([[3.0, -2.0]], (200, 1)), 20 * CLOUD[:100]]),
    "all equal": np.full((50, 2), 1.5),
    "all equal but one": np.vstack([np.full((50, 2), 1.5), [[2.5, 0.0]]]),
    "line along an axis": 20 * CLOUD * [1, 0],
    "line across": 20 * CLOUD[:, :1] * [1, 1],
    "two points": [[0.0, 1.0], [3.0, -2.0]],
    "two equal points": [[1.0, 1.0], [1.0, 1.0]],
    "two near points": [[1.0, 1.0], [1.0000005, 1.0]],
    "two points that nearly touch": [[0.0, 0.0], [1.1e-6, 0.0]],
    "three points": [[0.0, 1.0], [3.0, -2.0], [3.0, -2.5]],
    "all negative": 20 * CLOUD - 500,
    "clusters of unlike size": np.vstack([two_clusters(200, 80.0, 1e-3), 50 * CLOUD[:50]]),
    "far from zero": 20 * CLOUD + [3e3, -3e3],
    "huge": 1e9 * CLOUD,
    "grid": np.stack(np.meshgrid(np.arange(16.0), np.arange(16.0)), axis=-1).reshape(-1, 2),
}
# Where centres of mass lie far from zero and near their points, as scikit-learn adds them up in single precision.
ROUNDED = {"clusters of unlike size": 1e-2, "far from zero": 1e-2}


@pytest.mark.slow
@pytest.mark.parametrize("name", EMBEDDINGS)
@pytest.mark.parametrize("angle", [0.0, 0.2, 0.5, 1.0])
def test_repulsion_by_the_quadtree_is_that_of_scikit_learn(name, angle):
    embedding = EMBEDDINGS[name]
    expected, expected_total = repulsion_of_scikit_learn(embedding, angle)
    found, total = repulsion(embedding, angle)
    assert np.abs(found - expected).max() <= ROUNDED.get(name, 1e-5) * np.abs(expected).max()
    # Its loss is in single precision.
    assert total == pytest.approx(expected_total, rel=1e-4)


@pytest.mark.parametrize("stage", [0, 10, 100, 260, 500])
def test_repulsion_along_a_run_is_that_of_scikit_learn(affinities, stage):
    embedding = tsne.tsne_runs(affinities, [tsne.random_start(N, 5)], max_iter=stage, method="barnes_hut")[0][0]
    forces, _ = repulsion(embedding, 0.5)
    expected, _ = repulsion_of_scikit_learn(embedding, 0.5)
    assert np.abs(forces - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("max_iter", [1, 10, 20])
def test_a_run_follows_that_of_scikit_learn_until_chaos_parts_them(affinities, max_iter):
    from sklearn.manifold._t_sne import _gradient_descent, _kl_divergence_bh

    start = tsne.random_start(N, 5)
    options = {"learning_rate": 50.0, "momentum": 0.5, "args": [affinities * 12.0, 1, N, 2]}
    expected, _, _ = _gradient_descent(_kl_divergence_bh, start.ravel(), 0, max_iter, 50, **options)
    found, _, _ = tsne.tsne_runs(affinities, [start], max_iter=max_iter, method="barnes_hut")
    assert np.abs(found[0].ravel() - expected).max() <= 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize("worst", [np.nan, np.inf, 3.4e38])
def test_the_quadtree_ends_whatever_the_points(worst):
    points = np.vstack([CLOUD, np.full((20, 2), worst), CLOUD * [1, worst]])
    with np.errstate(over="ignore", invalid="ignore"):
        forces, total = repulsion(points, 0.5)
    # It came to an end, and every point was met.
    assert forces.shape == points.shape
    assert total > 0 or np.isnan(total)


def on_a_grid(points):
    """Repulsive part of the gradient and normaliser, by the grid and over all pairs, and the grid."""
    x, y = np.array(points, dtype=np.float32).T.copy()
    forces, exact = np.full((len(x), 2), np.nan, np.float32), np.empty((len(x), 2), np.float32)
    grid = tsne_fft.grid_of(x, y)
    found, expected = grid.repulsion(x, y, forces), tsne_kernels.repulsion(x, y, exact)
    return (forces / found, found), (exact / expected, expected), grid


RNG = np.random.default_rng(3)
PLACES = np.array([[-300, 40], [0, 0], [350, -200], [20, 300]])
CLUSTERS = RNG.normal(size=(2000, 2)) * 5 + PLACES[np.arange(2000) % 4]


@pytest.mark.parametrize(
    ("points", "tolerance"),
    [
        (CLOUD * 1e-4, 1e-3),
        (RNG.normal(size=(500, 2)), 1e-3),
        (RNG.normal(size=(3000, 2)) * 5, 0.02),
        (RNG.uniform(-60, 60, size=(3000, 2)), 0.05),
        (RNG.uniform(-60, 60, size=(1000, 2)) * [1, 0.01], 0.03),
        (RNG.uniform(-2, 2, size=(1000, 2)) + np.array([5000, -70]), 2e-3),
        (CLUSTERS, 0.03),
        (np.repeat(RNG.normal(size=(300, 2)) * 10, 3, axis=0), 0.05),
    ],
    ids=["start", "narrow", "early", "wide", "flat", "far from zero", "clusters far apart", "coinciding points"],
)
def test_forces_of_the_grid_are_those_of_all_pairs(points, tolerance):
    (forces, total), (exact, expected), _ = on_a_grid(points)
    assert np.linalg.norm(forces - exact) <= tolerance * np.linalg.norm(exact)
    # Of points at one place each pair is 1.4 % too far apart; on average over all places a point and itself are not.
    assert total == pytest.approx(expected, rel=3e-3 if len(points) == 900 else 1e-3)


def test_forces_of_a_finer_grid_are_nearer_to_those_of_all_pairs(monkeypatch):
    points = RNG.uniform(-40, 40, size=(2000, 2))
    errors = []
    for spacing in (1.0, 0.5, 0.25):
        monkeypatch.setattr(tsne_fft.grid_of, "__defaults__", (None, spacing))
        (forces, _), (exact, _), grid = on_a_grid(points)
        assert grid.spacing == spacing
        errors.append(np.linalg.norm(forces - exact) / np.linalg.norm(exact))
    assert errors[0] > 5 * errors[1] > 50 * errors[2]


def test_points_at_one_place_do_not_repel_each_other_and_two_push_each_other_apart():
    (forces, total), _, _ = on_a_grid(np.ones((50, 2)))
    assert not forces.any()
    assert total == 50 * 49
    (forces, _), (exact, _), _ = on_a_grid([[0, 0], [3, 4]])
    assert forces[0] == pytest.approx(exact[0], rel=0.01)
    assert forces[0] == pytest.approx(-forces[1], rel=1e-4)


def test_a_grid_is_used_again_until_the_picture_needs_another():
    x, y = np.array(CLOUD * 10, dtype=np.float32).T.copy()
    grid = tsne_fft.grid_of(x, y)
    assert tsne_fft.grid_of(x * np.float32(1.001), y, grid) is grid
    assert tsne_fft.grid_of(x * np.float32(1.5), y, grid).shape[1] > grid.shape[1]


@pytest.mark.parametrize("factor", [1e4, 1e30])
def test_too_wide_a_picture_has_no_grid_and_its_run_goes_on_by_a_tree(affinities, factor):
    start = tsne.random_start(N, 0)
    start[0] = np.float32(factor)
    assert tsne_fft.grid_of(*start.T.copy()) is None
    found, _, n_iter = tsne.tsne_runs(affinities, [start], max_iter=3, method="fft")
    assert n_iter[0] == 3
    assert np.isfinite(found).all()


@pytest.mark.slow
def test_loss_on_a_grid_is_that_of_the_quadtree_or_lower():
    X = np.vstack([load_digits().data, load_digits().data + RNG.normal(size=(1797, 64))])[:3000]
    affinities = tsne.joint_probabilities(X)
    starts = [tsne.random_start(3000, seed) for seed in range(2)]
    runs, losses, _ = tsne.tsne_runs(affinities, starts, method="fft")
    _, tree, _ = tsne.tsne_runs(affinities, starts, method="barnes_hut")
    assert losses.mean() <= 1.005 * tree.mean()
    # Of more points than these the loss, too, is that of a grid.
    assert [tsne_fft.loss(*tsne._edges(affinities), run) for run in runs] == pytest.approx(losses, abs=1e-4)


def loss_of_all_pairs(affinities, points):
    """The loss in double precision."""
    similarities = 1 / (1 + squareform(pdist(points.astype(np.float64), "sqeuclidean"))) - np.eye(len(points))
    rows, columns = affinities.nonzero()
    return np.sum(affinities.data * np.log(affinities.data * similarities.sum() / similarities[rows, columns]))


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("n", "scale"), [(3, 10), (20, 1), (20, 1e4), (N, 1e6)])
def test_the_loss_is_exact_of_few_points_and_of_a_wide_picture(n, scale, dimensions):
    rng = np.random.default_rng(4)
    affinities = tsne.joint_probabilities(rng.normal(size=(n, 5)), min(20, n / 2))
    points = (scale * rng.normal(size=(n, dimensions))).astype(np.float32)
    assert tsne.kl_divergence(affinities, points) == pytest.approx(loss_of_all_pairs(affinities, points), rel=1e-5)


def test_the_loss_of_equal_samples_by_fft_is_exact():
    X = np.repeat(np.random.default_rng(1).normal(size=(3, 4)), 40, axis=0)
    model = FourierTSNE(perplexity=20, random_state=1).fit(X)
    # Equal samples of one place are at one place, where a grid errs most.
    assert model.kl_divergence_ == pytest.approx(loss_of_all_pairs(model.affinities_, model.embedding_), abs=1e-6)


def test_the_start_is_that_of_scikit_learn():
    expected = 1e-4 * np.random.RandomState(7).standard_normal(size=(50, 2)).astype(np.float32)
    assert np.array_equal(tsne.random_start(50, 7), expected)


@pytest.mark.slow
def test_loss_is_equal_to_or_lower_than_that_of_scikit_learn(digits, affinities):
    seeds = range(5)
    _, ours, _ = tsne.tsne_runs(affinities, [tsne.random_start(N, seed) for seed in seeds])
    theirs = [
        tsne.kl_divergence(affinities, TSNE(perplexity=20, init="random", random_state=seed).fit_transform(digits[0]))
        for seed in seeds
    ]
    # The spread over starts is about 0.5 % at this size.
    assert ours.mean() <= np.mean(theirs) * 1.005


@pytest.mark.slow
def test_quadtrees_approach_the_exact_kernel_as_they_are_refined():
    """At the default angle 0.5 the approximation shrinks the picture; at 0.1 next to nothing of that is left."""
    X = load_digits().data[:600]
    affinities = tsne.joint_probabilities(X, 30.0)
    starts = [tsne.random_start(600, seed) for seed in range(3)]

    def size(embeddings):
        return np.mean([np.linalg.norm(pdist(y)) for y in embeddings])

    def ours(angle):
        return tsne.tsne_runs(affinities, starts, method="barnes_hut", angle=angle)[0]

    def theirs(angle):
        return [TSNE(init="random", random_state=seed, angle=angle).fit_transform(X) for seed in range(3)]

    exact = size(tsne.tsne_runs(affinities, starts)[0])
    for runs in (ours, theirs):
        fine, coarse = size(runs(0.1)), size(runs(0.5))
        assert fine == pytest.approx(exact, rel=0.01)
        assert abs(coarse - exact) > 2 * abs(fine - exact)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_neighbours_at_equal_distances_do_not_depend_on_the_number_of_threads(metric):
    # Whole grey levels: many images have several candidates for the last neighbour.
    X = load_digits().data
    found = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            found.append(tsne.joint_probabilities(X, 30, metric=metric))
    for other in found[1:]:
        np.testing.assert_array_equal(other.indices, found[0].indices)
        np.testing.assert_array_equal(other.data, found[0].data)


@pytest.mark.parametrize("method", METHODS)
def test_runs_do_not_depend_on_the_number_of_threads_or_on_their_neighbours(affinities, method):
    starts = [tsne.random_start(N, seed) for seed in range(4)]
    one, losses, _ = tsne.tsne_runs(affinities, starts, max_iter=100, method=method, n_jobs=1)
    two, _, _ = tsne.tsne_runs(affinities, starts, max_iter=100, method=method, n_jobs=2)
    # Of "fft" three threads of one run.
    alone, _, _ = tsne.tsne_runs(affinities, starts[2:3], max_iter=100, method=method, n_jobs=3)
    assert np.array_equal(one, two)
    assert np.array_equal(one[2], alone[0])
    assert len(set(losses)) == 4


@pytest.mark.parametrize("method", METHODS)
def test_progress_counts_the_runs(affinities, method):
    seen = []
    starts = [tsne.random_start(N, seed) for seed in range(3)]
    tsne.tsne_runs(affinities, starts, max_iter=5, method=method, n_jobs=2, progress=seen.append)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize(
    ("method", "angle", "message"),
    [("grid", 0.5, "barnes_hut or fft, found 'grid'")]
    + [("barnes_hut", angle, f"from 0 to 1, found {angle}") for angle in (-0.1, 1.1, np.nan)],
)
def test_a_bad_method_or_angle_is_named(affinities, method, angle, message):
    with pytest.raises(ValueError, match=message):
        tsne.tsne_runs(affinities, [tsne.random_start(N, 0)], method=method, angle=angle)


@pytest.mark.parametrize("estimator", [BarnesHutTSNE, FourierTSNE])
@pytest.mark.parametrize("dimensions", [1, 3])
def test_beyond_the_plane_all_pairs_count_and_of_many_points_that_is_to_be_asked_for(
    digits, affinities, estimator, dimensions, monkeypatch
):
    options = {"perplexity": 20, "max_iter": 260, "random_state": 0}
    exact = ExactTSNE(dimensions, **options).fit_transform(digits[0])
    assert np.array_equal(estimator(dimensions, **options).fit_transform(digits[0]), exact)
    monkeypatch.setattr(tsne, "MOST_TREE_POINTS", N - 1)
    message = f"more than {N - 1} points must be 2 .* found {dimensions} of {N} points; ExactTSNE"
    with pytest.raises(ValueError, match=message):
        estimator(dimensions).fit(digits[0])
    with pytest.raises(ValueError, match=message):
        tsne.tsne_runs(affinities, [np.zeros((N, dimensions))], **estimator()._repulsion())


def test_starts_of_unlike_shapes_are_refused(affinities):
    with pytest.raises(ValueError, match=rf"\({N}, 3\), found \({N}, 2\)"):
        tsne.tsne_runs(affinities, [np.zeros((N, 3)), np.zeros((N, 2))])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_neighbours_in_the_embedding_tell_the_class(digits, estimator):
    X, labels = digits
    embedding = estimator(perplexity=20, random_state=0).fit_transform(X)
    score = KNeighborsClassifier(5).fit(embedding[::2], labels[::2]).score(embedding[1::2], labels[1::2])
    assert score > 0.9


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimator_and_runs_agree(digits, estimator):
    model = estimator(perplexity=20, max_iter=260, random_state=3).fit(digits[0])
    runs = estimator(perplexity=20, max_iter=260).fit_transform_runs(digits[0], [3, 4])
    assert np.array_equal(model.embedding_, runs[0])
    assert not np.array_equal(runs[0], runs[1])
    assert model.kl_divergence_ == pytest.approx(tsne.kl_divergence(model.affinities_, model.embedding_), rel=1e-4)


def test_the_estimator_hands_on_its_angle(digits):
    options = {"perplexity": 20, "max_iter": 260, "random_state": 0}
    fine, coarse = (BarnesHutTSNE(angle=angle, **options).fit_transform(digits[0]) for angle in (0.2, 0.8))
    assert not np.array_equal(fine, coarse)
    affinities = tsne.joint_probabilities(digits[0], 20)
    expected = tsne.tsne_runs(affinities, [tsne.random_start(N, 0)], max_iter=260, method="barnes_hut", angle=0.8)
    assert np.array_equal(coarse, expected[0][0])


def test_pca_start_is_deterministic_and_an_array_start_is_taken(digits):
    X = digits[0]
    first = ExactTSNE(perplexity=20, max_iter=260, init="pca", random_state=0).fit_transform(X)
    second = ExactTSNE(perplexity=20, max_iter=260, init="pca", random_state=1).fit_transform(X)
    third = ExactTSNE(perplexity=20, max_iter=260, init=tsne.pca_start(X)).fit_transform(X)
    assert np.array_equal(first, second)
    assert np.array_equal(first, third)


@pytest.mark.parametrize("dimensions", [1, 3, 4])
def test_gradient_in_any_number_of_dimensions_is_the_derivative_of_the_loss(dimensions):
    rng = np.random.default_rng(2)
    affinities = tsne.joint_probabilities(rng.normal(size=(25, 5)), 8.0)
    points = rng.normal(size=(25, dimensions)).astype(np.float32)
    edges = affinities.indptr, affinities.indices, affinities.data.astype(np.float32)
    pull, push = np.empty((2, 25, dimensions), np.float32)
    total = tsne_kernels.repulsion_in_space(points, push, np.empty(len(points), np.float32))
    tsne_kernels.attraction_in_space(*edges, points, pull)

    def loss(flat):
        return loss_of_all_pairs(affinities, flat.reshape(25, dimensions))

    expected = approx_fprime(points.astype(float).ravel(), loss, 1e-7).reshape(25, dimensions)
    assert np.allclose(4 * (pull - push / total), expected, atol=1e-4 * np.abs(expected).max())
    assert tsne.kl_divergence(affinities, points) == pytest.approx(loss(points.astype(float).ravel()), rel=1e-5)


def test_the_loss_in_three_dimensions_is_that_of_scikit_learn_with_the_same_degree_of_freedom(monkeypatch):
    from sklearn.manifold import _t_sne

    # With 2 degrees of freedom, the gradient that scikit-learn follows is not that of its loss.
    own = _t_sne._kl_divergence
    monkeypatch.setattr(_t_sne, "_kl_divergence", lambda params, P, _, *args, **kw: own(params, P, 1, *args, **kw))
    # A line: other data have minima that rounding chooses between.
    X = np.arange(40.0)[:, None] * [1, 2]
    for seed in range(2):
        start = tsne.random_start(40, seed, 3)
        # So wide a perplexity makes all others neighbours, as they always are to that method of scikit-learn.
        model = ExactTSNE(3, perplexity=13, init=start).fit(X)
        peer = TSNE(3, perplexity=13, init=start, method="exact").fit(X)
        assert model.kl_divergence_ == pytest.approx(peer.kl_divergence_, rel=0.01)


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("init", ["random", "pca"])
def test_starts_have_as_many_dimensions_as_asked_for(digits, dimensions, init):
    options = {"perplexity": 20, "max_iter": 260, "init": init}
    found = ExactTSNE(dimensions, random_state=0, **options).fit_transform(digits[0])
    assert found.shape == (N, dimensions)
    assert np.array_equal(ExactTSNE(dimensions, **options).fit_transform_runs(digits[0], [0])[0], found)


# scikit-learn says so of the parameter p.
@pytest.mark.filterwarnings("ignore:Parameter p is found in metric_params")
@pytest.mark.parametrize(
    ("metric", "parameters"),
    [
        ("euclidean", None),
        ("cosine", None),
        ("minkowski", {"p": 3}),
        ("seuclidean", {"V": np.arange(1.0, 65)}),
        ("seuclidean", None),
        ("mahalanobis", None),
        (lambda a, b, power: np.abs(a - b).max() ** power, {"power": 2}),
    ],
    ids=["euclidean", "cosine", "minkowski", "seuclidean", "by their variances", "mahalanobis", "function"],
)
def test_precomputed_distances_give_what_their_metric_gives(digits, metric, parameters):
    X = digits[0][:90] + np.random.default_rng(0).normal(size=(90, 64))
    D = pairwise_distances(X, metric=metric, **(parameters or {}))
    expected = tsne.joint_probabilities(X, 10.0, metric, parameters)
    for unit in (1.0, 1e-200, 1e200):
        found = tsne.joint_probabilities(D * unit, 10.0, "precomputed")
        # The perplexity is met within 1e-5 of its logarithm.
        assert abs(found - expected).sum() < 2e-4
    # No public part of scikit-learn says them; another version may have this under another name.
    from sklearn.manifold._t_sne import _joint_probabilities_nn

    graph = NearestNeighbors(n_neighbors=31, metric="precomputed").fit(D).kneighbors_graph(mode="distance")
    graph.data **= 2
    assert abs(_joint_probabilities_nn(graph, 10.0, 0) - expected).sum() < 2e-4


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimators_hand_on_their_metric(digits, estimator):
    X, options = digits[0][:90], {"perplexity": 10, "max_iter": 260, "random_state": 0}
    given = estimator(metric="precomputed", **options).fit(cosine_distances(X))
    named = estimator(metric="cosine", **options).fit(X)
    assert np.allclose(given.affinities_.toarray(), named.affinities_.toarray(), atol=1e-7)
    assert given.kl_divergence_ == pytest.approx(named.kl_divergence_, rel=0.05)


FEW, SQUARE = CLOUD[:40], squareform(pdist(CLOUD[:40]))
test_what_cannot_be_embedded_is_refused = refusals(
    *(
        (lambda one=one: one().fit(CLOUD[:2]), f"2 sample.*minimum of 3 is required by {one.__name__}")
        for one in ESTIMATORS
    ),
    (lambda: ExactTSNE(metric="precomputed", perplexity=5).fit(SQUARE + np.eye(40, k=3)), r"symmetric.* object"),
    (
        lambda: ExactTSNE(metric="precomputed", init="pca", perplexity=5).fit(SQUARE),
        '"pca" needs the features.*"random"',
    ),
    (lambda: ExactTSNE(metric=lambda a, b: -1.0, perplexity=5).fit(FEW), "0 or more, found -1.0 between samples 0 and"),
    (
        lambda: ExactTSNE(metric=lambda a, b: np.nan, perplexity=5).fit(FEW),
        "0 or more, found nan between samples 0",
    ),
    (lambda: ExactTSNE(perplexity=5, init="pca").fit(FEW[:, :1]), 'init="pca" needs at least 2 features, found 1'),
    (lambda: ExactTSNE(3, perplexity=5, init="pca").fit(FEW), 'init="pca" needs at least 3 features, found 2'),
    (lambda: ExactTSNE(perplexity=5, metric_params={"w": 1}).fit(FEW), "metric_params .* found {'w': 1}"),
    (
        lambda: ExactTSNE(perplexity=5, metric="precomputed", metric_params={"w": 1}, init="random").fit(SQUARE),
        "metric_params .* found {'w': 1}",
    ),
)


def test_progress_and_loss_are_reported_if_asked_for(capsys):
    options = {"perplexity": 5, "max_iter": 250, "random_state": 0}
    quiet = ExactTSNE(**options).fit(CLOUD[:40])
    assert capsys.readouterr() == ("", "")
    ExactTSNE(verbose=True, **options).fit(CLOUD[:40])
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{quiet.kl_divergence_:.6g} after 250 iterations" in err


HOLES = np.eye(300, 2) > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"perplexity": N}, f"n_samples = {N}, found {N}"),
        ({"init": np.zeros((3, 2))}, r"init .* \(300, 2\), found \(3, 2\)"),
        ({"init": np.where(HOLES, np.nan, 0.1)}, "init must be finite .* in 2 of 300 rows"),
        ({"init": np.where(HOLES, 1e39, 0.1)}, "init must be finite .* in 2 of 300 rows"),
        ({"init": np.ma.array(np.ones((N, 2)), mask=HOLES)}, "init .*mask"),
        ({"init": np.ones((N, 2)) * 1j}, "init must contain real numbers"),
        ({"init": np.zeros((N, 2))}, "init must have points that differ"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_bad_parameters_are_named(digits, estimator, parameters, message):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(digits[0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [0.0, 0.1, -3e7])
def test_a_pca_start_needs_samples_that_differ(value):
    X = np.full((60, 3), value) * [1, 0.7, 0.3]
    with pytest.raises(ValueError, match="samples that differ, found 60"):
        tsne.pca_start(X)
    X[7, 1] += 1e-9 * max(abs(value), 1)
    assert np.isfinite(tsne.pca_start(X)).all()


def test_a_start_and_an_embedding_with_a_large_offset_keep_their_places():
    X = np.random.default_rng(0).normal(size=(90, 4))
    start = np.round(X[:, :2] * 2**20) / 2**20
    near, far = (ExactTSNE(perplexity=10, init=start + offset, max_iter=250).fit(X) for offset in (0, 2.0**23))
    assert len(np.unique(far.embedding_, axis=0)) == 90
    assert np.abs(far.embedding_).max() < 1e4
    assert far.kl_divergence_ == pytest.approx(near.kl_divergence_, rel=0.1)
    moved = near.embedding_.astype(float) + 2.0**23
    assert tsne.kl_divergence(near.affinities_, moved) == pytest.approx(
        tsne.kl_divergence(near.affinities_, near.embedding_)
    )


@pytest.mark.parametrize("metric", ["euclidean", "minkowski", "sqeuclidean", "manhattan"])
def test_affinities_do_not_depend_on_where_zero_is(metric):
    X = np.random.default_rng(0).normal(size=(300, 20))
    X = np.round(X, 3)
    near, far = (tsne.joint_probabilities(X + offset, 10.0, metric) for offset in (0.0, 2.0**24))
    assert abs(near - far).sum() < 1e-3


def test_a_run_that_ends_in_nan_is_refused_with_what_to_do(affinities):
    start = np.append(np.full((1, 2), np.nan, np.float32), tsne.random_start(N, 0)[1:], axis=0)
    for method in ("exact", "barnes_hut", "fft"):
        with pytest.raises(ValueError, match="Run 0 has NaN"):
            tsne.tsne_runs(affinities, [start], max_iter=3, method=method)
    embedder = ExactTSNE(perplexity=5.0, max_iter=250, learning_rate=1e30)
    for make in (lambda: embedder.fit_transform(CLOUD[:40]), lambda: embedder.fit_transform_runs(CLOUD[:40], [0])):
        with pytest.raises(ValueError, match=r"Run 0 has NaN or infinity .* lower the learning rate"):
            make()


def test_the_power_of_a_minkowski_metric_is_taken_without_a_warning(recwarn):
    X = np.random.default_rng(0).normal(size=(20, 3))
    found = ExactTSNE(perplexity=5, metric="minkowski", metric_params={"p": 1}, max_iter=250, random_state=0).fit(X)
    other = ExactTSNE(perplexity=5, metric="manhattan", max_iter=250, random_state=0).fit(X)
    assert not recwarn.list
    np.testing.assert_array_equal(found.embedding_, other.embedding_)

"""Mean shift against scikit-learn; the search for a bandwidth; the other objects; the map back; bad input."""

import numpy as np
import pytest
from consensus_embedding.clustering.mean_shift import (
    Objects,
    kmeans_objects,
    mean_shift_objects,
    random_objects,
)
from refusals import refusals
from scipy.spatial.distance import cdist
from sklearn.cluster import MeanShift
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

METHODS = {
    "mean shift": lambda F, n, seed=0: mean_shift_objects(F, max_objects=n),
    "gaussian mean shift": lambda F, n, seed=0: mean_shift_objects(F, max_objects=n, kernel="gaussian"),
    "k-means": lambda F, n, seed=0: kmeans_objects(F, n_objects=n, seed=seed),
    "random": lambda F, n, seed=0: random_objects(F, n_objects=n, seed=seed),
}


def _texture_like(n, p, seed=0):
    """Correlated and skewed features with outliers, z-scored, as texture features are."""
    rng = np.random.default_rng(seed)
    smooth = rng.normal(size=(n, 3)) @ rng.normal(size=(3, p)) + 0.4 * rng.normal(size=(n, p))
    F = np.where(np.arange(p) % 2, np.exp(0.6 * smooth), smooth)
    return (F - F.mean(axis=0)) / F.std(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p", "bandwidth"), [(500, 2, 0.4), (500, 2, 1.1), (800, 5, 0.9), (600, 14, 1.6), (600, 14, 3.0), (60, 1, 0.2)]
)
def test_same_centres_and_map_as_scikit_learn(n, p, bandwidth):
    F = _texture_like(n, p)
    # As a NumPy number, since scikit-learn places the seeds in single precision otherwise.
    expected = MeanShift(bandwidth=np.float64(bandwidth), bin_seeding=True).fit(F)
    found = mean_shift_objects(F, bandwidth=bandwidth)
    assert found.features.shape == expected.cluster_centers_.shape
    assert len(found.features) > 1
    assert found.features == pytest.approx(expected.cluster_centers_, abs=1e-9)
    assert np.array_equal(found.assignment, expected.labels_)
    assert found.bandwidth == bandwidth


def test_pixels_on_a_lattice_and_on_the_edge_of_the_kernel_as_in_scikit_learn():
    F = np.random.default_rng(0).integers(0, 12, size=(400, 2)).astype(float)
    expected = MeanShift(bandwidth=np.float64(2.0), bin_seeding=True).fit(F)
    found = mean_shift_objects(F, bandwidth=2.0)
    assert len(found.features) == len(expected.cluster_centers_)
    assert cdist(found.features, expected.cluster_centers_).min(axis=1) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("p", "bandwidth"), [(1, 0.1345), (2, 0.338), pytest.param(5, 0.8, marks=pytest.mark.long_study)]
)
@pytest.mark.parametrize("places", [[1e6], [-1e6, 1e6]])
@pytest.mark.slow
def test_pixels_far_from_zero_as_in_scikit_learn(p, bandwidth, places):
    # Of two far places neither is 0: single precision tells the pixels of each no better apart than a sixteenth, and
    # all near the surface are looked at again.
    F = _texture_like(1500, p, seed=p) + np.resize(places, 1500)[:, None]
    expected = MeanShift(bandwidth=np.float64(bandwidth), bin_seeding=True).fit(F)
    found = mean_shift_objects(F, bandwidth=bandwidth)
    assert found.features.shape == expected.cluster_centers_.shape
    assert found.features == pytest.approx(expected.cluster_centers_, rel=0, abs=1e-7)
    assert np.array_equal(found.assignment, expected.labels_)


def test_gaussian_centres_are_where_the_weighted_mean_stays():
    F = _texture_like(500, 3)
    bandwidth = 0.8
    found = mean_shift_objects(F, bandwidth=bandwidth, kernel="gaussian")
    assert len(found.features) > 1
    variance = bandwidth**2 / (3 + 2)
    squared = cdist(found.features, F, "sqeuclidean")
    weights = np.exp(-0.5 * squared / variance) * (squared <= 16 * variance)
    moved = weights @ F / weights.sum(axis=1, keepdims=True)
    # The last step was shorter than a thousandth of the bandwidth, and steps shrink.
    assert np.linalg.norm(moved - found.features, axis=1).max() <= 1e-3 * bandwidth


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.parametrize(("n", "p", "max_objects"), [(3000, 14, 100), (2000, 5, 20), (400, 2, 10), (300, 3, 200)])
def test_search_finds_a_bandwidth_that_leaves_the_objects_asked_for(kernel, n, p, max_objects):
    F = _texture_like(n, p)
    found = mean_shift_objects(F, max_objects=max_objects, kernel=kernel)
    assert max_objects * 0.6 <= len(found.features) <= max_objects
    again = mean_shift_objects(F, bandwidth=found.bandwidth, kernel=kernel)
    assert np.array_equal(again.features, found.features)


def test_search_ends_where_no_bandwidth_leaves_the_number_asked_for():
    # Each pixel is its own centre or all are one: nothing between.
    assert 1 <= len(mean_shift_objects(CORNERS, max_objects=20).features) <= 20


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.parametrize("power", [-1000, -84, -33, -1, 3, 33, 67, 120, 900])
def test_the_unit_of_the_features_does_not_matter(kernel, power):
    F = _texture_like(700, 4)
    for options in ({"bandwidth": 1.1}, {"max_objects": 50}):
        expected = mean_shift_objects(F, kernel=kernel, **options)
        if "bandwidth" in options:
            options["bandwidth"] = np.ldexp(1.1, power)
        found = mean_shift_objects(np.ldexp(F, power), kernel=kernel, **options)
        assert np.array_equal(found.assignment, expected.assignment)
        # The logarithm of a bandwidth that is searched for is rounded in its own unit.
        exact = "bandwidth" in options
        features, bandwidth = np.ldexp(found.features, -power), np.ldexp(found.bandwidth, -power)
        np.testing.assert_allclose(features, expected.features, rtol=0 if exact else 1e-9, atol=0)
        assert bandwidth == pytest.approx(expected.bandwidth, rel=0 if exact else 1e-13, abs=0)


@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
def test_a_bandwidth_far_beyond_the_data_leaves_one_object_and_one_far_below_every_pixel(kernel):
    F = _texture_like(300, 3)
    for bandwidth in (1e20, 1e200, np.inf):
        found = mean_shift_objects(F, bandwidth=bandwidth, kernel=kernel)
        assert found.features == pytest.approx(F.mean(axis=0, keepdims=True), abs=1e-9)
        assert found.bandwidth == bandwidth
    for bandwidth in (1e-200, 1e-310):
        found = mean_shift_objects(F, bandwidth=bandwidth, kernel=kernel)
        assert np.array_equal(found.features[found.assignment], F)


@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.parametrize("fill", [1e36, 1e300])
def test_a_fill_value_beyond_single_precision_ends_the_search_with_two_objects(kernel, fill):
    F = _texture_like(300, 3)
    F[7, 2] = fill
    found = mean_shift_objects(F, max_objects=50, kernel=kernel)
    assert found.assignment.tolist() == [int(pixel == 7) for pixel in range(300)]


def test_with_a_bandwidth_pixels_beside_a_fill_value_keep_apart():
    F = _texture_like(300, 3)
    F[7, 2] = 1e36
    found, others = (mean_shift_objects(table, bandwidth=1.1) for table in (F, np.delete(F, 7, axis=0)))
    assert len(found.features) == len(others.features) + 1
    assert found.sizes[found.assignment[7]] == 1
    # The objects of the other pixels are numbered anew.
    centres = found.to_pixels(found.features)
    assert np.delete(centres, 7, axis=0) == pytest.approx(others.to_pixels(others.features), abs=1e-12)


@pytest.mark.parametrize("offset", [[1e8] * 4, [-1e12] * 4, [0, 1e8, 0, 0], [1e300, 0, 0, 0]])
def test_an_offset_that_dwarfs_the_spread_does_not_merge_the_objects(offset):
    F = _texture_like(600, 4) + offset
    found = mean_shift_objects(F, max_objects=60)
    assert 40 <= len(found.features) <= 60
    assert np.array_equal(found.assignment, pairwise_distances_argmin(F - offset, found.features - offset))
    means = np.array([(F[found.assignment == k] - offset).mean(axis=0) for k in range(len(found.features))])
    assert np.abs(found.features - offset - means).max() < 2


def test_a_search_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(
        "consensus_embedding.clustering.mean_shift_search.centres_of", lambda *arguments, **how: np.empty((0, 3))
    )
    with pytest.raises(ValueError, match=r"max_objects = 10 centres of 100 pixels: 100 .* the last one left 0"):
        mean_shift_objects(_texture_like(100, 3), max_objects=10)


@pytest.mark.parametrize("method", METHODS)
def test_objects_are_a_map_of_all_pixels_to_the_nearest_object(method):
    F = _texture_like(1500, 6)
    found = METHODS[method](F, 40)
    assert 24 <= len(found.features) <= 40
    assert np.array_equal(found.assignment, pairwise_distances_argmin(F, found.features))
    assert np.array_equal(found.sizes, np.bincount(found.assignment, minlength=len(found.features)))
    assert found.sizes.min() >= 1
    assert found.sizes.sum() == 1500


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_same_objects_every_time_whatever_the_threads(method):
    F = _texture_like(1500, 6)
    first = METHODS[method](F, 40, seed=3)
    with threadpool_limits(1):
        second = METHODS[method](F, 40, seed=3)
    assert np.array_equal(first.features, second.features)
    assert np.array_equal(first.assignment, second.assignment)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", METHODS)
def test_few_distinct_pixels_are_the_objects(method):
    places = np.array([[0.0, 1.0], [-0.0, 1.0], [5.0, 5.0], [3.0, 2.0]])
    F = places[[2, 0, 1, 3, 2, 2]]
    found = METHODS[method](F, 3)
    assert found.features.tolist() == [[5, 5], [0, 1], [3, 2]]
    assert found.assignment.tolist() == [0, 1, 1, 2, 0, 0]
    assert found.sizes.tolist() == [3, 2, 1]
    assert found.bandwidth is None
    assert len(METHODS[method](np.ones((50, 3)), 10).features) == 1
    pixel = np.array([[0.3, -2.0, 1e30]])
    for kernel in ("flat", "gaussian"):
        assert np.array_equal(mean_shift_objects(pixel, bandwidth=2.0, kernel=kernel).features, pixel)


def test_kmeans_objects_spread_less_than_random_ones_which_are_pixels_drawn_by_the_seed():
    F = _texture_like(1500, 6)
    kmeans, random = kmeans_objects(F, n_objects=50), random_objects(F, n_objects=50)
    assert len(random.features) == 50
    assert cdist(random.features, F).min(axis=1).max() == 0
    within = [np.square(F - found.features[found.assignment]).sum() for found in (kmeans, random)]
    assert within[0] < 0.8 * within[1]
    for method, first in ((kmeans_objects, kmeans), (random_objects, random)):
        assert not np.array_equal(method(F, n_objects=50, seed=1).features, first.features)


OBJECTS = Objects(np.zeros((3, 2)), np.array([2, 0, 0, 1]), np.array([2, 1, 1]))


def test_values_of_objects_go_to_their_pixels():
    assert OBJECTS.to_pixels([10, 20, 30]).tolist() == [30, 10, 10, 20]
    assert OBJECTS.to_pixels(np.eye(3)).shape == (4, 3)


PIXELS = _texture_like(100, 3)
CORNERS = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T


test_bad_input_is_refused = refusals(
    *[
        (lambda: OBJECTS.to_pixels([1, 2, 3, 4]), r"each of 3 objects, found \(4,\)"),
        (lambda: OBJECTS.to_pixels(1), "each of 3 objects"),
        (lambda: mean_shift_objects(PIXELS, max_objects=1), "max_objects must be at least 2, found 1"),
        (lambda: mean_shift_objects(PIXELS, kernel="normal"), "kernel .* found 'normal'"),
        (lambda: mean_shift_objects(PIXELS, bandwidth=-1), "bandwidth must be above 0, found -1"),
        (lambda: mean_shift_objects(PIXELS, seeding="cells"), "seeding .* found 'cells'"),
        (lambda: mean_shift_objects(np.vstack([CORNERS, CORNERS]), bandwidth=2.1), "choose a larger one"),
        (lambda: kmeans_objects(PIXELS, n_objects=0), "n_objects must be at least 2, found 0"),
        (lambda: random_objects(PIXELS, n_objects=0), "n_objects must be at least 2, found 0"),
        (lambda: random_objects(PIXELS, n_objects=10, seed=-1), "seed .* found -1"),
    ]
    + [
        (lambda method=method, F=F: method(F, 10), message)
        for method in METHODS.values()
        for F, message in (
            (np.where(PIXELS > 2, np.nan, PIXELS), "NaN"),
            (PIXELS[:, 0], r"found shape \(100,\)"),
            (PIXELS[:0], r"found shape \(0, 3\)"),
        )
    ],
)


@pytest.mark.parametrize("kind", ["clusters", "skewed", "scales"])
@pytest.mark.parametrize("standardised", [False, True])
def test_a_table_of_many_features_has_objects_where_no_cell_of_the_grid_has(kind, standardised):
    generator = np.random.default_rng(0)
    F = generator.normal(0, 3, (27, 30))[generator.integers(0, 27, 400)] + generator.normal(size=(400, 30))
    F = {"clusters": F, "skewed": np.exp(0.2 * F), "scales": F * np.exp(generator.normal(0, 3, 30))}[kind]
    F = (F - F.mean(axis=0)) / F.std(axis=0) if standardised else F
    grid = mean_shift_objects(F, max_objects=100)  # as in the study
    found = mean_shift_objects(F, max_objects=100, seeding="auto")
    assert 60 <= len(found.sizes) <= 100
    # One feature of a large scale leaves the grid enough cells; otherwise it leaves a tenth or less.
    few = kind != "scales" or standardised
    assert (len(grid.sizes) <= 10) == few
    same = mean_shift_objects(F, max_objects=100, seeding="pixels") if few else grid
    np.testing.assert_array_equal(found.features, same.features)


@pytest.mark.parametrize(("bandwidth", "n_objects"), [(6.0, 25), (3.0, 300)])
def test_pixels_are_seeds_where_the_grid_leaves_few_objects_or_none_of_a_given_bandwidth(bandwidth, n_objects):
    F = np.random.default_rng(0).normal(size=(300, 30))
    auto, pixels = (mean_shift_objects(F, bandwidth=bandwidth, seeding=seeding) for seeding in ("auto", "pixels"))
    np.testing.assert_array_equal(auto.features, pixels.features)
    assert len(auto.sizes) == n_objects
    assert auto.bandwidth == bandwidth


def test_pixels_are_seeds_only_where_the_grid_leaves_few_objects():
    F = np.random.default_rng(1).random((1000, 3))
    for width in (None, 0.2):
        how = {"max_objects": 60, "bandwidth": width}
        grid, auto = (mean_shift_objects(F, seeding=seeding, **how) for seeding in ("grid", "auto"))
        np.testing.assert_array_equal(grid.features, auto.features)

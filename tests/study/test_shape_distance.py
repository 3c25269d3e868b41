"""Shape distances: the minimum of brute force, known shapes, and no dependence on place, rotation and start."""

import numpy as np
import pytest
from replication.data.domains.shape_distance import shape_distances
from scipy.optimize import minimize_scalar


def curve(coefficients, n_points=64, start=0.0):
    """Closed curve of given Fourier coefficients {harmonic: value}."""
    t = 2 * np.pi * (np.arange(n_points) / n_points + start)
    return sum(value * np.exp(1j * k * t) for k, value in coefficients.items())


def gland_like(rng, folds=0.05, h=8):
    """Coefficients of a roundish outline."""
    random = {k: folds * complex(*rng.standard_normal(2)) for k in range(-h, h + 1) if k not in (0, 1)}
    return {1: 1.0 + rng.random(), **random}


def brute_force(a, b, n_starts=1 << 14):
    """Minimum over a fine grid of starting points; rotation and translation by the Procrustes solution."""
    fine = np.fft.fft(b - b.mean()) / len(b)
    harmonics = np.fft.fftfreq(len(b), 1 / len(b))
    a = a - a.mean()
    best = np.inf
    for starts in np.array_split(2 * np.pi * np.arange(n_starts) / n_starts, n_starts // 1024):
        moved = np.fft.ifft(fine * np.exp(1j * harmonics * starts[:, None]), axis=1) * len(b)
        inner = moved.conj() @ a
        turned = moved * (inner / np.abs(inner))[:, None]
        best = min(best, np.sqrt(np.square(np.abs(a - turned)).mean(axis=1)).min())
    return best


@pytest.fixture(scope="module")
def shapes():
    rng = np.random.default_rng(0)
    return np.array([curve(gland_like(rng, folds), 33) for folds in (0.005, 0.05, 0.05, 0.1, 0.1, 0.2, 0.3)])


def moved_copies(coefficients, n, rng, n_points=64):
    return np.array(
        [
            curve(coefficients, n_points, rng.random()) * np.exp(6.3j * rng.random()) + 10 * complex(*rng.random(2))
            for _ in range(n)
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", ["kept", "removed"])
def test_it_is_the_minimum_over_a_fine_grid(shapes, size):
    """The grid's minimum is above the true one by a second-order term: a little, and never below it."""
    scaled = shapes - shapes.mean(axis=1, keepdims=True)
    if size == "removed":
        scaled /= np.sqrt(np.square(np.abs(scaled)).mean(axis=1, keepdims=True))
    found = shape_distances(shapes, size=size)
    for i in range(len(shapes)):
        for j in range(i):
            expected = brute_force(scaled[i], scaled[j])
            assert expected - 2e-6 < found[i, j] < expected + 1e-9


@pytest.mark.parametrize("excess", [1e-3, 1e-5, 1e-6])
@pytest.mark.parametrize("turn", [0, 77, 130])
def test_of_two_minima_the_lower_one_is_found(excess, turn):
    """One outline has a bump, the other has two: either may meet it, and the larger of the two must."""
    t = 2 * np.pi * np.arange(201) / 201
    one = np.exp(1j * t) * (1 + 0.2 * np.exp(5 * (np.cos(t) - 1)))
    bumps = 0.2 * (1 + excess) * np.exp(5 * (np.cos(t - 2) - 1)) + 0.2 * np.exp(5 * (np.cos(t + 2) - 1))
    two = np.exp(1j * t) * (1 + bumps)
    products = np.fft.fft(one) * np.fft.fft(two).conj() / 201**2
    harmonics = np.fft.fftfreq(201, 1 / 201)
    used = (np.abs(harmonics) <= 20) & (harmonics != 0)
    power = sum(np.square(np.abs(np.fft.fft(outline)[used])).sum() for outline in (one, two)) / 201**2

    def distance(start):
        return np.sqrt(power - 2 * abs((products * np.exp(-1j * harmonics * start))[used].sum()))

    minima = [minimize_scalar(distance, bounds=(c - 0.2, c + 0.2), options={"xatol": 1e-9}).fun for c in (2, -2)]
    assert minima[1] - minima[0] > 0.01 * excess
    assert shape_distances(np.array([one, np.roll(two, turn)]))[0, 1] == pytest.approx(minima[0], abs=2e-9)


@pytest.mark.parametrize("folds", [0.0, 1e-9, 1e-5, 0.1])
def test_place_rotation_and_starting_point_do_not_matter(folds):
    rng = np.random.default_rng(1)
    shape, other = gland_like(rng, folds), curve(gland_like(rng, 0.1))
    copies = moved_copies(shape, 8, rng)
    assert shape_distances(copies).max() < 1e-8
    to_other = shape_distances(np.concatenate([copies, other[None]]))[:-1, -1]
    np.testing.assert_allclose(to_other, to_other[0], atol=1e-8)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param({1: 1.0, -1: 0.3}, id="ellipse"),
        pytest.param({1: 1.0, -2: 0.2}, id="three lobes"),
        pytest.param({1: 1.0, -5: 0.1, 7: 0.02}, id="six lobes"),
    ],
)
def test_symmetric_shapes_have_many_best_starting_points(shape):
    assert shape_distances(moved_copies(shape, 10, np.random.default_rng(2))).max() < 1e-12


def test_circles_differ_by_their_radii():
    circles = np.array([curve({1: radius}) for radius in (1.0, 3.0, 0.5)])
    np.testing.assert_allclose(shape_distances(circles), [[0, 2, 0.5], [2, 0, 2.5], [0.5, 2.5, 0]], atol=1e-14)
    np.testing.assert_allclose(shape_distances(circles, size="removed"), 0, atol=1e-14)


def test_ellipses_and_circle_in_closed_form():
    """Harmonics 1 and -1 alone: the best start aligns the axes, and then coefficients are subtracted."""
    round_one, flat, flatter = ({1: 1.0}, {1: 1.0, -1: 0.2}, {1: 1.5, -1: 0.5})
    found = shape_distances(np.array([curve(round_one), curve(flat), 1j * curve(flatter, start=0.3)]))
    expected = {(0, 1): 0.2, (0, 2): np.hypot(0.5, 0.5), (1, 2): np.hypot(0.5, 0.3)}
    for pair, value in expected.items():
        assert found[pair] == pytest.approx(value, abs=1e-14)


def test_size_is_kept_or_removed(shapes):
    larger = np.concatenate([shapes, 3 * shapes])
    n = len(shapes)
    np.testing.assert_allclose(np.diagonal(shape_distances(larger, size="removed")[:n, n:]), 0, atol=1e-12)
    kept = shape_distances(larger)
    np.testing.assert_allclose(kept[n:, n:], 3 * kept[:n, :n], rtol=1e-9, atol=1e-12)
    spread = np.sqrt(np.square(np.abs(shapes - shapes.mean(axis=1, keepdims=True))).mean(axis=1))
    np.testing.assert_allclose(np.diagonal(kept[:n, n:]), 2 * spread, rtol=1e-12)


def test_a_mirrored_outline_is_another_shape():
    shape = curve(gland_like(np.random.default_rng(3), 0.1))
    assert shape_distances(np.array([shape, shape.conj()[::-1]]))[0, 1] > 0.1
    symmetric = curve({1: 1.0, -1: 0.3, 2: 0.1, -3: 0.05})
    assert shape_distances(np.array([symmetric, symmetric.conj()[::-1]]))[0, 1] < 1e-12


def test_a_metric_to_the_last_bit(shapes):
    distances = shape_distances(shapes)
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diagonal(distances), 0.0)
    assert (distances[:, :, None] <= distances[:, None] + distances.T[None] + 1e-9).all()
    np.testing.assert_array_equal(shape_distances(shapes[::-1])[::-1, ::-1], distances)


@pytest.mark.parametrize(("harmonic", "distance"), [(20, 0.1), (21, 0.0)])
def test_harmonics_beyond_the_twentieth_are_left_out(harmonic, distance):
    plain = {1: 1.0, -1: 0.2}
    pair = np.array([curve(plain), curve(plain | {harmonic: 0.1})])
    assert shape_distances(pair)[0, 1] == pytest.approx(distance, abs=1e-12)


def test_outlines_far_from_the_origin(shapes):
    np.testing.assert_allclose(shape_distances(shapes + 1e6), shape_distances(shapes), atol=1e-8)


def test_a_triangle_may_be_compared():
    triangle = np.array([0, 1, 1j])
    distances = shape_distances(np.array([triangle, np.roll(triangle, 1) * 1j, 2 * triangle]))
    assert distances[0, 1] < 1e-14
    assert distances[0, 2] > 0.3


@pytest.mark.parametrize("unit", [np.nan, 1e60, 1e-60])
def test_outlines_whose_distances_are_no_numbers_are_refused(shapes, unit):
    with pytest.raises(ValueError, match="outlines: expected sizes between"):
        shape_distances(unit * shapes)

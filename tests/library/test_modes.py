"""Three estimates of the mode of each column, against plain loops and known distributions."""

import numpy as np
import pytest
from consensus_embedding.consensus.modes import half_sample_mode, histogram_mode, kernel_density_mode
from consensus_embedding.consensus.pairwise import combine_values, pairwise_consensus
from scipy.spatial.distance import pdist

MODES = {"mode": half_sample_mode, "mode_kernel_density": kernel_density_mode, "mode_histogram": histogram_mode}


def plain_half_sample(values):
    """Half-sample mode of one list, as Bickel and Fruehwirth describe it."""
    x = np.sort(values)
    while len(x) > 3:
        half = -(-len(x) // 2)
        spans = x[half - 1 :] - x[: len(x) - half + 1]
        x = x[spans.argmin() :][:half]
    if len(x) == 3:
        left, right = np.diff(x)
        x = x[:2] if left < right else x[1:] if right < left else x[1:2]
    return x.sum() / len(x)


def silverman(values):
    spread = min(np.std(values, ddof=1), np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34)
    return 0.9 * spread * len(values) ** -0.2


def plain_kernel_density(values):
    """Highest point of the density on a fine grid."""
    grid = np.linspace(values.min(), values.max(), 4001)
    density = np.exp(-0.5 * np.square((grid[:, None] - values) / silverman(values))).sum(axis=1)
    return grid[density.argmax()]


def plain_histogram(values):
    counts, edges = np.histogram(values, bins="fd")
    centres = 0.5 * (edges[1:] + edges[:-1])
    fullest = centres[counts == counts.max()]
    return fullest[np.abs(fullest - np.median(values)).argmin()]


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8, 17, 18, 60])
def test_half_sample_mode_is_that_of_a_plain_loop_to_the_last_bit(m):
    rng = np.random.default_rng(m)
    for block in (rng.gamma(2.0, size=(m, 400)), np.round(rng.gamma(3.0, size=(m, 400))), np.zeros((m, 3))):
        assert half_sample_mode(block).tolist() == [plain_half_sample(column) for column in block.T]


@pytest.mark.parametrize("m", [9, 18, 60])
def test_histogram_mode_is_that_of_numpys_bins(m):
    rng = np.random.default_rng(m)
    for block in (rng.gamma(2.0, size=(m, 300)), rng.normal(size=(m, 300)) + 6 * (rng.random((m, 300)) < 0.4)):
        expected = [plain_histogram(column) for column in block.T]
        assert histogram_mode(block) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("m", [5, 9, 20])
@pytest.mark.parametrize("step", [0.1, 1 / 3])
def test_a_value_on_an_edge_is_in_numpys_bin(m, step):
    """Multiples of a step, whose place in the range is rounded to either side of an edge."""
    columns = np.random.default_rng(m).integers(0, 12, (m, 300)) * step
    columns = columns[:, np.subtract(*np.percentile(columns, [75, 25], axis=0)) > 0]
    for column, found in zip(columns.T, histogram_mode(columns), strict=True):
        counts, edges = np.histogram(column, bins="fd")
        off = np.abs(0.5 * (edges[1:] + edges[:-1])[counts == counts.max()] - np.median(column))
        assert abs(found - np.median(column)) == pytest.approx(off.min(), abs=1e-12)
    assert histogram_mode(np.array([[0.3, 0.4, 0.5, 0.5, 0.7]]).T) == pytest.approx([0.55])


@pytest.mark.slow
@pytest.mark.parametrize("m", [9, 18, 60])
def test_kernel_density_mode_is_the_highest_point_of_the_density(m):
    rng = np.random.default_rng(m)
    for block in (rng.gamma(2.0, size=(m, 200)), rng.normal(size=(m, 200)) + 6 * (rng.random((m, 200)) < 0.4)):
        found = kernel_density_mode(block)
        expected = np.array([plain_kernel_density(column) for column in block.T])
        bandwidths = np.array([silverman(column) for column in block.T])
        # Where two peaks are almost as high, the value that is densest may belong to the other one.
        assert (np.abs(found - expected) < 0.01 * bandwidths).mean() >= 0.98
        slopes = [((c - x) * np.exp(-0.5 * np.square((c - x) / h))).sum() / h
                  for c, x, h in zip(block.T, found, bandwidths, strict=True)]  # fmt: skip
        assert np.abs(slopes).max() < 1e-6 * m


@pytest.mark.parametrize("mode", MODES.values())
@pytest.mark.parametrize("name", ["gamma", "lognormal", "contaminated", "exponential"])
def test_modes_come_nearer_to_the_peak_than_mean_and_median(mode, name):
    rng = np.random.default_rng(7)
    size = (400, 200)
    samples, peak = {
        "gamma": (rng.gamma(2.0, size=size), 1.0),
        "lognormal": (rng.lognormal(sigma=0.8, size=size), np.exp(-0.64)),
        "contaminated": (np.where(rng.random(size) < 0.35, rng.uniform(3, 12, size), rng.normal(size=size)), 0.0),
        "exponential": (rng.exponential(size=size), 0.0),
    }[name]
    error = np.abs(mode(samples) - peak).mean()
    assert error < 0.75 * np.abs(np.median(samples, axis=0) - peak).mean()
    assert error < 0.5 * np.abs(samples.mean(axis=0) - peak).mean()


@pytest.mark.parametrize("mode", MODES.values())
@pytest.mark.parametrize("order", ["C", "F"])
def test_modes_follow_shift_and_scale_and_not_the_order_and_leave_the_values_as_they_are(mode, order):
    rng = np.random.default_rng(8)
    block = np.array(rng.gamma(2.0, size=(18, 100)), order=order)
    before = block.copy()
    assert mode(4.0 * block + 3.0) == pytest.approx(4.0 * mode(block) + 3.0, rel=1e-7)
    assert np.array_equal(mode(block[rng.permutation(18)]), mode(block))
    assert np.array_equal(block, before)


@pytest.mark.parametrize("mode", MODES.values())
def test_a_value_that_the_middle_half_of_a_column_shares_is_the_mode(mode):
    assert mode(np.array([[0.0] + [2.0] * 6 + [9.0, 1e6]]).T) == pytest.approx([2.0])
    assert mode(np.full((6, 2), 0.1)).tolist() == [0.1, 0.1]
    assert mode(np.array([[3.0], [4.0]]).T[:1]).tolist() == [3.0, 4.0]


def test_consensus_of_embeddings_by_each_mode():
    stack = np.random.default_rng(4).normal(size=(9, 150, 3))
    distances = np.array([pdist(y) for y in stack])
    for name, mode in MODES.items():
        assert pairwise_consensus(stack, name, n_jobs=2) == pytest.approx(mode(distances), abs=1e-12)
        assert np.array_equal(combine_values(distances, name), mode(distances))
    with pytest.raises(ValueError, match=r"'mode_kernel_density', 'mode_histogram'\], found 'modes'"):
        combine_values(distances, "modes")

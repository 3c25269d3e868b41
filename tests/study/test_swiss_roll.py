"""The Swiss roll: it lies on the spiral, the unrolled places keep its distances, and its halves are as said."""

import numpy as np
import pytest
from consensus_embedding.utils.seeds import stream_seed
from replication.data.swiss_roll import simulate_swiss_roll
from scipy.integrate import quad
from scipy.stats import kstest
from sklearn.datasets import make_swiss_roll


@pytest.fixture(scope="module")
def roll():
    return simulate_swiss_roll(2000, 3)


def test_points_lie_on_the_spiral(roll):
    x, height, y = roll.X.T
    angle = np.hypot(x, y)
    np.testing.assert_allclose(angle * np.cos(angle), x, atol=1e-12)
    np.testing.assert_allclose(angle * np.sin(angle), y, atol=1e-12)
    assert kstest((angle / np.pi - 1.5) / 3, "uniform").pvalue > 0.01
    assert kstest(height / 21, "uniform").pvalue > 0.01


def test_places_are_lengths_along_the_spiral_and_heights(roll):
    angle = np.hypot(roll.X[:, 0], roll.X[:, 2])
    for k in range(0, 2000, 100):
        expected = quad(lambda t: np.sqrt(1 + t * t), 1.5 * np.pi, angle[k])[0]
        assert roll.position[k, 0] == pytest.approx(expected, rel=1e-10)
    np.testing.assert_array_equal(roll.position[:, 1], roll.X[:, 1])


@pytest.mark.slow
def test_unrolling_keeps_short_distances(roll):
    """A chord is shorter than its arc, and all but equal to it if short."""
    along = np.linalg.norm(roll.position[:, None] - roll.position[None], axis=2)
    through = np.linalg.norm(roll.X[:, None] - roll.X[None], axis=2)
    assert (through <= along + 1e-9).all()
    short = (along > 0) & (along < 0.5)
    np.testing.assert_allclose(through[short], along[short], rtol=2e-3)


def test_halves_along_the_length(roll):
    angle = np.hypot(roll.X[:, 0], roll.X[:, 2])
    np.testing.assert_array_equal(roll.labels, angle >= 3 * np.pi)
    assert roll.position[roll.labels == 0, 0].max() < roll.position[roll.labels == 1, 0].min()
    # Binomial, 5 standard deviations.
    assert abs(roll.labels.sum() - 1000) < 112


def test_halves_across_the_width_are_of_the_same_points(roll):
    across = simulate_swiss_roll(2000, 3, split="width")
    np.testing.assert_array_equal(across.X, roll.X)
    np.testing.assert_array_equal(across.labels, roll.X[:, 1] >= 10.5)
    assert 0.4 < (across.labels == roll.labels).mean() < 0.6


def test_the_seed_decides_all(roll):
    np.testing.assert_array_equal(simulate_swiss_roll(2000, 3).X, roll.X)
    assert np.abs(simulate_swiss_roll(2000, 4).X - roll.X).max() > 1


def test_a_roll_with_one_label_is_refused():
    angles = {seed: make_swiss_roll(4, random_state=stream_seed(seed, "swiss_roll"))[1] for seed in range(100)}
    one_sided = [seed for seed, angle in angles.items() if len(set(angle >= 3 * np.pi)) == 1]
    # Probability 1/8.
    assert 2 <= len(one_sided) <= 30
    for seed in angles:
        if seed in one_sided:
            with pytest.raises(ValueError, match="samples in both halves of the sheet, found all 4 in one"):
                simulate_swiss_roll(4, seed)
        else:
            assert set(simulate_swiss_roll(4, seed).labels.tolist()) == {0, 1}

"""Planted features: the truth is where it was put, and a seed gives the same samples again."""

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.data.feature_set import read_feature_set
from replication.data.planted_features import simulate_planted_features
from scipy.stats import ttest_ind

SETTINGS = {
    "n_samples": 4000,
    "n_validation": 1000,
    "n_features": 30,
    "n_informative": 4,
    "n_redundant": 3,
    "n_nuisance": 6,
    "structure": "shift",
    "effect": 1.0,
    "nuisance_scale": 3.0,
}
MONTHS = {"baseline": 60.0, "hazard_ratio": 3.0, "follow_up": 120.0}


def simulate(seed=1, draw=0, **changes):
    return simulate_planted_features({**SETTINGS, **changes}, seed, draw)


def columns(data, kind):
    """Values of one kind of feature, numbered as named."""
    names = [f"{kind} {k}" for k in range(1, 1 + np.char.startswith(data.features, kind).sum())]
    order = [data.features.tolist().index(name) for name in names]
    return data.values[:, order]


@pytest.fixture(scope="module")
def planted():
    return simulate()


def test_shapes_parts_and_names(planted):
    X, y = planted.training_part()
    others, truth = planted.validation_part()
    assert (X.shape, others.shape) == ((4000, 30), (1000, 30))
    assert (np.count_nonzero(y == 1), np.count_nonzero(truth == 1)) == (2000, 500)
    assert planted.classes.tolist() == ["A", "B"]
    kinds = {"informative": 4, "redundant": 3, "nuisance": 6, "noise": 17}
    assert sorted(planted.features) == sorted(f"{kind} {k}" for kind, n in kinds.items() for k in range(1, n + 1))
    assert planted.labels.dtype == np.int64
    assert planted.months is None
    assert simulate(n_validation=0).validation is None


def test_the_truth_is_informative_and_redundant(planted):
    relevant = np.char.startswith(planted.features, "informative") | np.char.startswith(planted.features, "redundant")
    np.testing.assert_array_equal(planted.truth, relevant)


def test_order_tells_nothing(planted):
    assert not planted.truth[:7].all()
    assert len(set(planted.labels[:10].tolist())) == 2
    assert len({tuple(np.flatnonzero(simulate(seed, n_samples=4).truth)) for seed in range(5)}) > 1


def test_shift_puts_the_class_means_apart_by_the_effect(planted):
    positive = planted.labels == 1
    difference = planted.values[positive].mean(axis=0) - planted.values[~positive].mean(axis=0)
    informative = np.char.startswith(planted.features, "informative")
    np.testing.assert_allclose(np.abs(difference[informative]), 1.0, atol=0.15)
    assert ttest_ind(planted.values[positive], planted.values[~positive]).pvalue[~planted.truth].min() > 1e-4


def test_the_direction_of_a_shift_is_random():
    far = [simulate(seed, effect=50.0) for seed in range(4)]
    signs = {tuple(data.labels[0] * np.sign(columns(data, "informative")[0])) for data in far}
    assert len(signs) > 1


@pytest.mark.parametrize("structure", ["shift", "parity", "curve"])
def test_noise_around_the_structure_has_standard_deviation_one(structure):
    noisy, doubled = (columns(simulate(structure=structure, effect=effect), "informative") for effect in (2.0, 4.0))
    none = columns(simulate(structure=structure, effect=0.0), "informative")
    np.testing.assert_allclose(none.std(axis=0), 1.0, atol=0.05)
    # The signal grows with the effect, and the noise stays.
    np.testing.assert_allclose(doubled - none, 2.0 * (noisy - none), atol=1e-12)
    assert np.abs(doubled - none).max() > 1.9


def test_parity_is_the_product_of_the_signs_and_no_part_of_them_tells():
    data = simulate(structure="parity", effect=20.0)
    corners = np.sign(columns(data, "informative"))
    np.testing.assert_array_equal(corners.prod(axis=1), data.labels)
    np.testing.assert_allclose(np.abs(columns(data, "informative")).mean(axis=0), 10.0, atol=0.1)
    for left_out in range(4):
        part = np.delete(corners, left_out, axis=1)
        assert abs(np.mean(part.prod(axis=1) * data.labels)) < 5 / np.sqrt(5000)
    assert np.abs(np.corrcoef(corners.T) - np.eye(4)).max() < 5 / np.sqrt(5000)
    assert ttest_ind(data.values[data.labels == 1], data.values[data.labels == -1]).pvalue.min() > 1e-4


def test_curve_is_a_spiral_whose_outer_turn_is_the_second_class():
    effect = 1e6
    data = simulate(structure="curve", effect=effect)
    points = columns(data, "informative") / effect * 5.0 * np.pi
    # Phases spread over half a circle: squares of the cosines sum to half their number.
    radius = np.sqrt(np.square(points).sum(axis=1) / 2.0)
    expected = radius[:, None] * np.cos(radius[:, None] + np.pi * np.arange(4) / 4)
    np.testing.assert_allclose(points, expected, atol=1e-3)
    assert radius.min() == pytest.approx(np.pi, abs=0.02)
    assert radius.max() == pytest.approx(5.0 * np.pi, abs=0.02)
    np.testing.assert_array_equal(radius > 3.0 * np.pi, data.labels == 1)
    assert np.linalg.matrix_rank(points, tol=1.0) == 2


def test_class_means_are_the_same_along_the_curve():
    data = simulate(structure="curve", effect=5.0, n_samples=20000)
    positive = data.labels == 1
    assert ttest_ind(data.values[positive], data.values[~positive], equal_var=False).pvalue.min() > 1e-4


@pytest.mark.parametrize("structure", ["shift", "parity", "curve"])
def test_redundant_features_are_combinations_of_informative_ones(structure):
    data = simulate(structure=structure)
    informative, redundant = columns(data, "informative"), columns(data, "redundant")
    weights, residual, _, _ = np.linalg.lstsq(informative, redundant, rcond=None)
    assert residual.max() < 1e-20
    np.testing.assert_allclose(np.square(weights).sum(axis=0), 1.0, rtol=1e-12)
    assert np.linalg.matrix_rank(weights) == 3
    again = columns(simulate(structure=structure, draw=1), "redundant")
    np.testing.assert_allclose(columns(simulate(structure=structure, draw=1), "informative") @ weights, again)


def test_nuisance_features_share_a_factor(planted):
    nuisance, noise = columns(planted, "nuisance"), columns(planted, "noise")
    np.testing.assert_allclose(nuisance.std(axis=0), 3.0, rtol=0.05)
    correlation = np.corrcoef(nuisance.T)
    np.testing.assert_allclose(np.abs(correlation[np.triu_indices(6, 1)]), 0.9, atol=0.02)
    assert abs(np.corrcoef(nuisance[:, 0], planted.labels)[0, 1]) < 5 / np.sqrt(5000)
    np.testing.assert_allclose(noise.std(axis=0), 1.0, atol=0.05)
    both = np.corrcoef(np.hstack([noise, nuisance[:, :1], columns(planted, "informative")]).T)
    assert np.abs(both[:17, :18] - np.eye(22)[:17, :18]).max() < 6 / np.sqrt(5000)


def test_seed_and_draw_decide_all(planted):
    again, draw, other = simulate(), simulate(draw=1), simulate(seed=2)
    for part in ("values", "labels", "features", "truth", "validation"):
        np.testing.assert_array_equal(getattr(again, part), getattr(planted, part))
    np.testing.assert_array_equal(draw.features, planted.features)
    assert np.abs(draw.values - planted.values).max() > 1.0
    assert (draw.labels != planted.labels).any()
    assert (other.features != planted.features).any()
    read = read_feature_set({"name": "p", "planted": SETTINGS}, halve_gisette=False, seed=2)
    np.testing.assert_array_equal(read.values, other.values)


def test_conditions_are_paired(planted):
    """What a condition does not touch stays as it is, to the last bit."""
    for changes in ({"structure": "parity"}, {"structure": "curve"}, {"effect": 3.0}, {"nuisance_scale": 1.0}):
        other = simulate(**changes)
        np.testing.assert_array_equal(columns(other, "noise"), columns(planted, "noise"))
        np.testing.assert_array_equal(other.labels, planted.labels)
        scale = 3.0 if changes.get("nuisance_scale") else 1.0
        np.testing.assert_allclose(columns(other, "nuisance") * scale, columns(planted, "nuisance"), rtol=1e-12)
    np.testing.assert_array_equal(simulate(n_validation=0).values, planted.training_part()[0])
    np.testing.assert_array_equal(simulate(months=MONTHS).values, planted.values)


def test_training_and_validation_samples_differ():
    data = simulate(n_samples=50, n_validation=50)
    assert np.abs(data.training_part()[0] - data.validation_part()[0]).max() > 1.0


def test_months_follow_the_hazards_of_the_classes():
    """The classes lie so far apart that they can be seen; events over time at risk is the hazard of an exponential."""
    data = simulate(effect=50.0, n_samples=40000, months=MONTHS)
    assert data.classes.tolist() == ["censored", "recurrence"]
    informative = columns(data, "informative")
    far = np.sign(informative[:, 0])
    plain = simulate(effect=50.0, n_samples=40000)
    high = plain.labels == 1
    assert abs(np.mean(far * plain.labels)) == 1.0
    event = data.labels == 1
    for group, hazard in ((high, 3.0 / 60.0), (~high, 1.0 / 60.0)):
        assert event[group].sum() / data.months[group].sum() == pytest.approx(hazard, rel=0.05)
        reach = hazard * 120.0
        seen = 1.0 - (1.0 - np.exp(-reach)) / reach
        assert event[group].mean() == pytest.approx(seen, abs=0.015)
    assert data.months.min() > 0
    assert data.months.max() <= 120.0
    np.testing.assert_array_equal(data.truth, plain.truth)


def test_too_few_events_are_refused():
    with pytest.raises(InputError, match=r"expected at least 2 samples of class 'recurrence' .*found 0"):
        simulate(months={"baseline": 1e9, "hazard_ratio": 1.0, "follow_up": 1.0})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_validation": 2}, r"^planted\.n_validation: expected 0 or at least 4, found 2"),
        ({"n_features": 12}, r"n_features: expected at least the 13 .* found 12"),
        ({"structure": "curve", "n_informative": 1}, r"n_informative: expected at least 2 for curve"),
        ({"structure": "parity", "n_informative": 1}, r"n_informative: expected at least 2 for parity"),
        ({"months": {"baseline": 60}}, r"months\.hazard_ratio: missing\nplanted\.months\.follow_up: missing$"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        simulate(**parameters)

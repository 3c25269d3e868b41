"""What the parameters of an estimator may be."""

from types import SimpleNamespace

import numpy as np
import pytest
from consensus_embedding import GraphEmbedding
from consensus_embedding.utils.parameters import COUNT, NOT_NEGATIVE, POSITIVE, RANDOM_STATE, Range, check_parameters


def is_allowed(value, *options):
    try:
        check_parameters(SimpleNamespace(a=value), {"a": options})
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("option", "inside", "outside"),
    [
        (COUNT, [1, 7, np.int32(3)], [0, -1, 1.0, np.float64(2), "1", None]),
        (POSITIVE, [1e-300, 1, 2.5, np.float32(0.5)], [0, 0.0, -1.0, np.inf, np.nan, 1j, "1", None]),
        (NOT_NEGATIVE, [0, 0.0, 3], [-1e-9, np.inf, np.nan]),
        (Range(float, 0, 1), [0.0, 1.0], [1.1, -0.1]),
        ({"rows", "none"}, ["rows"], ["row", "", None, ["rows"], 1]),
        (None, [None], [0, False, "None"]),
        (tuple, [(), (1, 2)], [[1, 2], None]),
    ],
)
def test_what_is_allowed(option, inside, outside):
    assert all(is_allowed(value, option) for value in inside)
    assert not any(is_allowed(value, option) for value in outside)


def test_one_of_several_options_is_enough():
    assert is_allowed("sqrt", COUNT, {"sqrt"})
    assert is_allowed(3, COUNT, {"sqrt"})
    assert not is_allowed(0, COUNT, {"sqrt"})


def test_a_random_state_is_what_numpy_takes():
    for value in (None, 0, 2**32 - 1, np.random.RandomState(0)):
        assert is_allowed(value, *RANDOM_STATE)
    for value in (-1, 2**32, 0.5, "0", np.random.default_rng(0)):
        assert not is_allowed(value, *RANDOM_STATE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components of GraphEmbedding must be a whole number of at least 1, found 0."),
        ({"radius": -1}, "radius of GraphEmbedding must be a finite number above 0 or None, found -1."),
        ({"self_affinity": 2}, "must be a finite number of at least 0 and at most 1, found 2."),
        ({"scaling": "row"}, "must be one of ['diffusion', 'eigenvalue', 'none', 'rows'], found 'row'."),
    ],
)
def test_the_message_names_estimator_and_parameter_expected_and_found(options, message):
    with pytest.raises(ValueError, match="must be") as error:
        GraphEmbedding(**options).fit(np.eye(5))
    assert message in str(error.value)

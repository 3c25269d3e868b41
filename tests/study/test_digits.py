"""The digits table: shape, names, provenance."""

import numpy as np
import pytest
from replication.data.digits import digits_name, digits_source, read_digits


def test_shape_and_classes_are_those_of_the_paper():
    X, labels = read_digits()
    assert X.shape == (1797, 64)
    assert (X.min(), X.max()) == (0, 16)
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_a_part_is_never_shown_under_the_name_of_the_whole():
    X, labels = read_digits(300)
    assert len(X) == len(labels) == 300
    assert (digits_name(1797), digits_source(1797)) == ("digits", "original")
    assert (digits_name(300), digits_source(300)) == ("digits_first_300", "public-substitute")


@pytest.mark.parametrize("n", [0, 1798])
def test_a_wrong_number_is_refused(n):
    with pytest.raises(ValueError, match=f"1797 images; .* found {n}"):
        read_digits(n)

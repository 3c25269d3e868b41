"""Public names of the library that moved: the old ones say where they are."""

from importlib import import_module

import consensus_embedding as library
import pytest


@pytest.mark.parametrize(("name", "module"), library._OF_THE_STUDY.items())
def test_a_name_of_the_study_says_where_it_is(name, module):
    place = f"replication.data.{module}"
    with pytest.raises(AttributeError, match=f"{name} belongs to the study: import it from {place}"):
        getattr(library, name)
    assert hasattr(import_module(place), name)

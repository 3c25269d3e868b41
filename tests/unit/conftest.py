"""What all tests of single parts share."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def frozen():
    """Holm's correction collects garbage, which takes long unless what is there is frozen, as jobs freeze it."""
    gc.freeze()
    yield
    gc.unfreeze()

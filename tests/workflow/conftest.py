"""Copies of this checkout for the tests, one of them with a finished study."""

import time

import pytest
from checkout import Checkout


@pytest.fixture(scope="session")
def new_checkout(tmp_path_factory):
    """Make copies of this checkout."""
    return lambda: Checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def fresh(new_checkout):
    """A checkout in which nothing has run; tests leave no results in it."""
    return new_checkout()


@pytest.fixture(scope="session")
def finished(new_checkout):
    """A checkout in which `make` has run to its end on one core, with what it said and how long it took."""
    checkout = new_checkout()
    start = time.monotonic()
    checkout.output = checkout.run("make", "CORES=1")
    checkout.seconds = time.monotonic() - start
    return checkout

"""Samples in two groups, of some of which the group is known."""

import numpy as np
import pytest


@pytest.fixture
def X():
    """Two groups of 60 that overlap a little."""
    X = np.random.default_rng(0).normal(size=(120, 4))
    X[60:, 0] += 4
    return X


@pytest.fixture
def labels():
    """Of every fourth sample the group is known."""
    return np.where(np.arange(120) % 4 == 0, np.arange(120) >= 60, -1)

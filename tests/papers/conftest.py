"""What all tests of the papers do."""

import matplotlib.pyplot as plt
import pytest
from fine_metrics import selection_metrics, survival_metrics
from presented import through_file
from replication.shared.figures import styled


@pytest.fixture(autouse=True)
def common_style():
    with styled():
        yield
    plt.close("all")


@pytest.fixture(scope="session")
def selection(tmp_path_factory):
    """Metrics of feature_selection, as they are read."""
    return through_file(selection_metrics(), tmp_path_factory.mktemp("selection"))


@pytest.fixture(scope="session")
def survival(tmp_path_factory):
    """Metrics of survival, as they are read."""
    return through_file(survival_metrics(), tmp_path_factory.mktemp("survival"))

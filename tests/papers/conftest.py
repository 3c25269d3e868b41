"""What all tests of the papers do."""

import matplotlib.pyplot as plt
import pytest
from replication.shared.figures import styled


@pytest.fixture(autouse=True)
def common_style():
    with styled():
        yield
    plt.close("all")

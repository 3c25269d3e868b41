"""Options of fidelity.py; and for planted faults a copy of the library, and the process that runs tests on copies."""

import pytest
from planting import TestHost, copy_library


def pytest_addoption(parser):
    parser.addoption("--study", help="folder of the study that fidelity.py looks at, such as results/ci")
    parser.addoption("--without-data", action="store_true", help="leave out what needs real data")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--without-data", default=False):
        left_out = [item for item in items if "real_data" in item.fixturenames]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    return copy_library(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="session")
def host():
    process = TestHost()
    yield process
    process.close()

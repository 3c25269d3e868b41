"""
Which arithmetic the tests use, and which of the slow ones are run.

All tests use portable arithmetic, as the study does by default; with ARITHMETIC=native they use all of the processor.

This file is read before any test imports NumPy. The quick study that the tests look at has to be made the same way:
`make test ARITHMETIC=native` does so.
"""

import gc
import math
import os
import random
import subprocess
import sys
from pathlib import Path

# Last, so that tests on a planted fault import the copy that it is planted in.
sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("src", "workflow", "tests/library", "tests/papers")]

import pytest
from consensus_embedding.utils.arithmetic import is_portable, set_portable
from threadpoolctl import threadpool_limits

ARITHMETIC = os.environ.setdefault("ARITHMETIC", "portable")
# The process that runs tests on planted faults imports NumPy first, with the settings of the tests that start it.
if ARITHMETIC == "portable" and not is_portable(os.environ):
    is_native = set_portable(os.environ) is not None
    assert is_native or "numpy" not in sys.modules, "a plugin imported NumPy before its settings were made"

# One slow test in so many of each folder is run, unless --slow says otherwise; all of them every night.
SHARE = 16


def pytest_addoption(parser):
    parser.addoption(
        "--slow",
        choices=["all", "sample", "none"],
        default="sample",
        help="all, none, or a sample of the tests marked slow, drawn by --draw (the default); long_study with all only",
    )
    parser.addoption("--draw", default=commit(), help="what the sample is drawn by; the commit unless named")


def commit():
    """Name of the commit, so that another one draws another sample; nothing outside a repository."""
    command = ["git", "-C", Path(__file__).parent, "rev-parse", "--short=8", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes seconds; `make test` runs a sample of each folder")
    config.addinivalue_line("markers", "long_study: takes as long as a study; `make test-all` runs it")


def pytest_report_header(config):
    if config.getoption("--slow") == "sample":
        return f"slow tests: a sample, drawn by {config.getoption('--draw')!r}; --slow all runs all"
    return f"slow tests: {config.getoption('--slow')}"


def pytest_collection_modifyitems(config, items):
    how = config.getoption("--slow")
    if how == "all":
        return
    left_out, slow = set(), {}
    for item in items:
        if item.get_closest_marker("long_study"):
            left_out.add(item)
        elif item.get_closest_marker("slow"):
            slow.setdefault(item.path.parent.name, []).append(item)
    for folder, tests in slow.items():
        rng, n_kept = random.Random(f"{config.getoption('--draw')} {folder}"), math.ceil(len(tests) / SHARE)
        left_out.update(tests if how == "none" else rng.sample(tests, len(tests) - n_kept))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


# Assertions there say what they found, as in a test.
pytest.register_assert_rewrite("presented")


@pytest.fixture(autouse=True, scope="module")
def frozen():
    """Holm's correction collects garbage, which takes long unless what is there is frozen, as jobs freeze it."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def one_blas_thread():
    """As the callers hold it; several threads on a busy machine wait for each other."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture
def write(tmp_path):
    """A function that writes a file and returns its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written

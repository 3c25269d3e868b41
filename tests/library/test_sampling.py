"""Which of the slow tests are run; see tests/conftest.py."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ["tests/regression/test_mutations.py", "tests/workflow/test_genes.py", "tests/workflow/test_images.py"]


def collected(*options):
    """Names of the tests that would run, by file."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=-p no:zarr", *options, *FILES]
    # Options of one's own, such as -v, change what is printed.
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    names = [line for line in done.stdout.splitlines() if "::" in line]
    return {path: {name for name in names if name.startswith(path)} for path in FILES}


@pytest.mark.slow
def test_a_sample_of_the_slow_tests_is_run_and_no_long_study():
    everything, nothing = collected("--slow", "all"), collected("--slow", "none")
    one, again, other = (collected("--slow", "sample", "--draw", draw) for draw in ("a", "a", "b"))
    faults = FILES[0]
    slow = everything[faults] - nothing[faults] - {f"{faults}::test_without_a_fault_the_tests_are_green"}
    assert len(slow) > 20
    assert {name.partition("[")[0] for name in slow} == {f"{faults}::test_the_fault_is_found"}
    assert one == again
    for sample in (one, other):
        assert nothing[faults] < sample[faults] < everything[faults]
        assert len(sample[faults] & slow) == math.ceil(len(slow) / 16)
        assert not any(sample[path] for path in FILES[1:])
    assert one[faults] != other[faults]
    assert all(everything[path] and not nothing[path] for path in FILES[1:])

"""The benchmarks, which `make bench` alone runs to their end."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], cwd=FOLDER, capture_output=True, text=True)


@pytest.mark.slow
def test_every_benchmark_finds_what_it_times():
    """All of them are read by `bench`."""
    modules = sorted(path.stem for path in FOLDER.glob("bench*.py"))
    assert len(modules) > 1
    done = python("-c", f"import {', '.join(modules)}")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_an_unknown_benchmark_is_refused_by_name():
    done = python("bench.py", "--only", "tnse")
    assert done.returncode == 2
    assert "found tnse" in done.stderr

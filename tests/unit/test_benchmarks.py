"""The benchmarks, which `make bench` alone runs to their end."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "benchmarks"


def test_every_benchmark_finds_what_it_times():
    """All of them are read by `bench`."""
    modules = sorted(path.stem for path in FOLDER.glob("bench*.py"))
    assert len(modules) > 1
    done = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(modules)}"], cwd=FOLDER, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

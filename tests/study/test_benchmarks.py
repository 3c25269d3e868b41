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


@pytest.mark.slow
def test_a_size_that_takes_too_long_by_quadratic_growth_is_left_out_and_named():
    """8 s at 400 make 200 s at 2000."""
    code = (
        "import bench_growth, rows\n"
        "measured = []\n"
        "with rows.section('growth'):\n"
        "    sizes = (100, 200, 400, 2000, 4000)\n"
        "    bench_growth._grow('Embedding', lambda n: measured.append(n) or n**1.5 / 1000, sizes, budget=20)\n"
        "print(measured, rows._sections['growth'])\n"
    )
    done = python("-c", code)
    assert "\n[100, 200, 400] " in done.stdout
    for words in ("n = 2000 | left out", "3.33 min, more than 20 s", "n = 4000 | left out", "to the power 1.50"):
        assert words in done.stdout

"""The benchmarks, which `make bench` alone runs to their end."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.slow
def test_every_benchmark_finds_what_it_times():
    """All of them are read by `bench`."""
    modules = sorted(path.stem for path in FOLDER.glob("bench*.py"))
    assert len(modules) > 1
    done = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(modules)}"], cwd=FOLDER, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_page_of_a_full_run_holds_what_it_measured_and_one_benchmark_replaces_its_section(tmp_path):
    """Rows are compared with peers by their ratio; the load of the machine is named."""
    code = (
        "import rows, sys; from pathlib import Path; page = Path(sys.argv[1])\n"
        "def run(name, ours, whole):\n"
        "    rows._sections.clear()\n"
        "    for one in name:\n"
        "        with rows.section(one):\n"
        "            rows.say('a loop', ours, 'NumPy', 0.5, 'same bits'); rows.note('alone', '3 s')\n"
        "    rows.write(page, all_sections=whole)\n"
        "run(['one', 'two'], 0.25, True); run(['two'], 0.001, False)\n"
    )
    page = tmp_path / "page.md"
    subprocess.run([sys.executable, "-c", code, page], cwd=FOLDER, check=True, capture_output=True)
    text = page.read_text()
    assert text.count("| a loop | 250 ms | NumPy 500 ms | 2.0 | same bits |") == 1
    assert text.count("| a loop | 1 ms | NumPy 500 ms | 500 | same bits |") == 1
    assert text.count("## one") == text.count("## two") == 1
    assert "load " in text
    assert "| alone | 3 s |  |  |  |" in text


@pytest.mark.slow
def test_an_unknown_benchmark_is_refused_by_name():
    done = subprocess.run(
        [sys.executable, "bench.py", "--only", "tnse"], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--only takes names of benchmarks (memory, tsne, " in done.stderr
    assert "found tnse" in done.stderr


@pytest.mark.slow
def test_a_size_that_takes_too_long_by_quadratic_growth_is_left_out_and_named():
    code = (
        "import bench_growth, rows\n"
        "measured = []\n"
        "def measure(n):\n"
        "    measured.append(n)\n"
        "    return n**1.5 / 1000\n"
        "with rows.section('growth'):\n"
        "    bench_growth._grow('Embedding', measure, (100, 200, 400, 2000, 4000), budget=20)\n"
        "print(measured); print(rows._sections['growth'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=FOLDER, capture_output=True, text=True, check=True)
    assert "\n[100, 200, 400]\n" in done.stdout
    # 8 s at 400 make 200 s at 2000 and 800 s at 4000.
    assert "| Embedding, n = 2000 | left out |  |  | expected to take 3.33 min, more than 20 s |" in done.stdout
    assert "| Embedding, n = 4000 | left out |  |  | expected to take 13.3 min, more than 20 s |" in done.stdout
    assert "| Embedding, n from 100 to 400 | time grows as n to the power 1.50 |" in done.stdout

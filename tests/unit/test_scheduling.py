"""Snakemake's looks at waiting jobs, and the import of what scripts share."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from replication.platform.scheduler import cancel_timers
from snakemake.cli import parse_args

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["default", "slurm"])
def test_the_timers_for_further_looks_are_sixty_times_as_long_at_the_same_rate_of_starts(monkeypatch, name):
    monkeypatch.chdir(ROOT)
    usual = parse_args(["--cores", "1", "--workflow-profile", "none"])[1].max_jobs_per_timespan
    read = parse_args(["--workflow-profile", f"profiles/{name}"])[1].max_jobs_per_timespan
    assert read.timespan == 60 * usual.timespan
    assert read.max_jobs == 60 * usual.max_jobs


def test_no_timer_outlives_a_run():
    # As Snakemake sets them; it would end after the last of them.
    timers = [threading.Timer(600, print) for _ in range(3)]
    for timer in timers:
        timer.start()
    cancel_timers()
    for timer in timers:
        timer.join(10)
    assert not any(timer.is_alive() for timer in timers)


def test_garbage_is_looked_for_again_when_the_work_of_a_script_begins(tmp_path):
    script = f"""
import gc, sys
sys.path[:0] = {[str(ROOT / "src"), str(ROOT / "workflow")]!r}
from types import SimpleNamespace
snakemake = SimpleNamespace(log=[{str(tmp_path / "a.log")!r}])
from replication.platform.job import job
assert not gc.isenabled()
try:
    with job(snakemake, "a"):
        print(gc.isenabled(), gc.get_freeze_count() > 10000)
        raise ValueError("the end")
except SystemExit:
    pass
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_what_is_no_script_goes_on_looking_for_garbage():
    paths = [str(ROOT / "src"), str(ROOT / "workflow")]
    code = f"import gc, sys; sys.path[:0] = {paths!r}; import replication.platform.job; print(gc.isenabled())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


@pytest.mark.slow
def test_all_loops_compile():
    command = [sys.executable, "workflow/compile_kernels.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

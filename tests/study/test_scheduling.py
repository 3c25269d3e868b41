"""Snakemake's looks at waiting jobs, and kernels that compile before a run."""

import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from replication.platform.scheduler import cancel_timers
from snakemake.cli import parse_args
from snakemake.scheduling.job_scheduler import JobScheduler

ROOT = Path(__file__).parents[2]
# Snakemake reads that of SLURM if it has the plugin.
PROFILES = ["default", *(["slurm"] if find_spec("snakemake_executor_plugin_slurm") else [])]


@pytest.mark.parametrize("name", PROFILES)
def test_the_timers_for_further_looks_are_sixty_times_as_long_at_the_same_rate_of_starts(monkeypatch, name):
    monkeypatch.chdir(ROOT)
    usual = parse_args(["--cores", "1", "--workflow-profile", "none"])[1].max_jobs_per_timespan
    read = parse_args(["--workflow-profile", f"profiles/{name}"])[1].max_jobs_per_timespan
    assert read.timespan == 60 * usual.timespan
    assert read.max_jobs == 60 * usual.max_jobs


def test_no_timer_of_the_scheduler_outlives_a_run():
    ours = threading.Timer(600, print)
    ours.start()
    # As Snakemake sets them; it would end after the last of them.
    for _ in range(3):
        JobScheduler._schedule_reevalutation(SimpleNamespace(), 600)
    timers = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer) and thread != ours]
    cancel_timers()
    for timer in timers:
        timer.join(10)
    assert len(timers) == 3
    assert not any(timer.is_alive() for timer in timers)
    assert ours.is_alive()
    ours.cancel()


@pytest.mark.slow
def test_all_loops_compile():
    command = [sys.executable, "workflow/compile_kernels.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

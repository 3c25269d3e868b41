"""Snakemake's looks at waiting jobs, and the import of what scripts share."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import scheduling

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("free", "delay", "looks"),
    [(98, 1, 0), (0, 1, 1), (98, 10, 1)],
    ids=["the limit lets jobs through", "the limit holds jobs back", "a wait for something else"],
)
def test_a_further_look_is_set_only_where_no_end_of_a_job_brings_it(monkeypatch, free, delay, looks):
    set_timers = []
    monkeypatch.setattr(scheduling, "_look_again", lambda _scheduler, delay: set_timers.append(delay))
    limiter = SimpleNamespace(timespan=1, get_free_jobs=lambda: free)
    scheduling._look_again_when_limited(SimpleNamespace(job_rate_limiter=limiter), delay)
    assert set_timers == [delay] * looks


def test_without_a_limit_every_look_is_set(monkeypatch):
    set_timers = []
    monkeypatch.setattr(scheduling, "_look_again", lambda _scheduler, delay: set_timers.append(delay))
    scheduling._look_again_when_limited(SimpleNamespace(job_rate_limiter=None), 1)
    assert set_timers == [1]


def test_snakemake_takes_the_new_look(monkeypatch):
    monkeypatch.setattr(scheduling.JobScheduler, "_schedule_reevalutation", scheduling._look_again)
    scheduling.look_only_when_limited()
    assert scheduling.JobScheduler._schedule_reevalutation is scheduling._look_again_when_limited


def test_garbage_is_looked_for_again_when_the_work_of_a_script_begins(tmp_path):
    script = f"""
import gc, sys
sys.path.insert(0, {str(ROOT / "workflow/scripts")!r})
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
    command = [sys.executable, "-c", "import gc, replication.platform.job; print(gc.isenabled())"]
    done = subprocess.run(command, cwd=ROOT / "workflow/scripts", capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


def test_all_loops_compile():
    command = [sys.executable, "workflow/compile_kernels.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

"""Runs on SLURM that could not submit jobs, or would never learn how these end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from replication.catalogue.configuration import check_config, read_configuration
from replication.platform.configuration import merge, read_yaml
from replication.platform.slurm import why_in_silence, why_not_here, why_not_with

ROOT = Path(__file__).parents[2]
# As `scontrol show config` of SLURM 22.05 prints them.
NO_ACCOUNTS = "AccountingStorageTRES   = cpu,mem\nAccountingStorageType   = accounting_storage/none\n"
ACCOUNTS = NO_ACCOUNTS.replace("/none", "/slurmdbd")


@pytest.mark.parametrize("kept", ["accounting_storage/none", "(null)"])
def test_without_accounts_sacct_would_say_nothing(kept):
    settings = NO_ACCOUNTS.replace("accounting_storage/none", kept) + "MinJobAge               = 300 sec\n"
    assert "set slurm-status-command: squeue" in why_in_silence(settings, "sacct", 40)
    assert why_in_silence(settings, "squeue", 40) is None


@pytest.mark.parametrize(
    ("age", "interval", "silent"),
    [
        pytest.param(119, 40, True, id="the plugin takes sacct where a job is forgotten within three intervals"),
        pytest.param(120, 40, False, id="three intervals are enough"),
        pytest.param(30, 10, False, id="so are three shorter ones"),
        pytest.param(2, 1, True, id="no interval is short enough"),
    ],
)
def test_without_accounts_squeue_has_to_remember_jobs_for_three_intervals(age, interval, silent):
    reason = why_in_silence(f"{NO_ACCOUNTS}MinJobAge               = {age} sec\n", "squeue", interval)
    assert (reason is not None) == silent
    if silent:
        assert f"{age} s (MinJobAge)" in reason
        assert ("to at most" in reason) == (age >= 3)


@pytest.mark.parametrize("command", ["sacct", "squeue"])
def test_accounts_answer_for_ever_and_a_silent_scontrol_refuses_nothing(command):
    assert why_in_silence(f"{ACCOUNTS}MinJobAge               = 2 sec\n", command, 40) is None
    assert why_in_silence("", command, 40) is None


def test_a_machine_without_sbatch_is_told_apart(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "has no sbatch" in why_not_here()
    (tmp_path / "sbatch").touch(mode=0o755)
    assert why_not_here() is None


def test_cores_have_no_place_on_slurm():
    assert why_not_with(None) is None
    assert "Expected no --cores on SLURM, found 64" in why_not_with(64)


def test_the_study_of_make_slurm_is_a_valid_one():
    quick = read_configuration("quick.yaml")
    study = merge(quick, read_yaml(ROOT / "tests/cluster/study.yaml"))
    check_config(study)
    assert set() < set(study["experiments"]) < set(quick["experiments"])


@pytest.mark.skipif(
    any(os.access(f"/usr/sbin/{name}", os.X_OK) for name in ("munged", "slurmctld", "slurmd")), reason="SLURM is here"
)
def test_make_slurm_names_the_packages_that_are_missing_and_installs_nothing(tmp_path):
    command = [sys.executable, "tests/cluster/slurm.py", "--accounting", "no"]
    done = subprocess.run(command, cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1
    assert "apt-get install --yes --no-install-recommends munge slurm-client slurmctld slurmd" in done.stderr

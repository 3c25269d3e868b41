"""The profile for SLURM, with Snakemake's plugin for it: `make install-slurm` installs that, and .ci/run does."""

import dataclasses
import os
import re
import sys
from pathlib import Path

import pytest
from replication.catalogue.configuration import read_configuration
from replication.catalogue.steps import steps_of
from replication.platform.configuration import read_yaml
from replication.platform.study import Study
from snakemake.cli import parse_args

plugin = pytest.importorskip("snakemake_executor_plugin_slurm")

ROOT = Path(__file__).parents[2]
RULE_FILES = [ROOT / "Snakefile", *sorted((ROOT / "workflow" / "rules").rglob("*.smk"))]
STEPS = steps_of(Study(read_configuration("quick.yaml")))
PROFILE = read_yaml(ROOT / "profiles/slurm/profile.yaml")
# Stand-ins of the programs of SLURM: sbatch runs the job here and now, and the cluster keeps no accounts.
SLURM = {
    "sbatch": """
echo "$*" >> "$SLURM_STATE/calls"
for argument; do case $argument in --wrap=*) job=${argument#--wrap=} ;; esac; done
id=$(wc -l < "$SLURM_STATE/calls")
SLURM_JOB_ID=$id sh -c "$job" > "$SLURM_STATE/$id.log" 2>&1 && state=COMPLETED || state=FAILED
echo "$id|$state" >> "$SLURM_STATE/states"
echo "$id"
""",
    "srun": 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n',
    "sacct": "echo 'Slurm accounting storage is disabled' >&2; exit 1\n",
    "squeue": 'cat "$SLURM_STATE/states"\n',
    "scontrol": "echo 'AccountingStorageType = accounting_storage/none'; echo 'MinJobAge = 300 sec'\n",
    "sinfo": "",
}


def test_the_plugin_has_every_option_that_the_profile_sets():
    options = {field.name for field in dataclasses.fields(plugin.ExecutorSettings)}
    asked = {key.removeprefix("slurm-").replace("-", "_") for key in PROFILE if key.startswith("slurm-")}
    assert "status_command" in asked
    assert asked <= options


def test_the_slurm_profile_is_accepted(fresh, monkeypatch):
    command = ["--workflow-profile", "profiles/slurm", "--dry-run"]
    output = fresh.look(*command)
    assert "Using workflow specific profile profiles/slurm" in output
    assert re.search(r"^embed_runs +\d+$", output, re.M)

    monkeypatch.chdir(fresh.folder)
    _, read = parse_args(command)
    assert read.executor == "slurm"
    assert read.jobs > 1
    assert read.cores is None  # the cores of the login node limit nothing
    assert read.default_resources["mem_mb"].value == 2000
    assert read.default_resources["runtime"].value == 30
    assert read.rerun_incomplete


def test_short_jobs_of_the_paper_study_go_to_slurm_together(fresh):
    """The page on clusters says how many calls of sbatch there are, with groups and without."""
    output = fresh.look("--workflow-profile", "profiles/slurm", "--dry-run")
    together = re.findall(r"Group job (\w+) \(", output)
    components = PROFILE["group-components"]
    named = {"present", *(step.group for step in STEPS.values() if step.group)}
    assert named == set(components) == set(together)
    jobs = {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", output.rpartition("Job stats:")[2], re.M)}
    grouped = len(re.findall(r"^    Job \d+: ", output, re.M))
    # Every job of a rule with a group is in one; the rules that present an experiment are made in a loop.
    rules = {name for name, step in STEPS.items() if step.group}
    assert grouped == sum(n for rule, n in jobs.items() if rule in rules or rule.startswith("present_"))
    assert len(together) <= grouped / 7

    lists = [
        names for path in RULE_FILES for names in re.findall(r"^localrules:\n((?: +.*\n)+)", path.read_text(), re.M)
    ]
    here = {"total", *re.findall(r"\w+", " ".join(lists))}
    alone = sum(n for rule, n in jobs.items() if rule not in here)
    words = f"the paper-scale study calls `sbatch` {alone - grouped + len(together)} times instead of {alone}"
    assert words in (ROOT / "docs/clusters.md").read_text()


@pytest.fixture
def asking(tmp_path):
    """Variables with which Snakemake finds the stand-ins."""
    for name, body in SLURM.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}")
        (tmp_path / name).chmod(0o755)
    return {
        "PATH": f"{tmp_path}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SLURM_STATE": str(tmp_path),
    }


def on_slurm(checkout):
    """Options of one small job on SLURM."""
    small = checkout.write_config({"extrapolation_runtime": {"n_samples": [100], "repetitions": 1}})
    command = ["run_extrapolation_runtime", "--workflow-profile", "profiles/slurm", "--configfile", small]
    return [*command, "--retries=0", "--slurm-init-seconds-before-status-checks=1"]


def test_a_job_runs_on_slurm_and_the_one_that_takes_times_has_a_node_to_itself(new_checkout, tmp_path, asking):
    """A dry run always has a number of cores, so that it does not show what a run on a cluster stops at."""
    checkout = new_checkout()
    command = on_slurm(checkout)
    said = checkout.snakemake(*command, **asking)
    assert "1 of 1 steps" in said
    assert (checkout / "results/quick/extrapolation_runtime/metrics.tsv").is_file()
    (call,) = (tmp_path / "calls").read_text().splitlines()
    assert {"--exclusive", "--cpus-per-task=2", "--mem", "6000"} <= set(call.split())
    # The plugin would ask sacct for ever.
    refused = checkout.snakemake(*command, "--forceall", "--slurm-status-command=sacct", fails=True, **asking)
    assert "This cluster has no job accounting" in refused
    assert "no --cores on SLURM" in checkout.snakemake(*command, "--forceall", "--cores=2", fails=True, **asking)
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


def test_a_job_that_fails_on_a_node_is_explained_by_its_own_log(new_checkout, asking):
    checkout = new_checkout()
    script = checkout / "workflow/replication/papers/sparks2011/extrapolation_runtime.py"
    script.write_text("raise ValueError('no such thing on the node')\n")
    said = checkout.snakemake(*on_slurm(checkout), fails=True, **asking)
    log = "results/logs/quick/run_extrapolation_runtime.log"
    assert ".snakemake/slurm_logs/" in said
    end = said.rpartition("Exiting because a job execution failed")[2]
    assert "no such thing on the node" in end
    assert f"The full trace is in {log}\n" in end
    assert "The full trace is in .snakemake" not in end
    assert "run the same command again" in end


def test_a_job_that_slurm_refuses_is_not_explained_by_the_failure_of_an_earlier_run(new_checkout, tmp_path, asking):
    checkout = new_checkout()
    (tmp_path / "sbatch").write_text("#!/bin/sh\necho 'sbatch: error: invalid partition' >&2; exit 1\n")
    log = checkout / "results/logs/quick/run_extrapolation_runtime.log"
    log.parent.mkdir(parents=True)
    log.write_text("Traceback (most recent call last):\n\nThe failure of an earlier run\n")
    said = checkout.snakemake(*on_slurm(checkout), fails=True, **asking)
    assert "Error in rule run_extrapolation_runtime" in said
    assert "sbatch: error: invalid partition" in said
    assert "earlier run" not in said

"""How long the jobs of a study take on the reference machine, by what its steps declare."""

from __future__ import annotations

import csv
import os
import shlex
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.stages import staged, with_units
from replication.catalogue.steps import steps_of
from replication.platform.command_line import without_data
from replication.platform.configuration import merge
from replication.platform.steps import Seconds, Step
from replication.platform.study import Study

# Seconds of the t-SNE run that `snakemake plan` clocks to compare a machine with the reference.
REFERENCE_RUN = 0.128
# Of the rules that are no steps: what they do, and the seconds of a job.
_OTHER_RULES = {
    **{
        f"present_{name}": ("Tables and figures of an experiment", experiment.present_seconds)
        for name, experiment in EXPERIMENTS.items()
    },
    "judge_claims": ("Verdicts", 22.8),
    "draw_ledger": ("Picture of the ledger", 3.2),
    "write_report": ("Report", 25.9),
    "write_manifest": ("Manifest: how every result was made", 1.7),
    "download": ("Downloads", 0.0),
}


def seconds_of_jobs(files: Iterable[tuple[str, str]], study: Study) -> tuple[dict[str, list[float]], list[str]]:
    """
    What jobs of a kind do -> the seconds of each on one core, and the rules whose time is not known.

    `files` are the rule and the path of every file that the jobs make.
    """
    kinds: dict[str, list[float]] = defaultdict(list)
    unknown: list[str] = []
    made: dict[str, list[str]] = defaultdict(list)
    for rule, path in files:
        made[rule].append(path)
    for step in steps_of(study).values():
        jobs = [step.wildcards_of(study, path) for path in made.pop(step.name, [])]
        alike: dict[Seconds | None, list[SimpleNamespace]] = defaultdict(list)
        for job in filter(None, jobs):
            alike[step.seconds(study, job)].append(job)
        for takes, those in alike.items():
            if takes is None:
                unknown.append(step.name)
            else:
                kinds[_what(step, those, study)] += [takes.of_job(study, job) for job in those]
    for rule, paths in made.items():
        if rule in _OTHER_RULES:
            what, seconds = _OTHER_RULES[rule]
            # Each has one job; downloads have one for each file.
            kinds[what] += [seconds] * (len(paths) if rule == "download" else 1)
        else:
            unknown.append(rule)
    return kinds, sorted(set(unknown))


def longest_job(files: Sequence[tuple[str, str]], study: Study, wide: Collection[str], cores: int) -> float:
    """The seconds of the longest job that makes one of the files; those of wide rules have so many cores."""
    parts = [[file for file in files if (file[0] in wide) == is_wide] for is_wide in (True, False)]
    shared, others = (max(chain((0.0,), *seconds_of_jobs(part, study)[0].values())) for part in parts)
    return max(shared / cores, others)


def seconds_of_caps(files: Sequence[tuple[str, str]], config: Mapping[str, Any]) -> Iterator[tuple[str, int, float]]:
    """Setting of an experiment with stages, its cap, and the seconds that the cap adds to the jobs of these files."""
    now = total_seconds(files, Study(config))
    for stages in {stages.setting: stages for stages in staged(config).values()}.values():
        most = stages.units[-1]
        yield stages.setting, most, total_seconds(files, Study(merge(config, with_units(stages, most)))) - now


def total_seconds(files: Iterable[tuple[str, str]], study: Study) -> float:
    """The seconds of the jobs that make files, on one core; those whose time is not known count nothing."""
    kinds, _ = seconds_of_jobs(files, study)
    return sum(sum(seconds) for seconds in kinds.values())


def _what(step: Step, jobs: Sequence[SimpleNamespace], study: Study) -> str:
    """What jobs of a step do, with dots for the wildcards in which they differ."""
    values = {name: {vars(job)[name] for job in jobs} for name in vars(jobs[0])}
    shared = {name: "".join(those) if len(those) == 1 else "..." for name, those in values.items()}
    does, folder = step.does.format(wildcards=SimpleNamespace(**shared)), step.folder(study)
    return f"{folder}: {does}" if folder in EXPERIMENTS else does


def profile_words(path: str | Path) -> str:
    """What the processor time of the committed paper-scale study went on, in a sentence."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    shares = [(row["what"], float(row["share of the processor (%)"])) for row in rows]
    said = ", ".join(f"{what} {share:.0f} %" for what, share in shares if share)
    return f"Of the processor time of the study at paper scale: {said}."


def on_machine(number: int, option: str = "--cores") -> str:
    """On what a plan is made: this machine, one like it that has as many cores, or nodes for as many --jobs."""
    if option == "--jobs":
        # What Snakemake makes of the word unlimited.
        return f"on nodes like this machine with --jobs {'unlimited' if number == sys.maxsize else number}"
    there = os.cpu_count() or 1
    where = "this machine" if number <= there else f"a machine like this, which has {there},"
    return f"on {where} with --cores {number}"


def settle_command(options: Sequence[str]) -> str:
    """What a user types to settle the study of these options of Snakemake."""
    words = without_data(options)
    n_files = words.index("--config") if "--config" in words else len(words)
    given = {"CONFIG": words[1:n_files], "OPTIONS": words[n_files:]}
    # The shell of the recipe splits them once more, and to make a dollar is the start of a variable.
    quoted = {name: shlex.quote(shlex.join(those).replace("$", "$$")) for name, those in given.items() if those}
    return " ".join(["make settle", *(f"{name}={those}" for name, those in quoted.items())])

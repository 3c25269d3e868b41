"""
The steps of a study, each declared where its function is: what it reads, what it writes, and what it needs.

From a `Step` comes a rule of Snakemake, see workflow/rules/steps.smk. Light: the rules read it, and the function of a
step imports what is heavy when it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from math import prod
from operator import getitem
from pathlib import PurePath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from replication.platform.study import Study

if TYPE_CHECKING:
    from replication.platform.settings import Kind

# How paths begin that are not in the folder of the study's results.
OUTSIDE = ("results/", "resources/", "config/", "workflow/", "/")
Place = str | PurePath
Files = Mapping[str, Place | Sequence[Place]]
# Output that a step has not written itself -> a table, several that are joined, or arrays by name.
Results = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Work:
    """How a job works: its random numbers, its cores, and where it reports."""

    seed: int = 0
    threads: int = 1
    say: Callable[[str], None] = lambda text: None  # Reports progress.

    def progress(self, n: int, what: str) -> Callable[[int], None]:
        """Callback that reports about every tenth of n."""

        def finished(count: int) -> None:
            if count == n or count % max(1, n // 10) == 0:
                self.say(f"{count} of {n} {what}")

        return finished


QUIET = Work()


@dataclass(frozen=True, kw_only=True)
class Job(Work):
    """What a step is called with."""

    inputs: Any  # Paths by name, of `Step.reads`.
    outputs: Any  # Paths by name, of `Step.makes`.
    settings: Mapping[str, Any]
    wildcards: Any

    def section(self, name: str, model: type[Kind], **changes: Any) -> Kind:
        """A section of the configuration, or what the job gets of it, as a model; with other values of some keys."""
        from replication.platform.settings import settings_of

        return settings_of(model, {**self.settings[name], **changes}, name)


# Seed of the examples, which all studies share.
EXAMPLE_SEED = 20121


@dataclass(frozen=True)
class Seconds:
    """
    About how long a job takes on the reference machine, one core at 2.45 GHz of a virtual AMD EPYC of 2026.

    From the records of a paper-scale study: seconds times threads. What runs on the user's own data was not measured
    there but scaled from an older table.
    """

    fixed: float  # Of any job: start of Python, reading, writing.
    each: float = 0  # Of each unit, with 1797 digits.
    # What a job has many of: a key of the configuration such as "mce_tail.draws", of a list or a mapping its length, or
    # "runs", from the wildcards start and stop; several joined by * are multiplied. Empty: one unit.
    of: str = ""
    # Seconds of a unit grow with (number of digits)^power, as seen between 300 and 1797; 0 where none are read.
    power: float = 0

    def of_job(self, study: Study, wildcards: Any) -> float:
        """Seconds of one job."""
        units = prod(_number(unit, study, wildcards) for unit in self.of.split("*") if unit)
        share = study["digits"]["n_samples"] / 1797 if self.power else 1
        return self.fixed + self.each * units * share**self.power


def _number(unit: str, study: Study, wildcards: Any) -> float:
    """How many of a unit a job has."""
    if unit == "runs":
        return int(wildcards.stop) - int(wildcards.start)
    value = reduce(getitem, unit.split("."), study.config)
    return len(value) if isinstance(value, list | dict) else value


@dataclass(frozen=True, kw_only=True)
class Step:
    """
    A kind of job.

    Paths are relative to the folder of the study's results, or start with ``results/``, ``resources/``, ``config/`` or
    ``workflow/``. A `PurePath` is taken as it is: a file that the configuration names.
    What depends on the configuration is a function of the `Study`, and what also depends on the job one of the study
    and its wildcards.
    """

    name: str  # Of its rule.
    # Does the work of one job, and returns its `Results`. The modules that its own module imports are the code behind
    # the step. `workflow/scripts/run.py` calls it.
    run: Callable[[Job], Results | None]
    does: str  # What the job does, as Snakemake prints it; may name wildcards.
    makes: Files | Callable[[Study], Files]  # Name -> path with wildcards, or several paths.
    reads: Callable[[Study, Any], Files] | None = None  # Name -> path or several paths.
    # All that the job needs of the configuration, apart from the seed: only a change of these runs it again. Names of
    # sections, or name -> value.
    settings: Sequence[str] | Callable[[Study, Any], Mapping[str, Any]] = ()
    # Wildcard -> what it may be, a regular expression or a list of words.
    wildcards: Mapping[str, str | Sequence[str]] | Callable[[Study], Mapping[str, str | Sequence[str]]] = field(
        default_factory=dict
    )
    behind: Callable[[Study, Any], Sequence[str]] | None = None  # Further modules, which `run` imports by name.
    # "workers": the cores that the configuration gives to a job, which a function is called with. "alone": all, so that
    # no other job is timed with it.
    threads: int | str | Callable[[int], int] = 1
    memory_mb: int = 2000  # What a cluster has to reserve, as `minutes`.
    minutes: int = 30
    # How long a job takes, for ``snakemake plan``.
    takes: Seconds | Callable[[Study, Any], Seconds | None] | None = None
    # Whether it takes minutes, or such jobs wait for it: begun last, it would keep one core busy and no other.
    soon: bool = False
    # For a step on the user's own data that belongs to no experiment: file -> what it shows.
    shows: Callable[[Study], Mapping[str, str]] | None = None
    target: str = ""  # Name of a target for all its jobs, where its wildcards are listed as words.
    first: bool = False  # Whether it goes before all that takes long.
    group: str = ""  # Short jobs of one group go to a cluster together.
    # What its log and its errors call it, may name wildcards; by default the name without "run_" or "score_", and the
    # wildcards.
    title: str = ""

    @property
    def module(self) -> str:
        """Module of its function."""
        return self.run.__module__

    def called(self, study: Study) -> str:
        """What its log and its errors call it."""
        name = self.title or self.name.removeprefix("run_").removeprefix("score_")
        return name if "{" in name else ", ".join([name, *(f"{{{wildcard}}}" for wildcard in self.constraints(study))])

    def outputs(self, study: Study) -> dict[str, str | list[str]]:
        """Paths that a job writes, with wildcards."""
        return located(study, self.makes(study) if callable(self.makes) else self.makes)

    def inputs(self, study: Study, wildcards: Any) -> dict[str, str | list[str]]:
        """Paths that a job reads."""
        return located(study, self.reads(study, wildcards)) if self.reads else {}

    def params(self, study: Study, wildcards: Any) -> Mapping[str, Any]:
        """Settings that a job reads."""
        if callable(self.settings):
            return self.settings(study, wildcards)
        return study.sections(*self.settings)

    def constraints(self, study: Study) -> dict[str, str]:
        """Regular expressions of the wildcards."""
        words = self.wildcards(study) if callable(self.wildcards) else self.wildcards
        return {
            name: allowed if isinstance(allowed, str) else "|".join(map(re.escape, map(str, allowed))) or "none"
            for name, allowed in words.items()
        }

    def files(self, study: Study) -> list[str]:
        """All paths that its jobs write, where its wildcards are listed as words."""
        words = self.wildcards(study) if callable(self.wildcards) else self.wildcards
        patterns = [
            path for paths in self.outputs(study).values() for path in ([paths] if isinstance(paths, str) else paths)
        ]
        chosen = [dict(zip(words, values, strict=True)) for values in product(*words.values())]
        return [path.format(**values) for values in chosen for path in patterns]

    def job_name(self, study: Study) -> str:
        """Name of a job's log and of the file with its time: the rule, and in a folder its wildcards by commas."""
        return "/".join([self.name, *filter(None, [",".join(f"{{{name}}}" for name in self.constraints(study))])])

    def first_output(self, study: Study) -> str:
        """The path of its first output, with wildcards."""
        first = next(iter(self.outputs(study).values()))
        return first if isinstance(first, str) else first[0]

    def wildcards_of(self, study: Study, path: str) -> SimpleNamespace | None:
        """The wildcards of the job whose first output is this path; None for any other path."""
        allowed = self.constraints(study)
        regex = re.sub(
            r"\\{(\w+)\\}",
            lambda found: f"(?P<{found[1]}>{allowed.pop(found[1])})" if found[1] in allowed else f"(?P={found[1]})",
            re.escape(self.first_output(study)),
        )
        found = re.fullmatch(regex, path)
        return SimpleNamespace(**found.groupdict()) if found else None

    def seconds(self, study: Study, wildcards: Any) -> Seconds | None:
        """How long a job takes; None if that is not known."""
        return self.takes(study, wildcards) if callable(self.takes) else self.takes

    def folder(self, study: Study) -> str:
        """The folder of results that its first output is in, such as an experiment's."""
        path = self.first_output(study)
        return path.removeprefix(f"{study.results}/").removeprefix("results/").partition("/")[0]


Steps = Sequence[Step] | Callable[[Study], Sequence[Step]]


def located(study: Study, files: Files) -> dict[str, str | list[str]]:
    """Paths of a declaration, as seen from the project."""

    def place(path: Place) -> str:
        as_it_is = isinstance(path, PurePath) or path.startswith(OUTSIDE)
        return str(path) if as_it_is else f"{study.results}/{path}"

    return {
        name: place(paths) if isinstance(paths, str | PurePath) else [place(path) for path in paths]
        for name, paths in files.items()
    }

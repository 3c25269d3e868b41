"""What a finished study took, and how long it would take on more cores, from the records of its jobs."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import Any

import pandas as pd

from replication.catalogue.experiments import EXPERIMENTS
from replication.platform.study_settings import cores_of_worker


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of a finished study."""

    name: str  # Path of its record.
    rule: str
    experiment: str  # The folder of results that it wrote to, such as ``brain_grid``, or what else the study made.
    seconds: float
    cores: int
    started: str = ""  # Sorts by time.
    after: frozenset[str] = field(default_factory=frozenset)  # Names of the jobs whose results it read.


def jobs_of(records: Mapping[str, Mapping[str, Any]], results: str) -> dict[str, Job]:
    """The jobs behind the results of a study, by the records of all jobs that it ever had."""
    jobs = {}
    for path, record in records.items():
        folder, _, rest = path.removeprefix(f"{results}/").partition("/")
        jobs[record["record"]] = Job(
            name=record["record"],
            rule=record["rule"],
            experiment=folder if rest and path.startswith(f"{results}/") else "verdicts, report, data",
            seconds=record["seconds"],
            cores=record["threads"],
            started=record["started"],
            after=frozenset(records[name]["record"] for name in record["inputs"] if name in records),
        )
    return dict(sorted(_of_now(jobs).items(), key=lambda item: (item[1].started, item[0])))


def _of_now(jobs: dict[str, Job]) -> dict[str, Job]:
    """Without parts of an earlier configuration: no job reads them, and others of their rule are read."""
    while True:
        read = {name for job in jobs.values() for name in job.after}
        rules = {jobs[name].rule for name in read}
        kept = {name: job for name, job in jobs.items() if name in read or job.rule not in rules}
        if len(kept) == len(jobs):
            return kept
        jobs = kept


def without(jobs: Mapping[str, Job], experiments: Collection[str]) -> dict[str, Job]:
    """The jobs of all other experiments; what is shared stays, also where those alone read it."""
    kept = {name: job for name, job in jobs.items() if job.experiment not in experiments}
    return {name: replace(job, after=job.after & kept.keys()) for name, job in kept.items()}


def experiment_table(jobs: Iterable[Job]) -> pd.DataFrame:
    """What each experiment took, the largest first."""
    rows = [(job.experiment, 1, job.seconds * job.cores, job.seconds) for job in jobs]
    table = pd.DataFrame(rows, columns=["experiment", "jobs", "core-seconds", "longest job (s)"])
    sums = dict.fromkeys(table.columns[1:3], "sum") | {table.columns[3]: "max"}
    table = table.groupby("experiment", sort=False, as_index=False).agg(sums).round(1)
    return table.sort_values("core-seconds", ascending=False, kind="stable", ignore_index=True)


def longest_chain(jobs: Mapping[str, Job]) -> list[Job]:
    """The jobs, each waiting for the one before it, that take longest together: no number of cores is faster."""
    chains: dict[str, tuple[float, str | None]] = {}
    for name in TopologicalSorter({name: job.after for name, job in jobs.items()}).static_order():
        before = [(chains[other][0], other) for other in jobs[name].after]
        length, last = max(before, default=(0.0, None))
        chains[name] = length + jobs[name].seconds, last
    chain: list[Job] = []
    name = max(chains, key=lambda job: chains[job][0], default=None)
    while name is not None:
        chain.insert(0, jobs[name])
        name = chains[name][1]
    return chain


def simulate(jobs: Mapping[str, Job], cores: int, alone: Collection[str] = (), wide: Collection[str] = ()) -> float:
    """
    How long the jobs take on so many cores.

    Whenever cores are free, jobs that wait for nothing start in the order of the study at hand. A job takes as many
    cores as it had then, those of `wide` rules as many as `workers: auto` gives them, or all if there are fewer; it
    becomes faster or slower by as much.
    """
    waits = {name: set(job.after) for name, job in jobs.items()}
    places = {name: place for place, name in enumerate(jobs)}
    ready = sorted((name for name, others in waits.items() if not others), key=places.__getitem__)
    running: list[tuple[float, int, str, int]] = []
    free, now = cores, 0.0
    while ready or running:
        for name in list(ready):
            own = cores_of_worker("auto", cores) if jobs[name].rule in wide else jobs[name].cores
            wanted = cores if jobs[name].rule in alone else min(own, cores)
            if wanted <= free:
                longer = 1.0 if jobs[name].rule in alone else jobs[name].cores / wanted
                heapq.heappush(running, (now + jobs[name].seconds * longer, places[name], name, wanted))
                ready.remove(name)
                free -= wanted
        now, _, done, freed = heapq.heappop(running)
        free += freed
        for name, others in waits.items():
            if done in others:
                others.remove(done)
                if not others:
                    ready.append(name)
        ready.sort(key=places.__getitem__)
    return now


def schedule_table(
    jobs: Mapping[str, Job], cores: Iterable[int], alone: Collection[str] = (), wide: Collection[str] = ()
) -> pd.DataFrame:
    """Simulated minutes and the share of the cores in use, for each number of cores."""
    total = sum(job.seconds * job.cores for job in jobs.values())
    rows = []
    for n in cores:
        seconds = simulate(jobs, n, alone, wide)
        rows.append({"cores": n, "minutes": round(seconds / 60, 1), "in use (%)": round(100 * total / (n * seconds))})
    return pd.DataFrame(rows)


def studies() -> dict[str, list[str]]:
    """What is scheduled: the study, and the study without experiments of no paper or that only set something."""
    calibrations = [experiment.name for experiment in EXPERIMENTS.values() if experiment.calibrates]
    return {
        "all experiments": [],
        "without the multiverse": ["multiverse"],
        "without the multiverse and calibrations": ["multiverse", *calibrations],
        "without these and the arena": ["multiverse", "consensus_arena", *calibrations],
    }


def schedule_tables(
    jobs: Mapping[str, Job],
    apart: Mapping[str, Collection[str]],
    cores: Sequence[int],
    alone: Collection[str] = (),
    wide: Collection[str] = (),
) -> pd.DataFrame:
    """`schedule_table` of the study without some experiments, for several such choices."""
    parts = []
    for name, experiments in apart.items():
        kept = without(jobs, experiments)
        if not kept:
            continue
        chain = sum(job.seconds for job in longest_chain(kept)) / 60
        table = schedule_table(kept, cores, alone, wide)
        parts.append(table.assign(study=name, **{"longest chain (minutes)": round(chain, 1)}))
    return pd.concat(parts, ignore_index=True)[["study", *parts[0].columns.drop("study")]]

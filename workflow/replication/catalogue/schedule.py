"""What a finished study took, and how long it would take on more cores, from the records of its jobs."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.catalogue.experiments import EXPERIMENTS
from replication.platform.study_settings import cores_of_worker

# What no experiment made.
OTHER = "verdicts, report, data"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of a finished study."""

    name: str  # Path of its record.
    rule: str
    experiment: str  # The folder of results that it wrote to, such as ``brain_grid``, or what else the study made.
    seconds: float
    cores: int
    before: float = 0.0  # Processor seconds that its process took to start.
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
            experiment=folder if rest and path.startswith(f"{results}/") else OTHER,
            seconds=record["seconds"],
            cores=record["threads"],
            # Records of an earlier version do not say.
            before=record.get("processor_seconds_before", 0.0),
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


def processor_times(folder: str | Path, records: str | Path) -> dict[str, tuple[float, float]]:
    """Name of each job with a benchmark -> its seconds on the clock, start included, and of the processor."""
    times = {}
    for path in sorted(Path(folder).glob("*/**/*.tsv")):
        row = pd.read_table(path).iloc[0]
        # Where nothing measured it, as on a cluster.
        if pd.isna(row["cpu_time"]):
            continue
        name = path.relative_to(Path(folder, path.relative_to(folder).parts[0])).with_suffix(".json")
        times[str(Path(records, name))] = float(row["s"]), float(row["cpu_time"])
    return times


def profile_table(jobs: Mapping[str, Job], times: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    """
    Core-seconds of a study by what they went on, those of the processor, and the share of each in all of these.

    Computing: jobs with a benchmark, from `processor_times`, without their start, which is what Snakemake and imports
    take before a job begins. Its clock time is the benchmark minus the record; its processor time is in the record.
    Jobs without a benchmark are assumed to start as slowly as the average job with one, and to keep their processor
    busy. Waiting: what the cores in use at the same time had left while any job ran; Snakemake itself is in it.
    """
    starts = {name: max(times[name][0] - job.seconds, 0.0) for name, job in jobs.items() if name in times}
    rows: dict[str, list[float]] = {kind: [0, 0.0, 0.0] for kind in ("computing", "tables and figures", OTHER)}
    for name, job in jobs.items():
        drawn = "tables and figures" if job.rule.startswith("present_") else OTHER
        row = rows["computing" if name in times else drawn]
        row[0] += 1
        row[1] += job.seconds * job.cores
        row[2] += max(times[name][1] - job.before, 0.0) if name in times else job.seconds
    usual = float(np.mean(list(starts.values()))) if starts else 0.0
    rows["starting jobs, imports"] = [len(jobs), len(jobs) * usual, sum(job.before for job in jobs.values())]
    cores, busy = _cores_and_busy_seconds(jobs.values(), usual)
    rows["Snakemake and waiting"] = [0, max(cores * busy - sum(row[1] for row in rows.values()), 0.0), 0.0]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["jobs", "core-seconds", "processor seconds"])
    table["share of the processor (%)"] = 100 * table["processor seconds"] / table["processor seconds"].sum()
    return table.rename_axis("what").reset_index().round(1)


def _cores_and_busy_seconds(jobs: Iterable[Job], start_seconds: float) -> tuple[int, float]:
    """
    The most cores in use at once, and the seconds in which any job started or ran.

    When a job began is known to a second: two share a moment for sure if they do so without their last second.
    """
    changes, spans = [], []
    for job in jobs:
        start = datetime.fromisoformat(job.started).timestamp()
        spans.append((start - start_seconds, start + job.seconds))
        if job.seconds > 1:
            changes += [(start, job.cores), (start + job.seconds - 1, -job.cores)]
    in_use = np.cumsum([cores for _, cores in sorted(changes)])
    busy, until = 0.0, -np.inf
    for start, end in sorted(spans):
        busy += max(end - max(start, until), 0.0)
        until = max(until, end)
    return int(max(in_use, default=1)), busy


def longest_chain(jobs: Mapping[str, Job]) -> list[Job]:
    """The jobs, each waiting for the one before it, that take longest together, on the cores that each had."""
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
    rows = []
    for n in cores:
        seconds = simulate(jobs, n, alone, wide)
        # A job that is alone takes as long on any number of cores, and has all of them.
        total = sum(job.seconds * (n if job.rule in alone else job.cores) for job in jobs.values())
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

"""Print what the experiments of a finished study took, and how long the study would take on more cores."""

import sys
from pathlib import Path

from replication.catalogue.schedule import (
    experiment_table,
    jobs_of,
    longest_chain,
    processor_times,
    profile_table,
    schedule_tables,
    studies,
)
from replication.platform.provenance import read_manifest, read_records
from replication.platform.readable import show
from replication.shared.tidy import write_table

params = snakemake.params
CORES = (1, 2, 4, 8, 16, 32, 64)

log, manifest, records = Path(snakemake.log[0]), Path(params.results, "manifest.json"), read_records(params.records)
if manifest.exists():
    # Without experiments that are no longer in the study; what ran after its manifest may be new in it.
    written = read_manifest(manifest)
    records = {
        path: one
        for path, one in records.items()
        if one["record"] in written["jobs"] or one["rule"] == "write_manifest" or one["started"] > written["written"]
    }
jobs = jobs_of(records, params.results)
if not jobs:
    text = f"There is no record of a job in {params.records}; run the study first."
    log.write_text(f"{text}\n", encoding="utf-8")
    sys.exit(f"\n{text}\n")
costs, chain = experiment_table(jobs.values()), longest_chain(jobs)
profile = profile_table(jobs, processor_times(Path(params.results, "benchmarks"), params.records))
schedules = schedule_tables(jobs, studies(), CORES, params.alone, params.wide)
lines = ["", f"{len(jobs)} jobs in {params.results}. Core-seconds (seconds of a job times its cores):"]
lines += [
    f"  {seconds:8.0f}  {name}" for name, seconds in costs[["experiment", "core-seconds"]].itertuples(index=False)
]
lines += [f"  {costs['core-seconds'].sum():8.0f}  together", ""]
lines += ["What they went on:"]
lines += [
    f"  {seconds:8.0f}  {what} ({share:.0f} % of the processor time)"
    for what, _, seconds, _, share in profile.itertuples(index=False)
]
lines += ["", f"The longest chain takes {sum(job.seconds for job in chain):.0f} s on the cores that each job had:"]
lines += [f"  {job.seconds:8.0f}  {job.rule}" for job in chain]
lines += ["", "Simulated from these times, jobs started in the order of this study:"]
for name, table in schedules.groupby("study", sort=False):
    rows = table[["cores", "minutes", "in use (%)"]].itertuples(index=False)
    lines += [f"  {name}:"] + [f"  {minutes:8.1f} minutes on {cores}, {used} % in use" for cores, minutes, used in rows]
folder = Path(params.results, "benchmarks")
folder.mkdir(parents=True, exist_ok=True)
for name, table in {"timings": costs, "profile": profile, "schedule": schedules}.items():
    write_table(table, folder / f"{name}.tsv")
    lines += [f"Written: {folder / f'{name}.tsv'}"]
text = "\n".join([*lines, ""])
show(text)
log.write_text(text, encoding="utf-8")

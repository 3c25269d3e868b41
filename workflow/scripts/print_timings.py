"""Print what the experiments of a finished study took, and how long the study would take on more cores."""

import sys
from pathlib import Path

from replication.ledger.schedule import core_seconds_by_experiment, jobs_of, longest_chain, schedule_table
from replication.platform.trail import read_records

params = snakemake.params
CORES = (1, 2, 4, 8, 16, 32, 64)

jobs = jobs_of(read_records(params.records), params.results)
if not jobs:
    sys.exit(f"There is no record of a job in {params.records}; run the study first.")
costs = core_seconds_by_experiment(jobs.values())
chain = longest_chain(jobs)
lines = ["", f"{len(jobs)} jobs in {params.results}. Core-seconds (seconds of a job times its cores):"]
lines += [f"  {seconds:8.0f}  {name}" for name, seconds in costs.items()]
lines += [f"  {costs.sum():8.0f}  together", "", f"The longest chain takes {sum(job.seconds for job in chain):.0f} s:"]
lines += [f"  {job.seconds:8.0f}  {job.rule}" for job in chain]
lines += [
    "",
    "Simulated from these times, jobs started in the order of this study:",
]
lines += [
    f"  {row.minutes:8.1f} minutes on {row.cores}, {row.used:.0f} % in use"
    for row in schedule_table(jobs, CORES, params.alone).rename(columns={"in use (%)": "used"}).itertuples()
]
text = "\n".join([*lines, ""])
print(text, flush=True)
Path(snakemake.log[0]).write_text(text, encoding="utf-8")

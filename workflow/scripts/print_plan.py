"""Print what a study would run, how long that takes on this machine, and what it downloads."""

import re
import subprocess
import sys
import timeit
from io import StringIO
from pathlib import Path

import pandas as pd
from consensus_embedding import ExactTSNE
from replication.catalogue.estimates import core_seconds
from replication.data.digits import read_digits
from replication.platform.integrity import wrong_sizes
from replication.platform.registry import files_of_sets, load_registry, volume

config, params, cores = snakemake.config, snakemake.params, snakemake.threads


def read_tsv(source):
    return pd.read_csv(source, sep="\t", comment="#", keep_default_na=False)


def duration(seconds):
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


# Snakemake itself says which files a run with this configuration would make.
command = [sys.executable, "-m", "snakemake", "all", "--summary", "--nolock", "--cores", "1"]
answer = subprocess.run([*command, *params.configuration], capture_output=True, text=True)
if answer.returncode:
    sys.exit(answer.stderr)
pending = read_tsv(StringIO(answer.stdout)).query("plan != 'no update'")
timings = read_tsv(snakemake.input.timings)
jobs = timings.merge(pending, how="cross", suffixes=("_like", ""))
fits = [re.fullmatch(job.rule_like, job.rule) and re.search(job.file, job.output_file) for job in jobs.itertuples()]
jobs = jobs.loc[[place for place, fit in zip(jobs.index, fits, strict=True) if fit]]
unknown = sorted(set(pending["rule"]) - set(jobs["rule"]))

lines = ["", f"The study {config['study']} on this machine, with --cores {cores}", ""]
if pending.empty:
    lines += ["All results are up to date: nothing to run."]
else:
    X = read_digits(500)[0]
    clocked = timeit.repeat(lambda: ExactTSNE(random_state=0).fit(X), number=1, repeat=5)
    factor = min(clocked) / timings.set_index("rule").at["calibration", "seconds"]
    costs = [factor * core_seconds(job, config) for job in jobs.itertuples()]
    total = max(0, sum(costs) / cores, *costs)
    lines += [f"It would run {len(jobs)} jobs and take about {duration(total)}. The kinds of job, on one core:"]
    for what, cost in jobs.assign(cost=costs).groupby("what", sort=False)["cost"]:
        lines += [f"  {len(cost):3} x {what}: about {duration(cost.sum())}"]
    lines += [f"Rules whose time is not known: {', '.join(unknown)}."] if unknown else []

registry = load_registry()
read = [file for file in registry.values() if f"resources/data/{file.name}" in set(pending["output_file"])]
wanted = files_of_sets(registry, config["data"]["sets"])
absent = [file for file in wanted if not Path("resources/data", file.name).exists()]
# Snakemake looks at no more than whether a file is there, so neither a run nor `fetch` would replace these.
damaged = wrong_sizes(registry.values(), "resources/data")
lines += ["", f"It would download {volume(read)}." if read else "It needs no download."]
lines += [f"`snakemake fetch` would download {volume(absent)}."] if absent else []
lines += [f"{len(damaged)} damaged (delete and fetch them again):"] if damaged else []
lines += [f"  {name}: {detail}" for name, detail in damaged.items()]
intact = [file for file in wanted if file not in absent and file.name not in damaged]
lines += [f"{len(intact)} of the {len(wanted)} files of the chosen data sets are in place."] if wanted else []
print("\n".join([*lines, ""]), flush=True)
Path(snakemake.log[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")

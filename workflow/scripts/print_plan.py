"""Print what a study would run, how long that takes on this machine, and what it downloads."""

import csv
import subprocess
import sys
import timeit
from pathlib import Path

config, params, cores = snakemake.config, snakemake.params, snakemake.threads
# Snakemake itself says which files a run with this configuration would make.
command = [sys.executable, "-m", "snakemake", "all", "--summary", "--nolock", "--cores", "1"]
asked = subprocess.Popen(
    [*command, *params.configuration], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
)

# Imported and compiled while it answers.
from consensus_embedding import ExactTSNE
from replication.catalogue.estimates import (
    REFERENCE_RUN,
    longest_job,
    profile_words,
    seconds_of_caps,
    seconds_of_jobs,
    settle_command,
)
from replication.data.digits import read_digits
from replication.platform.integrity import wrong_sizes
from replication.platform.readable import show
from replication.platform.registry import files_of_sets, load_registry, volume
from replication.platform.study import Study


def duration(seconds):
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


X = read_digits(500)[0]
tsne = ExactTSNE(random_state=0).fit(X)
registry = load_registry()
answer, errors = asked.communicate()
if asked.returncode:
    sys.exit(errors)
rows = list(csv.DictReader(answer.splitlines(), delimiter="\t"))
pending = [row for row in rows if row["plan"] != "no update"]
factor = min(timeit.repeat(lambda: tsne.fit(X), number=1, repeat=5)) / REFERENCE_RUN

lines = ["", f"The whole study {config['study']} {params.where} (or as many as you give to plan)", ""]
if pending:
    made, study = [(row["rule"], row["output_file"]) for row in pending], Study(config)
    kinds, unknown = seconds_of_jobs(made, study)
    costs = [factor * seconds for those in kinds.values() for seconds in those]
    total = max(sum(costs) / cores, factor * longest_job(made, study, params.wide, min(params.workers, cores)))
    lines += [f"It would run {len(costs)} jobs and take about {duration(total)}. The kinds of job, on one core:"]
    lines += [f"  {len(of):3} x {what}: about {duration(factor * sum(of))} in all" for what, of in kinds.items()]
    strange = [f"Rules whose time is not known: {', '.join(unknown)}."] if unknown else []
    lines += [*strange, profile_words("resources/paper/profile.tsv")]
else:
    lines += ["All results are up to date: nothing to run."]

files = [(row["rule"], row["output_file"]) for row in rows]
for setting, number, more in seconds_of_caps(files, config):
    settle = settle_command(params.configuration)
    lines += ["", f"While claims are undecided, `{settle}` raises {setting} to {number} at most: about "]
    lines[-1] += f"{duration(factor * more)} more on one core."

read = [file for file in registry.values() if f"resources/data/{file.name}" in {row["output_file"] for row in pending}]
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
show("\n".join([*lines, ""]))
Path(snakemake.log[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")

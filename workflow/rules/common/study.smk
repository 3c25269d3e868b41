# The checked configuration, and what the rules of all papers share.
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
RULES = Path(workflow.basedir) / "workflow" / "rules"
sys.path.insert(0, str(SCRIPTS))

from consensus_embedding.utils.arithmetic import set_portable
from replication.platform.code_behind import import_first

# Jobs import this checkout, also with an environment in which another one is installed.
import_first(SCRIPTS, os.environ)

# Jobs inherit these variables; on a cluster each node reads this file again and looks at its own processor.
# Portable arithmetic is code behind every job: a change of it, or of the setting, runs all jobs again.
ARITHMETIC_CODE = []
if config.get("arithmetic") == "portable":
    REASON = set_portable(os.environ)
    if REASON is None:
        ARITHMETIC_CODE = ["workflow/scripts/consensus_embedding/utils/arithmetic.py"]
    elif workflow.is_main_process:
        print(
            f"Arithmetic: native, not portable: {REASON}. Numbers may differ from those of other processors.",
            file=sys.stderr,
        )

from replication.platform.configuration import (
    ConfigurationError,
    in_order,
    read_configuration,
    read_yaml,
)
from replication.ledger import experiments, papers
from replication.ledger.checks import check_config
from replication.platform.code_behind import code_behind as modules_behind
from replication.platform.lock import wait_for_other_runs
from replication.platform.slurm import settings_of_slurm, why_in_silence

try:
    # Snakemake keeps the last of two equal keys in silence; reading the files again finds them.
    for path in workflow.overwrite_configfiles:
        read_yaml(path)
    # What is laid over the defaults comes first in Snakemake, also among the options of a calibration.
    config = in_order(config, read_configuration())
    check_config(config, Path(workflow.basedir) / "workflow/schemas/config.schema.yaml")
except ConfigurationError as error:
    raise WorkflowError(f"The configuration cannot be used:\n{error}")

# What only looks: it writes nothing, and must not wait for a run.
LOOKS = {
    "--list",
    "-l",
    "--list-rules",
    "--lint",
    "--summary",
    "-S",
    "--dag",
    "--rulegraph",
    "--report",
    "--unlock",
}
if workflow.is_main_process and not (
    workflow.output_settings.dryrun or LOOKS.intersection(sys.argv)
):
    wait_for_other_runs(Path(".snakemake"))

STUDY = config["study"]
RESULTS = f"results/{STUDY}"
# Cores of a job that works on many draws.
WORKERS = config["workers"]
# Cores of a job that has to be alone. On a cluster there is no such number, and `workflow.cores` would stop the run;
# profiles/slurm asks for a whole node instead.
ALL_CORES = workflow.resource_settings.cores or WORKERS
# Endings of the files of a figure.
FIGURE_TYPES = [f".{kind}" for kind in config["figure_formats"]]
# What the rules of a paper add to the declarations of its experiments, where it depends on the configuration.
# Experiment -> name in `reads` -> files; -> setting -> value, which functions ask for by name; -> tables of run rules.
FILES = {}
SETTINGS = {}
RUN_TABLES = {}
# Experiments that take methods of the configuration -> part -> the files and the settings behind its scores.
ADDED = {}


def rule_files(name):
    """Files of rules whose names start with a word, such as a paper's."""
    return sorted(str(path) for path in RULES.glob(f"{name}*.smk"))


def chunks(n_runs, size):
    """Cut runs 0 .. n_runs - 1 into "start-stop" ranges, stop not included."""
    bounds = [*range(0, n_runs, size), n_runs]
    return [f"{start}-{stop}" for start, stop in zip(bounds, bounds[1:])]


# What modules of the ledger find by the declarations of the papers, when they are imported.
FOUND_BY_LEDGER = {
    "workflow/scripts/replication/ledger/papers.py": papers.declarations(),
    "workflow/scripts/replication/ledger/experiments.py": experiments.declarations(),
    "workflow/scripts/replication/ledger/claims.py": papers.modules_of("judges"),
    "workflow/scripts/replication/ledger/findings.py": papers.modules_of("findings"),
    "workflow/scripts/replication/ledger/takeaways.py": papers.modules_of("takeaways"),
}


def code_behind(script, *modules):
    """Files of code that a script rests on."""
    followed = modules_behind(script, *modules)
    found = [name for path in followed for name in FOUND_BY_LEDGER.get(path, [])]
    return sorted({*modules_behind(script, *modules, *found), *ARITHMETIC_CODE})


# A job is run again when one of its params changes, so that a rule names the settings that its script reads.
def only(section, *keys):
    """Some settings of a section of the configuration."""
    return {key: config[section][key] for key in keys}


def without(section, *keys):
    """All settings of a section but some."""
    return {key: value for key, value in config[section].items() if key not in keys}


def check_executor():
    """Refuse a run on SLURM that would never learn how its jobs end."""
    settings = workflow.executor_settings
    if workflow.is_main_process and hasattr(settings, "status_command"):
        reason = why_in_silence(
            settings_of_slurm(),
            settings.status_command,
            settings.init_seconds_before_status_checks,
        )
        if reason is not None:
            raise WorkflowError(reason)


def show_summary():
    """Print where the report is and what the verdicts are, if the study is complete."""
    summary = Path(RESULTS) / "summary.txt"
    if summary.exists():
        text = summary.read_text(encoding="utf-8")
        print(f"\n{text}", file=sys.stderr)


def show_failures(logs):
    """Say once more, below all that Snakemake says of jobs that failed, what the line below their traces says."""
    for log in logs:
        failed = re.findall(
            r"^ +log: (.+) \(check log file",
            Path(log).read_text(encoding="utf-8", errors="replace"),
            re.M,
        )
        for path in filter(Path.is_file, map(Path, dict.fromkeys(failed))):
            trace, _, failure = path.read_text(encoding="utf-8").rpartition("\n\n")
            if "Traceback" in trace:
                print(f"\n{failure}The whole trace is in {path}\n", file=sys.stderr)


# Files that an entry for data of your own may name.
OWN_STUDY = ("table", "nifti", "mask", "box", "truth")
OWN_SET = ("table", "dissimilarities")
# Snakemake takes what is there for done if a file behind it is missing, and would say nothing of a misspelt path.
ABSENT = {
    f"{section}, {key} of {item['name']}": item[key]
    for section, items, keys in [
        ("genes.sets", config["genes"]["sets"], ("training", "test", "table")),
        ("spectra.own", config["spectra"]["own"], OWN_STUDY),
        ("gland_retrieval.own", config["gland_retrieval"]["own"], OWN_SET),
        ("features.sets", config["features"]["sets"], ("table",)),
        ("own_images", config["own_images"], ("image", "mask", "labels")),
    ]
    for item in items
    for key in keys
    if key in item
    and not item[key].startswith(("resources/data/", "results/"))
    and not Path(item[key]).is_file()
}
if ABSENT:
    lines = [f"{key}: {path} does not exist" for key, path in ABSENT.items()]
    raise WorkflowError("\n".join(["These files cannot be read:", *lines]))

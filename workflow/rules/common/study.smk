# The checked configuration, and what the rules of all papers share.
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

PACKAGES = [str(Path(workflow.basedir) / name) for name in ("src", "workflow")]
sys.path[:0] = PACKAGES

from consensus_embedding.utils.arithmetic import set_portable
from replication.platform import code_behind as behind

# Jobs import this checkout, also with an environment in which another one is installed.
behind.import_first(PACKAGES, os.environ)
# A notebook leaves its own backend in the environment, which Matplotlib of the study may not know.
os.environ.update(MPLBACKEND="agg")

# Jobs inherit these variables; on a cluster each node reads this file again and looks at its own processor.
# Portable arithmetic is code behind every job: a change of it, or of the setting, runs all jobs again.
ARITHMETIC_CODE = []
if config.get("arithmetic") == "portable":
    REASON = set_portable(os.environ)
    if REASON is None:
        ARITHMETIC_CODE = ["src/consensus_embedding/utils/arithmetic.py"]
    elif workflow.is_main_process:
        print(
            f"Arithmetic: native, not portable: {REASON}. Numbers may differ from those of other processors.",
            file=sys.stderr,
        )

from replication.platform.configuration import (
    ConfigurationError,
    merge,
    nearest,
)
from replication.catalogue import experiments, papers
from replication.catalogue.configuration import check_config, read_configuration
from replication.catalogue.claim_files import claim_files
from replication.catalogue.estimates import total_seconds
from replication.platform.local_jobs import start_worker
from replication.platform.study import Study, named_files
from replication.platform.study_settings import cores_of_worker
from replication.platform.lock import wait_for_other_runs
from replication.platform.scheduler import (
    cancel_timers,
    compare_before_planning,
    note_time_stamps,
)
from replication.platform.slurm import (
    settings_of_slurm,
    why_in_silence,
    why_not_here,
    why_not_with,
)
from replication.platform.terminal import PLANNED
from replication.platform.writable import why_not_written

try:
    # The files are read again: Snakemake keeps the last of two equal keys, and leaves out an empty section, in silence.
    # It also puts what is laid over the defaults first, also among the options of a calibration.
    config = merge(
        read_configuration(*workflow.overwrite_configfiles),
        workflow.config_settings.config,
    )
    CLAIMS = check_config(config)
except ConfigurationError as error:
    raise WorkflowError(f"The configuration cannot be used:\n{error}")


def published_hashes():
    """Data file -> its hash, where one is published."""
    files = REGISTRY.values()
    return {f"resources/data/{file.name}": file.sha256 for file in files if file.sha256}


# What only reads the rules: Snakemake keeps no record of it.
LISTS = {"--list", "-l", "--list-rules", "--list-target-rules", "--lt", "--lint"}
# What only looks: it writes nothing, and must not wait for a run.
LOOKS = {
    *LISTS,
    *("--list-changes", "--lc", "--list-input-changes", "--li"),
    *("--list-params-changes", "--lp", "--list-untracked", "--lu"),
    *("--summary", "-S", "--detailed-summary", "-D"),
    *("--dag", "--rulegraph", "--filegraph", "--d3dag"),
    *("--report", "--unlock"),
}
LOOKING_TARGETS = {"plan", "timings", "compare", "audit", "verify_data"}


def targets_asked_for():
    """
    The targets of the command line.

    The parser says whether a word is one or the value of an option.
    """
    if Path(sys.argv[0]).stem not in ("snakemake", "__main__"):
        return set()
    from snakemake.cli import get_argument_parser

    return set(get_argument_parser().parse_known_args(sys.argv[1:])[0].targets)


STUDY = config["study"]
RESULTS = f"results/{STUDY}"

looks = False
if workflow.is_main_process:
    if re.search(r"\s", sys.executable):
        raise WorkflowError(
            f"Expected a path of Python without blanks, found {sys.executable}: Snakemake starts scripts by a command "
            "line, which a blank cuts in two. Move this folder to a path without blanks, and run make there."
        )
    words = {word.partition("=")[0] for word in sys.argv}
    runs = not (workflow.output_settings.dryrun or LOOKS & words)
    looks = not runs or bool(
        LOOKING_TARGETS & words and targets_asked_for() <= LOOKING_TARGETS
    )
    written_to = {
        ".snakemake": not LISTS & words,
        f"results/logs/{STUDY}": runs,
        RESULTS: not looks,
    }
    reason = why_not_written(folder for folder, needed in written_to.items() if needed)
    if reason is not None:
        raise WorkflowError(reason)
    if not looks:
        wait_for_other_runs(Path(".snakemake"))
    compare_before_planning(looks, published_hashes)

# Cores of the run. On a cluster there is no such number, and `workflow.cores` would stop the run; that of a node is none
# of the run, and its jobs have as many as were asked for at the start.
CORES = None if workflow.remote_exec else workflow.resource_settings.cores
# Cores of a job that works on many draws.
WORKERS = cores_of_worker(config["workers"], CORES)
# Cores of a job that has to be alone; profiles/slurm asks for a full node instead.
ALL_CORES = CORES or WORKERS
# Cores in use at a time; on a cluster one for each job that --jobs allows.
AT_A_TIME = CORES or workflow.resource_settings.nodes or 1
# Priority of jobs that take minutes, or that such jobs wait for: begun last, they would keep one core busy and no other.
LONG = 10
# What a study makes of data of your own: file -> what it shows, in the order in which a run names them when it ends.
OWN_RESULTS = {}
# All files of jobs on data of your own that belong to no experiment. `all` asks for them, and the manifest lists them.
OWN_FILES = []
# Whether the study judges claims, and has a page: without experiments there are only OWN_RESULTS.
REPORTED = bool(config["experiments"])
JUDGED = REPORTED and bool(config["claims"])


# What modules of the catalogue and of the claims find by the declarations of the papers, when they are imported.
FOUND_BY_DECLARATIONS = {
    "workflow/replication/catalogue/papers.py": papers.declarations(),
    "workflow/replication/catalogue/experiments.py": [
        *experiments.declarations(),
        *papers.modules_of("arena"),
    ],
    "workflow/replication/catalogue/claim_files.py": papers.modules_of("kinds"),
    "workflow/replication/claims/judging.py": papers.modules_of("judges"),
}


def code_behind(script, *modules):
    """Files of code that a script rests on, with what the ledger finds by the declarations."""
    files = behind.code_behind(script, *modules)
    declared = [name for path in files for name in FOUND_BY_DECLARATIONS.get(path, [])]
    if declared:
        files = behind.code_behind(script, *modules, *declared)
    return sorted({*files, *ARITHMETIC_CODE})


STUDIED = Study(config, CLAIMS)


def check_targets():
    """Refuse a misspelt target with the nearest name. Paths are left to Snakemake, which knows who makes them."""
    known = [rule.name for rule in workflow.rules]
    strange = [
        word
        for word in sys.argv[1:]
        if re.fullmatch(r"[A-Za-z]\w*", word) and word not in known
    ]
    # Most commands have no such word.
    targets = targets_asked_for() if strange else ()
    for name in (word for word in strange if word in targets):
        meant = nearest(name, known)
        hint = f" Did you mean {meant}?" if meant else ""
        raise WorkflowError(
            f"There is no target {name}.{hint} `snakemake --list` shows all."
        )


def check_executor():
    """Refuse a run on SLURM that cannot submit jobs, or would never learn how they end."""
    settings = workflow.executor_settings
    if workflow.is_main_process and hasattr(settings, "status_command"):
        reason = (
            why_not_with(CORES)
            or why_not_here()
            or why_in_silence(
                settings_of_slurm(),
                settings.status_command,
                settings.init_seconds_before_status_checks,
            )
        )
        if reason is not None:
            raise WorkflowError(reason)


def share_imports():
    """Have jobs share what imports once for all of them, if several run here and with this Python."""
    runs_locally = (
        workflow.is_main_process and workflow.local_exec and not workflow.touch
    )
    own = workflow.deployment_settings.deployment_method
    if runs_locally and not own and sys.platform == "linux":
        if sum(job.is_script for job in workflow.dag.needrun_jobs()) > 1:
            start_worker()


def share_estimates():
    """Tell the terminal the experiment of each job, and about how much of the time of the run it takes."""
    study = Study(config)
    for job in workflow.dag.needrun_jobs():
        path = str(next(iter(job.output), ""))
        folder = path.removeprefix(f"{RESULTS}/").partition("/")[0]
        seconds = total_seconds([(job.rule.name, path)], study) / AT_A_TIME
        PLANNED[job.jobid] = (folder if folder in EXPERIMENTS else "", seconds)


def written(path):
    """When a file was written last; None if it is not there."""
    return os.stat(path).st_mtime_ns if os.path.exists(path) else None


def note_logs():
    """Note when each log was last written: a job that fails before its script starts leaves that of an earlier run."""
    logs = {str(log) for job in workflow.dag.needrun_jobs() for log in job.log}
    BEFORE.update({log: written(log) for log in logs})


def show_summary():
    """Print what this run has made: the verdicts and the report, and the results of your own data."""
    # What another run makes meanwhile is not of one that only looks.
    if looks:
        return
    summary = f"{RESULTS}/summary.txt"
    if written(summary) != BEFORE[summary] and os.environ.get("SUMMARY") != "no":
        print(f"\n{Path(summary).read_text(encoding='utf-8')}", file=sys.stderr)
    made = [path for path in OWN_RESULTS if written(path) != BEFORE[path]]
    if made:
        lines = [f"  {path}: {OWN_RESULTS[path]}" for path in made]
        print("\n".join(["\nLook at:", *lines, ""]), file=sys.stderr)


# Logs of targets that fail because of what they found: they end with the answer.
ANSWERS = ("audit.log", "compare.log", "timings.log", "verify_data.log")


def show_failures(logs):
    """Say once more, below all that Snakemake says of jobs that failed, the last paragraph of their own words."""
    corrigible = False
    for log in logs:
        named = re.findall(
            r"^ +log: (.+) \(check log file",
            Path(log).read_text(encoding="utf-8", errors="replace"),
            re.M,
        )
        # SLURM's own log, named beside that of the job, is no log of a job.
        paths = (path for line in named for path in line.split(", "))
        failed = dict.fromkeys(path for path in paths if path in BEFORE)
        for path in filter(Path.is_file, map(Path, failed)):
            # Read before asking for the time: on a network drive the time may be old until the file is opened.
            trace, _, failure = path.read_text(encoding="utf-8").rpartition("\n\n")
            if written(path) == BEFORE[str(path)]:
                continue
            if "Traceback" in trace:
                print(f"\n{failure}The full trace is in {path}", file=sys.stderr)
                corrigible = True
            elif path.name in ANSWERS:
                print(f"\n{failure}", file=sys.stderr)
    if corrigible:
        print(
            "\nCorrect this and run the same command again: what is done is kept.\n",
            file=sys.stderr,
        )
    waiting = {str(path) for job in workflow.dag.needrun_jobs() for path in job.output}
    pages = [f"{RESULTS}/report.html", *OWN_RESULTS]
    if old := [path for path in pages if path in waiting and os.path.exists(path)]:
        lines = [f"  {path}" for path in old]
        print("\n".join(["Still of an earlier run:", *lines, ""]), file=sys.stderr)


def published_hash(wildcards):
    """Hash of a data file, as far as it is known."""
    return REGISTRY[wildcards.file].sha256 or "not published"


# Lists of entries for data of your own.
OWN_LISTS = ["genes.sets", "spectra.own", "gland_retrieval.own", "features.sets"]
OWN_LISTS += ["own_images", "own_embeddings"]


def entries(listed):
    """The entries of such a list; none if its paper is not there."""
    section, _, key = listed.partition(".")
    return config.get(section, {}).get(key, []) if key else config.get(section, [])


# List, key, name and path of each file that an entry for data of your own names.
NAMED_FILES = [
    (listed, key, item["name"], path)
    for listed in OWN_LISTS
    for item in entries(listed)
    for key, paths in named_files(item).items()
    for path in ([paths] if isinstance(paths, str) else paths)
]


def check_named_files(made):
    """
    Refuse files that are not there, and that no rule makes; and brackets, which Snakemake takes for a wildcard or for
    a folder of its own.

    Snakemake takes what is there for done if a file behind it is missing, and would say nothing of a misspelt path.
    """
    wrong = [
        f"{section}, {key} of {name}: {path} {fault}"
        for section, key, name, path in NAMED_FILES
        for fault, is_so in (
            ("has { } < or >; rename the file or its folder", set("{}<>") & set(path)),
            ("does not exist", path not in made and not Path(path).is_file()),
        )
        if is_so
    ]
    if wrong:
        raise WorkflowError(
            "\n".join(
                [
                    "These files cannot be read:",
                    *wrong,
                    "Correct the paths in your configuration; they start from the folder in which snakemake runs.",
                ]
            )
        )

"""
What a run says in the terminal: a line for each finished step, and what is wrong; the whole is in Snakemake's log file.

Snakemake knows this as the logger plugin "steps"; the profiles name it.
"""

from __future__ import annotations

import ast
import logging
import re
import sys
import textwrap
import time
from logging import LogRecord

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

# No longer line in the terminal, and no longer line of a finished step.
WIDTH, STEP_WIDTH = 160, 99
# Into as many lines a long line of an error or a warning is broken before it is cut.
ERROR_LINES = 8
# So many seconds of work, or this share of all, done as fast as estimated, count with what was done, so that the first
# steps do not decide alone.
PRIOR, PRIOR_SHARE = 30, 0.05
# Id of each job of this run -> its experiment, or "", and about how many seconds of the run it takes if all cores are
# busy; the workflow fills it in.
PLANNED: dict[int, tuple[str, float]] = {}
# How Snakemake says that settings changed: all that a job reads, before and now.
_CHANGED = re.compile(r"Union of exclusive params before and now across all output: before: (.*) now: (.*?) *$", re.M)
# What to show of a job that failed.
_OF_AN_ERROR = re.compile(
    r"^Error in.*|^ +log:.*"
    r"|^ +message: (?!None$|SLURM-job .* status is: 'FAILED')[\s\S]+?(?=\n +(?:sbatch call|jobid):)",
    re.M,
)
# What Snakemake says of every run, whatever is run.
OF_EVERY_RUN = (
    "Assuming unrestricted",
    "Building DAG",
    "Conda environments",
    "Config file ",
    "Execute ",
    "Provided cores",
    "Provided resources",
    "Rules claiming",
    "Select jobs",
    "Using shell",
    "Using workflow specific profile",
    "host:",
)


def register() -> None:
    """Make the plugin known to Snakemake, which otherwise finds installed ones alone."""
    LoggerPluginRegistry().register_plugin("snakemake_logger_plugin_steps", sys.modules[__name__])


def shortened(text: str) -> str:
    """Text whose long lines end with how much is missing."""
    lines = text.splitlines()
    return "\n".join(
        line if len(line) <= WIDTH else f"{line[: WIDTH - 40]} ... and {len(line) - WIDTH + 40} characters more"
        for line in lines
    )


def with_changed_settings(text: str) -> str:
    """Why Snakemake runs a job, with the settings that changed in place of all that it reads."""

    def changed(found: re.Match) -> str:
        from replication.platform.audit import changed_keys

        try:
            before, now = map(ast.literal_eval, found.groups())
        except (ValueError, SyntaxError):
            return found[0]
        if isinstance(before, dict) and isinstance(now, dict):
            return "; ".join(changed_keys(before, now))
        return f"{before} -> {now}"

    return _CHANGED.sub(changed, text)


def broken(text: str) -> str:
    """Text of an error: long lines are broken, since what helps is often at their ends, and endless ones cut."""
    how = {"subsequent_indent": "  ", "break_on_hyphens": False, "break_long_words": False}
    lines = [textwrap.wrap(line, WIDTH, **how) for line in text.splitlines()]
    return "\n".join(
        "\n".join(parts) if len(line) <= WIDTH * ERROR_LINES else shortened(line)
        for line, parts in zip(text.splitlines(), lines, strict=True)
    )


def cut(line: str) -> str:
    """A line of a finished step, cut to its width."""
    return line if len(line) <= STEP_WIDTH else f"{line[: STEP_WIDTH - 1]}…"


def duration(seconds: float) -> str:
    """Such as 0:07, 12:30 or 1:02:03."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class LogHandler(LogHandlerBase):
    """A line for each finished step: how many there are, in all and of its experiment, and about what time is left."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.steps: dict[int, tuple[str, float]] = {}
        self.finished: list[str] = []
        self.done: set[int] = set()
        self.stream = sys.stdout if self.common_settings.dryrun else sys.stderr

    def emit(self, record: LogRecord) -> None:
        """Print what a reader needs of a record."""
        try:
            whole = self.common_settings.verbose
            fitted = broken if record.levelno >= logging.WARNING else shortened
            if text := self.format(record) if whole else fitted(self.words(record)):
                print(text, file=self.stream, flush=True)
        except BrokenPipeError:
            raise
        except Exception:
            self.handleError(record)

    def words(self, record: LogRecord) -> str:
        """What to print of a record, if anything."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            self.steps[record.jobid] = (record.rule_msg or record.rule_name, time.monotonic())
            return with_changed_settings(self.format(record)) if self.common_settings.dryrun else ""
        if event == LogEvent.JOB_FINISHED:
            step, started = self.steps.pop(record.job_id, (f"Step {record.job_id}", time.monotonic()))
            self.done.add(record.job_id)
            self.finished.append(f"{self.part(record.job_id)}{step} ({duration(time.monotonic() - started)})")
            return ""
        if event == LogEvent.PROGRESS:
            # Snakemake counts a step after it has said that it is finished.
            counted, self.finished = self.finished, []
            now = duration(time.monotonic() - self.began)
            place = f"{record.done:{len(str(record.total))}} of {record.total} steps, {now}{self.left()}"
            return "\n".join(cut(f"[{place}] {step}") for step in counted)
        if event == LogEvent.RUN_INFO and not self.common_settings.dryrun:
            return f"{sum(record.stats.values()) - record.stats.get('total', 0)} steps to run."
        if event in (LogEvent.WORKFLOW_STARTED, LogEvent.JOB_STARTED, LogEvent.RESOURCES_INFO, LogEvent.SHELLCMD):
            return ""
        text = self.format(record)
        if event == LogEvent.JOB_ERROR:
            # A script that fails has said what is wrong, and Snakemake's log lists its files. Else SLURM alone knows
            # why: its message may have several lines; it ends before "sbatch call:" or "jobid:".
            return "\n".join(_OF_AN_ERROR.findall(text))
        if event == LogEvent.ERROR and "CalledProcessError" in text:
            ended = re.search(r"died with .*", text)
            return f"A job {ended[0]}" if ended else ""
        said_always = record.levelno < logging.WARNING and text.startswith(OF_EVERY_RUN)
        return "" if said_always else text

    def part(self, job: int) -> str:
        """The experiment of a finished job, and how many of its steps are done: "toy_rgb 2/3: "."""
        experiment, _ = PLANNED.get(job, ("", 0))
        jobs = {one for one, (name, _) in PLANNED.items() if name == experiment}
        return f"{experiment} {len(jobs & self.done)}/{len(jobs)}: " if experiment else ""

    def left(self) -> str:
        """About what time is left, by the estimates of the steps and by what those that are done took."""
        seconds = {job: takes for job, (_, takes) in PLANNED.items()}
        done = sum(takes for job, takes in seconds.items() if job in self.done)
        to_come = sum(seconds.values()) - done
        prior = max(PRIOR, PRIOR_SHARE * sum(seconds.values()))
        rate = (time.monotonic() - self.began + prior) / (done + prior)
        return f", {duration(rate * to_come)} left" if to_come > 0 else ""

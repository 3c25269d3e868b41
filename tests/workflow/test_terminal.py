"""The terminal shows a line for each finished step, all that is wrong, and no long line."""

import logging
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from replication.platform.readable import by_sentences
from replication.platform.terminal import (
    ERROR_LINES,
    PLANNED,
    STEP_WIDTH,
    WIDTH,
    LogHandler,
    duration,
    register,
    shortened,
    with_changed_settings,
)
from snakemake.persistence import ParamsChange
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

WORKFLOW = Path(__file__).parents[2] / "workflow"


@pytest.fixture
def say(capsys):
    """Send messages through the handler: what it prints on standard error, or in a dry run on standard output."""

    def said(*messages, dryrun=False, verbose=False):
        handler = LogHandler(SimpleNamespace(dryrun=dryrun, verbose=verbose), None)
        for text, level, more in messages:
            record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
            record.__dict__ |= more
            handler.emit(record)
        printed = capsys.readouterr()
        return printed.out if dryrun else printed.err

    return said


def info(text, event=None, **more):
    return text, logging.INFO, {"event": event, **more}


STEP = {"jobid": 7, "rule_name": "embed_runs", "rule_msg": "Embed the digits 10 times"}


def test_a_finished_step_is_one_line_with_its_place(say):
    printed = say(
        info("job 7", LogEvent.JOB_INFO, **STEP),
        info("Finished jobid: 7", LogEvent.JOB_FINISHED, job_id=7),
        info("progress", LogEvent.PROGRESS, done=3, total=129),
    )
    assert printed == "[  3 of 129 steps, 0:00] Embed the digits 10 times (0:00)\n"


def test_a_finished_step_says_how_far_its_experiment_is_and_about_what_time_is_left(say, monkeypatch):
    clock = iter([0])
    monkeypatch.setattr("replication.platform.terminal.time.monotonic", lambda: next(clock, 240))
    for job, planned in {7: ("mce_tail", 90), 8: ("mce_tail", 60), 9: ("", 150)}.items():
        monkeypatch.setitem(PLANNED, job, planned)
    long = {**STEP, "rule_msg": "Embed the digits " * 10}
    printed = say(
        info("job 7", LogEvent.JOB_INFO, **long),
        info("Finished jobid: 7", LogEvent.JOB_FINISHED, job_id=7),
        info("progress", LogEvent.PROGRESS, done=1, total=3),
    )
    # In 240 seconds 90 of 300 seconds of work were done, and 30 seconds for 30 are counted with them:
    # 210 * (240 + 30) / (90 + 30) = 472 seconds.
    assert printed.startswith("[1 of 3 steps, 4:00, 7:52 left] mce_tail 1/2: Embed the digits")
    assert len(printed.rstrip("\n")) == STEP_WIDTH < 100


def test_the_first_step_of_a_long_study_does_not_decide_alone_what_time_is_left(say, monkeypatch):
    clock = iter([0])
    monkeypatch.setattr("replication.platform.terminal.time.monotonic", lambda: next(clock, 46))
    for job, planned in {7: ("mce_tail", 2), 8: ("mce_tail", 3598)}.items():
        monkeypatch.setitem(PLANNED, job, planned)
    printed = say(
        info("job 7", LogEvent.JOB_INFO, **STEP),
        info("Finished jobid: 7", LogEvent.JOB_FINISHED, job_id=7),
        info("progress", LogEvent.PROGRESS, done=1, total=2),
    )
    # It took 23 times what was estimated, which is 44 s of an hour: 3598 * (46 + 180) / (2 + 180) = 4467 seconds.
    assert printed.startswith("[1 of 2 steps, 0:46, 1:14:27 left] mce_tail 1/2: Embed the digits")


def test_sentences_of_a_long_line_have_lines_of_their_own():
    assert by_sentences("Wrong. Correct it.") == "Wrong. Correct it."
    long = "x" * 150
    assert by_sentences(f"{long}. Correct it.\nShort. As it is.") == f"{long}.\nCorrect it.\nShort. As it is."


def test_what_snakemake_says_of_every_run_is_left_out(say):
    assert say(info("Building DAG of jobs..."), info("Provided cores: 2"), info("cmd", LogEvent.SHELLCMD)) == ""
    assert say(info("x", LogEvent.RUN_INFO, stats={"all": 1, "embed_runs": 6, "total": 7})) == "7 steps to run.\n"


def test_all_other_messages_are_shown(say):
    assert say(info("Nothing to be done.")) == "Nothing to be done.\n"
    # What is wrong is shown, whatever its first words are.
    assert say(("Building DAG failed", logging.WARNING, {})) == "Building DAG failed\n"
    assert say(("Error in rule x", logging.ERROR, {"event": LogEvent.JOB_ERROR})) == "Error in rule x\n"


def test_of_a_job_that_failed_its_rule_its_log_and_what_others_say_of_it_are_shown(say):
    rule = "[Mon Nov 30 03:44:34 2026]\nError in rule x:\n    message: None\n    jobid: 1\n    input: a, b\n"
    rule += "    output: c\n    log: results/logs/x.log (check log file(s) for error details)\n"
    said = say((rule, logging.ERROR, {"event": LogEvent.JOB_ERROR}))
    assert said == "Error in rule x:\n    log: results/logs/x.log (check log file(s) for error details)\n"
    reason = "SLURM sbatch failed. The error message was 'sbatch: error: no\nsbatch: error: way'."
    refused = rule.replace("None", f"{reason}\n    sbatch call:\n        sbatch --parsable")
    said = say((refused, logging.ERROR, {"event": LogEvent.JOB_ERROR}))
    assert said.partition("    log: ")[0] == f"Error in rule x:\n    message: {reason}\n"
    for status, is_said in (("TIMEOUT", True), ("FAILED", False)):
        ended = rule.replace("None", f"SLURM-job '17' failed, SLURM status is: '{status}'. Look there.")
        assert (status in say((ended, logging.ERROR, {"event": LogEvent.JOB_ERROR}))) == is_said
    command = "RuleException:\nCalledProcessError in file x.smk, line 35:\nCommand 'python x.py'"
    assert say((f"{command} returned non-zero exit status 1.", logging.ERROR, {"event": LogEvent.ERROR})) == ""
    killed = say((f"{command} died with <Signals.SIGKILL: 9>.", logging.ERROR, {"event": LogEvent.ERROR}))
    assert killed == "A job died with <Signals.SIGKILL: 9>.\n"


def test_verbose_shows_everything(say):
    reason = "Reason: " + "results/x.tsv, " * 50
    assert say(info("Provided cores: 2"), info(reason), verbose=True) == f"Provided cores: 2\n{reason}\n"


def test_a_dry_run_lists_its_jobs_on_standard_output(say):
    table = "job count\nembed_runs 6\ntotal 6"
    printed = say(info("job 7", LogEvent.JOB_INFO, **STEP), info(table, LogEvent.RUN_INFO, stats={}), dryrun=True)
    assert printed == f"job 7\n{table}\n"


def test_a_dry_run_says_which_settings_changed_and_not_all_of_them(say):
    before = {
        "toy_rgb": {"size": 14, "noise": [0.5, 3], "graphs": {f"graph_{k}": {"kernel": "knn"} for k in range(40)}}
    }
    now = {"toy_rgb": {**before["toy_rgb"], "noise": [0.5, 2, 3]}}
    why = "Reason: Params have changed since last execution: "
    said = str(ParamsChange({str(before)}, {str(now)}, {"metrics.tsv"}))
    printed = say(info(f"Job 3: Draw\n{why}{said}", LogEvent.JOB_INFO, **STEP), dryrun=True)
    assert printed == f"Job 3: Draw\n{why}toy_rgb.noise: [0.5, 3] -> [0.5, 2, 3]\n"
    assert with_changed_settings(str(ParamsChange({"20121"}, {"99"}))) == "20121 -> 99"
    other = str(ParamsChange(set(), {str(now)}))
    assert with_changed_settings(other) == other


def test_no_line_is_longer_than_a_terminal_and_it_says_what_is_missing(say):
    printed = say(info("Reason: " + "results/x.tsv, " * 5000))
    assert max(map(len, printed.splitlines())) <= WIDTH + 40
    kept = printed.partition(" ... and ")[0]
    assert int(printed.rpartition(" ... and ")[2].split()[0]) == len("Reason: ") + 75000 - len(kept)
    assert shortened("short\nlines") == "short\nlines"


def test_an_error_is_broken_and_not_cut_unless_it_is_endless(say):
    kinds = ", ".join(f"kind/{k}" for k in range(60))
    error = f"test.kind: expected one of {kinds}; found 'kynd' (did you mean kind/1?)"
    printed = say((f"Wrong.\n  {error}", logging.ERROR, {}))
    assert " ".join(printed.split()) == f"Wrong. {error}"
    assert max(map(len, printed.splitlines())) <= WIDTH
    printed = say(("results/x.tsv " * 5000, logging.ERROR, {}))
    assert len(printed) <= WIDTH * ERROR_LINES


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (67.9, "1:07"), (3600, "1:00:00"), (7325, "2:02:05")])
def test_durations_are_clocks(seconds, shown):
    assert duration(seconds) == shown


def test_snakemake_finds_the_plugin_that_the_profiles_name():
    register()
    assert LoggerPluginRegistry().get_plugin("steps").log_handler is LogHandler


def test_who_reads_a_result_may_leave_before_its_end():
    code = "from replication.platform.readable import show; show('x' * 1_000_000)"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], cwd=WORKFLOW, **pipes) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0

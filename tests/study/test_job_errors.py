"""What a job that failed says at its end."""

import errno
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
from joblib import delayed
from replication.platform.job import _reason, job
from replication.shared.tasks import results_of

JOB = SimpleNamespace(output=["results/a/metrics.tsv", "results/a/tables/b.tsv"])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("expected 3, found 4"), "expected 3, found 4"),
        (KeyError("label"), "KeyError: 'label'"),
        (RuntimeError(), "RuntimeError: "),
        (FileNotFoundError(errno.ENOENT, "No such file", "a.csv"), "[Errno 2] No such file: 'a.csv'"),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "[Errno 11] Resource temporarily unavailable"),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "No space left on device while writing to results/a, results/a/tables. "
            "Free some space there, and run again.",
        ),
        (
            MemoryError("Unable to allocate 7 GiB"),
            "not enough memory (Unable to allocate 7 GiB). Use a machine with more memory, or smaller data.",
        ),
    ],
)
def test_the_reason_names_the_cause_and_advises_only_what_helps(error, words):
    assert _reason(error, JOB) == words


def test_an_error_cannot_steer_the_terminal_or_the_log(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snakemake = SimpleNamespace(log=[str(tmp_path / "log")], input=[], output=["a"])

    def run():
        with job(snakemake, "a job") as say:
            say("file \x1b[2J.csv")
            raise ValueError("first\nsecond \u202e\x1b[31m")

    with pytest.raises(SystemExit) as ended:
        run()
    for text in (str(ended.value), capfd.readouterr().err, (tmp_path / "log").read_text()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "first\nsecond \\u202e\\x1b[31m" in str(ended.value)


def test_a_job_goes_on_when_nobody_reads_its_terminal(tmp_path, monkeypatch):
    class Closed:
        def write(self, _text):
            raise BrokenPipeError

        flush = write

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("replication.platform.job.record", lambda *arguments: None)
    monkeypatch.setattr("sys.stderr", Closed())
    with job(SimpleNamespace(log=["log"], input=[], output=["a"]), "a job") as say:
        say("half")
    assert [line.split()[2] for line in Path("log").read_text().splitlines()] == ["half", "done"]


def test_warnings_are_said_once_each_in_short_lines_and_are_all_in_the_log(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("replication.platform.job.record", lambda *arguments: None)
    words = " and so on" * 30
    # One process and several, whose warnings are their own.
    for n_jobs in (1, 2):
        with job(SimpleNamespace(log=[str(tmp_path / "log")], input=[], output=["a"]), "a job"):
            found = results_of(
                (delayed(warn)(f"no end after {k} steps of {k * 0.5}{words}", k) for k in range(4)), n_jobs
            )
            assert list(found) == [0, 1, 2, 3]
        terminal, log = capfd.readouterr().err, (tmp_path / "log").read_text()
        assert terminal.count("no end after") == 1
        assert max(map(len, terminal.splitlines())) <= 160
        assert [f"no end after {k} steps" in log for k in range(4)] == [True] * 4


def test_blas_has_one_thread_in_each_process_of_a_job_of_several_cores(monkeypatch):
    """Snakemake sets these to the cores of the job, which would be the square of them over all processes."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    for threads in results_of((delayed(threads_of_blas)() for _ in range(2)), n_jobs=2):
        assert threads == {1}


def threads_of_blas():
    """A task that multiplies no matrices, but could."""
    import numpy  # noqa: F401 - it loads BLAS
    from threadpoolctl import threadpool_info

    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def warn(text, result):
    """A task that warns."""
    warnings.warn(text, stacklevel=1)
    return result

"""What a job that failed says at its end."""

import errno
from types import SimpleNamespace

import pytest
from replication.platform.job import _reason

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

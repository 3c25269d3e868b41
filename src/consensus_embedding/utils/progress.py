"""How long a run will take, and how much memory, said before it starts."""

from __future__ import annotations

import sys
import warnings

# An estimate above these is worth a warning, asked for or not: seconds, and gigabytes.
LONG_RUN = 300.0
LARGE_RUN = 8.0


class LongRunWarning(UserWarning):
    """A run is expected to take more than five minutes, or more than 8 GB of memory."""


def announce(what: str, seconds: float, advice: str, *, gigabytes: float = 0.0, verbose: bool = False) -> None:
    """Say how long a run is expected to take: on the error stream if asked for, as a warning if it is long or large."""
    memory = f" and {gigabytes:.0f} GB of memory" if gigabytes >= 1 else ""
    expected = f"{what} is expected to take about {duration(seconds)}{memory}."
    if seconds > LONG_RUN or gigabytes > LARGE_RUN:
        warnings.warn(f"{expected} {advice}", LongRunWarning, stacklevel=4)
    elif verbose:
        report(expected, verbose=True)


def report(text: str, *, verbose: bool) -> None:
    """Progress of a run on the error stream, if asked for."""
    if verbose:
        print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds in words, as exact as an estimate is."""
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"

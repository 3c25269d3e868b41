"""How long a run will take, and how much memory, said before it starts; then how far it is, and the time left."""

from __future__ import annotations

import shutil
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from types import TracebackType

# An estimate above these is worth a warning, asked for or not: seconds, and gigabytes.
LONG_RUN = 300.0
LARGE_RUN = 8.0
# Seconds between two states of a line that changes in place. Elsewhere two lines are at least, and at most, so far
# apart, and in between a twentieth of the time so far.
_REDRAWN, _NEXT_LINE = 0.5, (4.0, 60.0)
_WIDTH = 20
# Seconds for which loops have been compiled so far, set by `compile_notice`: they say nothing about what is left.
compiling = 0.0


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


def report(text: str, *, verbose: bool | int) -> None:
    """Progress of a run on the error stream, if asked for."""
    if verbose:
        print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds in words, as exact as an estimate is."""
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"


def _at_work(now: float) -> float:
    """A time, less the time for which loops were compiled."""
    return now - compiling


class Bar:
    """
    How far a long task is, with the time left, on the error stream.

    On a terminal one line changes in place; elsewhere there is a line when a step begins, and now and then one while it
    goes on, also if nothing is heard of it. Nothing is said without `verbose`. To be used in a ``with`` statement.
    `steps`, in order, are step -> seconds that it is expected to take, None if not known; once a step has ended, later
    ones are expected to be as much faster or slower.
    """

    def __init__(self, task: str, steps: Mapping[str, float | None], *, verbose: bool = True):
        self.task, self.steps, self.verbose = task, dict(steps), verbose
        self._lock, self._over = threading.Lock(), threading.Event()
        self._begun = self._said = time.monotonic()
        self._step_begun = _at_work(self._begun)
        self._step, self._share, self._text, self._rate = "", 0.0, "", 0.0
        self._measured = self._expected = 0.0

    def __enter__(self) -> Bar:
        if self.verbose:
            self._thread = threading.Thread(target=self._keep_saying, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        if self.verbose:
            self._over.set()
            self._thread.join()
            if kind is None:
                self.begin("done")
            if sys.stderr.isatty():
                print(file=sys.stderr, flush=True)

    def begin(self, step: str) -> None:
        """Begin a step; the one before has ended."""
        with self._lock:
            now = time.monotonic()
            expected = self.steps.get(self._step)
            if expected:
                self._measured += _at_work(now) - self._step_begun
                self._expected += expected
            self._step, self._step_begun, self._share, self._text = step, _at_work(now), 0.0, ""
            self._say(now)

    def update(self, share: float, text: str = "") -> None:
        """Say how much of the step is done, from 0 to 1, and more of it in words."""
        with self._lock:
            now, first = time.monotonic(), not self._share
            self._share, self._text = share, text
            self._rate = (_at_work(now) - self._step_begun) / share if share else 0.0
            if first or share >= 1 or self._due(now):
                self._say(now)

    def note(self, text: str) -> None:
        """More of the step in words."""
        with self._lock:
            self._text = text

    def left(self, now: float) -> float | None:
        """Seconds that the task will still take; None if not known."""
        speed = self._measured / self._expected if self._expected else 1.0
        expected = self.steps.get(self._step, 0.0)
        whole = self._rate if self._share else None if expected is None else speed * expected
        names = list(self.steps)
        later = names[names.index(self._step) + 1 :] if self._step in names else []
        if whole is None:
            return None
        worked = _at_work(now) - self._step_begun
        return max(whole - worked, 0.0) + speed * sum(self.steps[name] or 0.0 for name in later)

    def line(self, now: float) -> str:
        """The task, its step, the time so far and the time left."""
        spent, left = now - self._begun, self.left(now)
        parts = [" ".join(filter(None, [f"{self.task}:", self._text or self._step])), duration(spent)]
        return ", ".join(parts if left is None or self._step == "done" else [*parts, f"about {duration(left)} left"])

    def _due(self, now: float) -> bool:
        least, most = _NEXT_LINE
        every = _REDRAWN if sys.stderr.isatty() else min(max(least, (now - self._begun) / 20), most)
        return now - self._said >= every

    def _keep_saying(self) -> None:
        while not self._over.wait(_REDRAWN):
            with self._lock:
                if self._due(now := time.monotonic()):
                    self._say(now)

    def _say(self, now: float) -> None:
        if not self.verbose:
            return
        self._said, line = now, self.line(now)
        if not sys.stderr.isatty():
            print(line, file=sys.stderr, flush=True)
            return
        spent, left = now - self._begun, self.left(now)
        done = 0 if left is None else round(_WIDTH * spent / (spent + left or 1.0))
        line = f"[{'#' * done}{'.' * (_WIDTH - done)}] {line}"
        print(f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K", end="", file=sys.stderr, flush=True)

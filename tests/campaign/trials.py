"""Trials of a campaign: each drawn by its number and the seed, tried in a process of its own that may be given up."""

import multiprocessing
import os
import random
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

import psutil

# A fresh interpreter: threads and locks of this one are not carried over.
_CONTEXT = multiprocessing.get_context("spawn")
# Seconds for what comes before the first trial of a process: imports, and a study to be disturbed.
_PREPARATION = 900


class Failure(Exception):
    """A trial did not go as it must; the message says what happened."""


def expect(condition: bool, message: str) -> None:
    """Fail with a message unless a condition holds."""
    if not condition:
        raise Failure(message)


@dataclass(frozen=True)
class Campaign:
    """
    Many trials of one kind.

    Attributes
    ----------
    title : str
        What was tried, for the table.
    tried : int
        Number of trials.
    trial : callable
        Takes the number of the trial and its random numbers; raises `Failure`.
    limit : float
        Seconds after which a trial counts as one that hangs.
    prepare : callable
        Called once in each process, before its first trial.
    possible : callable
        Whether this machine can do it.
    """

    title: str
    tried: int
    trial: Callable[[int, random.Random], None]
    limit: float = 20.0
    prepare: Callable[[], object] = lambda: None
    possible: Callable[[], bool] = lambda: True


def outcome(campaign: Campaign, name: str, seed: int, k: int) -> str | None:
    """What went wrong in one trial, tried in this process; None if nothing did."""
    try:
        campaign.trial(k, random.Random(f"{seed} {name} {k}"))
    except Failure as failure:
        return str(failure)
    except Exception:
        return traceback.format_exc()
    return None


class _Clock:
    """Of a process that may work for so long; where others work too, it may take several times as long."""

    def __init__(self, pid: int, limit: float) -> None:
        self.process, self.limit, self.start = psutil.Process(pid), limit, time.monotonic()
        self.worked = self._worked()

    def _worked(self) -> float:
        try:
            return sum(self.process.cpu_times()[:2])
        except psutil.Error:
            return 0.0

    def is_over(self) -> bool:
        return self._worked() - self.worked > self.limit or time.monotonic() - self.start > 6 * self.limit


def _work(name: str, seed: int, pipe: Connection) -> None:
    """Process that does the trials whose numbers it is sent."""
    from campaign import CAMPAIGNS, clean_up

    CAMPAIGNS[name].prepare()
    # What a trial prints is part of what is tried, and no news.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    pipe.send(None)
    for k in iter(pipe.recv, None):
        pipe.send((k, outcome(CAMPAIGNS[name], name, seed, k)))
    clean_up()


def outcomes(
    campaign: Campaign, name: str, seed: int, numbers: Iterable[int], processes: int
) -> Iterator[tuple[int, str | None]]:
    """Number of each trial as it ends, and what went wrong."""
    waiting = list(numbers)
    # Pipe -> process, its trial, and when that has to end.
    at_work: dict[Connection, tuple] = {}

    def start() -> None:
        ours, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_work, args=(name, seed, theirs))
        process.start()
        theirs.close()
        at_work[ours] = (process, None, _Clock(process.pid, _PREPARATION))

    for _ in range(min(processes, len(waiting))):
        start()
    while at_work:
        wait(list(at_work), timeout=0.5)
        for pipe, (process, k, clock) in list(at_work.items()):
            ended = None
            if pipe.poll():
                try:
                    ended = pipe.recv()
                except EOFError:
                    process.join()
                    ended = k, f"the process died with exit code {process.exitcode}"
            elif clock.is_over():
                process.kill()
                process.join()
                ended = k, f"hangs: not ended after {campaign.limit:.0f} s"
            else:
                continue
            del at_work[pipe]
            if ended is not None:
                if ended[0] is None:
                    raise RuntimeError(f"{name}: the preparation fails: {ended[1]}")
                yield ended
            if process.is_alive():
                k = waiting.pop(0) if waiting else None
                pipe.send(k)
                if k is None:
                    process.join()
                else:
                    at_work[pipe] = (process, k, _Clock(process.pid, campaign.limit))
            elif waiting:
                start()

"""Tasks on several cores or a cluster, as joblib's `parallel_config` says, and threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from joblib import Parallel, cpu_count, delayed, effective_n_jobs


def in_order(
    task: Callable[..., Any], calls: Iterable[tuple], n_jobs: int | None = None, prefer: str | None = None
) -> Iterator[Any]:
    """
    The results of a task for each tuple of its arguments, each as soon as it and those before it are there.

    `n_jobs` and `prefer` are those of :class:`joblib.Parallel`: without `n_jobs`, and for the kind of workers, what
    `parallel_config` says comes first.
    """
    calls = (delayed(task)(*arguments) for arguments in calls)
    try:
        parallel = Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")
    except ValueError:
        # Some backends, such as that of Ray, have the results only when all are there.
        parallel = Parallel(n_jobs=n_jobs, prefer=prefer)
    return iter(parallel(calls))


def warning_of(kind: type[Warning], message: str) -> Warning:
    """A warning of another process again; of a kind that takes other arguments its name and its words."""
    try:
        return kind(message)
    except Exception:
        return UserWarning(f"{kind.__name__}: {message}")


def n_threads(n_jobs: int | None) -> int:
    """Threads of this process: so many, -1 for all cores, None for those of `parallel_config` up to the cores."""
    if n_jobs is None:
        return min(effective_n_jobs(None), cpu_count())
    return cpu_count() if n_jobs == -1 else max(1, n_jobs)


def n_at_a_time(n_jobs: int | None) -> int:
    """Tasks at a time of `in_order`."""
    return max(1, effective_n_jobs(n_jobs))

"""Limits of threads, so that sums and searches do not depend on the number of cores."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache

import scipy.linalg  # noqa: F401  (loads the BLAS of SciPy, which the controller must have seen)
from threadpoolctl import LibController, ThreadpoolController, threadpool_limits


class _OneThread(AbstractContextManager):
    """A limit belongs to the process: the first thread that enters sets it, and the last that leaves takes it back."""

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = [library.num_threads for library in _blas()]
                _set_threads([1] * len(self._before))
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                _set_threads(self._before)


def _set_threads(numbers: Sequence[int]) -> None:
    """
    Set the number of threads of each BLAS.

    Since threadpoolctl 3.8, OpenBLAS obeys one thread of the process alone until that gives it up, and those of others
    do nothing. Whichever thread is here takes it over, and gives it up again.
    """
    for library, number in zip(_blas(), numbers, strict=True):
        give_up = getattr(library, "clear_controlling_thread", lambda force: None)
        give_up(force=True)
        library.set_num_threads(number)
        give_up(force=True)


_ONE_THREAD = _OneThread()
_QUIET = threading.RLock()


def one_blas_thread() -> AbstractContextManager:
    """
    Context in which the BLAS of NumPy and SciPy run on one thread.

    The same as ``threadpool_limits(1, user_api="blas")``, which looks through all libraries of the process at every
    call: 2 to 10 ms, more than a small clustering takes. Here they are looked up once.
    """
    return _ONE_THREAD


@contextmanager
def one_thread() -> Iterator[None]:
    """
    Context in which BLAS and OpenMP run on one thread, those of all libraries that are loaded.

    The limit of OpenMP is one of the calling thread. That of BLAS is one of the process, and held as by
    `one_blas_thread`.
    """
    with one_blas_thread(), threadpool_limits(1):
        yield


@contextmanager
def without_warnings(kind: type[Warning] = Warning) -> Iterator[None]:
    """
    Context in which no warning of a kind is shown, entered by one thread at a time.

    The filters belong to the process: of two threads inside, the last to leave would put back those of the other.
    """
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore", kind)
        yield


def few_openmp_threads(n_rows: int) -> AbstractContextManager:
    """
    Context in which scikit-learn's search for neighbours does not depend on the number of cores.

    With few rows for each thread it divides the points that are searched, and among equal distances others are found.
    """
    openmp = ThreadpoolController().select(user_api="openmp")
    threads = max((library.num_threads for library in openmp.lib_controllers), default=1)
    return openmp.limit(limits=min(threads, max(1, n_rows // _ROWS_OF_A_THREAD)))


# scikit-learn 1.9 divides the points with fewer than 1024 rows for each thread.
_ROWS_OF_A_THREAD = 4096


@lru_cache(maxsize=1)
def _blas() -> list[LibController]:
    return ThreadpoolController().select(user_api="blas").lib_controllers

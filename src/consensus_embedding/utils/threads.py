"""One thread for linear algebra, so that sums do not depend on the number of cores."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache

import scipy.linalg  # noqa: F401  (loads the BLAS of SciPy, which the controller must have seen)
from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager:
    """
    Context in which the BLAS of NumPy and SciPy run on one thread.

    The same as ``threadpool_limits(1, user_api="blas")``, which looks through all libraries of the process at every
    call: 2 to 10 ms, more than a small clustering takes. Here they are looked up once.
    """
    return _controller().limit(limits=1)


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")

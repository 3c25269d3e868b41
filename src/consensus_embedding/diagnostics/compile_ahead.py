"""
The last loops of a check, compiled by a process of its own while the first are compiled here and the runs are made.

Once after an installation. Numba holds a lock while it compiles, so that threads would wait for each other; the process
leaves what it has compiled in numba's cache, where this one finds it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
from joblib import cpu_count

from consensus_embedding.consensus.geometric_median import geometric_median
from consensus_embedding.diagnostics import run_kernels
from consensus_embedding.manifold.mds import guttman

# Kept, so that Python does not warn of a process that still runs.
_started: list[subprocess.Popen] = []


def compile_ahead() -> bool:
    """Whether loops have to be compiled; then start the process, if there is a second core for it."""
    # Functions that Numba does not compile (NUMBA_DISABLE_JIT) have no statistics.
    statistics = getattr(run_kernels.distances_over_runs, "stats", None)
    if statistics is None or any(Path(statistics.cache_path).glob("run_kernels.distances_over_runs-*.nbi")):
        return False
    if _started or not sys.executable or cpu_count() < 2:
        return True
    none = subprocess.DEVNULL
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # Without the process, all is compiled here.
    with suppress(OSError):
        command = [sys.executable, "-m", __name__]
        _started.append(subprocess.Popen(command, env=environment, stdin=none, stdout=none, stderr=none))
    return True


def _compile() -> None:
    """Call each loop with arrays of the types that a check gives it, the last one of the check first."""
    n, m, p, k = 4, 3, 2, 2
    points, sizes, codes = np.random.default_rng(0).normal(size=(n, m, p)), np.ones(m), np.zeros(n, dtype=np.int64)
    one, some = np.full(1, n), np.arange(n)
    neighbors = np.zeros((n, m, k), dtype=np.int64)
    spread, between = np.empty(n), np.zeros((1, 1, m))
    means, squares, silhouettes = (np.empty((n, m)) for _ in range(3))
    run_kernels.points_nearer(points[:, 0].copy(), 0, neighbors[:, 0])
    run_kernels.neighbors_in_other_runs(points, sizes, sizes, neighbors, 0, means, squares, silhouettes)
    run_kernels.distances_over_runs(
        points, sizes, sizes, codes, one, some, points, one, n, 0, spread, means, squares, between, silhouettes
    )
    guttman(np.ones((n, n)), np.ones((p, n)), np.empty((p, n)))
    geometric_median(np.eye(m))


if __name__ == "__main__":
    _compile()

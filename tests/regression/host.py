"""Process of `planting.TestHost`: a line of JSON with arguments of pytest comes in, its exit code goes out."""

import importlib
import json
import os
import signal
import subprocess
import sys

# What the library and its tests read; without the library.
PACKAGES = ["matplotlib.pyplot", "numba", "pandas", "pytest", "scipy.optimize", "scipy.signal", "scipy.sparse.csgraph"]
PACKAGES += ["scipy.stats", "sklearn.cluster", "sklearn.decomposition", "sklearn.discriminant_analysis"]
PACKAGES += ["sklearn.ensemble", "sklearn.linear_model", "sklearn.manifold", "sklearn.model_selection", "sklearn.svm"]
PACKAGES += [
    "sklearn.datasets",
    "sklearn.metrics",
    "sklearn.neighbors",
    "sklearn.pipeline",
    "sklearn.utils.estimator_checks",
]

TIMEOUT = 300  # seconds


def forked(arguments: list[str], words: str) -> int:
    """Exit code of pytest in a child that has all packages at hand."""
    child = os.fork()
    if child == 0:
        # A fault may make a loop endless.
        signal.alarm(TIMEOUT)
        code = 3
        try:
            file = os.open(words, os.O_WRONLY | os.O_CREAT)
            os.dup2(file, 1)
            os.dup2(file, 2)
            code = int(importlib.import_module("pytest").main(arguments))
            sys.stdout.flush()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def spawned(arguments: list[str], words: str) -> int:
    """Exit code of pytest in a process of its own, where children that know what was read are not safe."""
    with open(words, "w") as file:
        return subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], stdout=file, stderr=file, timeout=TIMEOUT
        ).returncode


if __name__ == "__main__":
    run = spawned
    if sys.platform == "linux":
        run = forked
        for package in PACKAGES:
            importlib.import_module(package)
    for line in sys.stdin:
        arguments, words, report = json.loads(line)
        os.environ["PLANTED_REPORT"] = report
        print(run(arguments, words), flush=True)

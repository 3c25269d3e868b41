"""What the scripts share: a log that the terminal sees too, and outputs that appear whole or not at all."""

import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np


@contextmanager
def job(log: str, title: str) -> Iterator:
    """Run the body of a script; yields a function that reports progress to the log and the terminal."""
    start = time.perf_counter()
    with open(log, "w", encoding="utf-8") as file:

        def say(text: str) -> None:
            line = f"[{title}] {text} ({time.perf_counter() - start:.0f} s)"
            print(line, file=file, flush=True)
            print(line, file=sys.stderr, flush=True)

        try:
            yield say
        except Exception as error:
            traceback.print_exc(file=file)
            sys.exit(f"\n{title} failed: {error}\nThe whole trace stands in {log}\n")
        say("done")


def every(n: int, say, what: str):
    """Progress callback that speaks about every tenth of n."""

    def progress(finished: int) -> None:
        if finished == n or finished % max(1, n // 10) == 0:
            say(f"{finished} of {n} {what}")

    return progress


def save_arrays(path: str, **arrays: np.ndarray) -> None:
    """Write arrays to an .npz file, whole or not at all."""
    partial = Path(path).with_name(f".{Path(path).name}.part")
    with open(partial, "wb") as file:
        np.savez(file, **arrays)
    os.replace(partial, path)

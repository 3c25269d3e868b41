"""Copies of this checkout for the tests, one of them with a finished study."""

import fcntl
import json
import shutil
import time

import pytest
from checkout import Checkout


@pytest.fixture(scope="session")
def new_checkout(tmp_path_factory):
    """Make copies of this checkout."""
    return lambda: Checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def fresh(new_checkout):
    """A checkout in which nothing has run; tests leave no results in it."""
    return new_checkout()


@pytest.fixture(scope="session")
def finished(new_checkout, tmp_path_factory):
    """A checkout in which `make` has run to its end, with what it said and how long it took."""
    checkout = new_checkout()
    # The processes of one test run share the study: the first makes it, and each works on a copy of its own.
    base = tmp_path_factory.getbasetemp()
    kept = (base.parent if base.name.startswith("popen-") else base) / "finished"
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            start = time.monotonic()
            said = {"output": checkout.run("make", "CORES=2"), "seconds": time.monotonic() - start}
            (checkout / "said.json").write_text(json.dumps(said))
            shutil.copytree(checkout.folder, kept, symlinks=True)
        else:
            # The environment is linked already.
            shutil.copytree(kept, checkout.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".venv"))
    vars(checkout).update(json.loads((checkout / "said.json").read_text()))
    return checkout

"""
Plant a fault in a copy of the library and run tests on it.

The library is copied with the times of its files, so that Numba's cache of compiled functions stays valid: only what
stands in the changed file is compiled anew. Each fault gets a copy of its own, of hard links.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = {"consensus_embedding": "src", "replication": "workflow"}


def source(file: str) -> Path:
    """A file of our packages in the checkout."""
    return ROOT / FOLDERS[file.partition("/")[0]] / file


def located(test: str) -> str:
    """Node id with the folder of its file, whose name no other test has."""
    (path,) = (ROOT / "tests").glob(f"*/{test.partition('::')[0]}")
    return f"{path.parent.relative_to(ROOT).as_posix()}/{test}"


@dataclass(frozen=True)
class Mutation:
    """
    A planted fault: one place of the library replaced.

    Attributes
    ----------
    name : str
        What the fault is, in words.
    file : str
        Relative to the folder of the packages.
    old, new : str
        The text replaced, which stands exactly once in the file, and what takes its place.
    tests : tuple of str
        Node ids without their folder; each has to fail, of one without parameters at least one case.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """
    What a run of tests said.

    Attributes
    ----------
    code : int
        Exit code of pytest: 0 all passed, 1 some failed, else something other than a test went wrong.
    failed : dict of str to str
        Node id -> exception, of the tests that failed themselves, not before or after.
    libraries : set of str
        Folders that the packages came from.
    words : str
        What pytest wrote.
    """

    code: int
    failed: dict[str, str]
    libraries: set[str]
    words: str


def copy_library(to: Path) -> Path:
    """Copy the library, compiled functions and the times of files included."""

    def copy(source: str, target: str) -> None:
        # Other processes may be replacing compiled files meanwhile.
        if not source.endswith(".tmp"):
            try:
                shutil.copy2(source, target)
            except FileNotFoundError:
                if source.endswith(".py"):
                    raise

    for package in FOLDERS:
        shutil.copytree(source(package), to / package, copy_function=copy)
    shutil.copy2(ROOT / "pyproject.toml", to.parent)
    return to


def plant(mutation: Mutation, library: Path, to: Path) -> Path:
    """Copy a library by hard links and change one place of it."""
    for package in FOLDERS:
        shutil.copytree(library / package, to / package, copy_function=os.link)
    shutil.copy2(ROOT / "pyproject.toml", to.parent)
    file = to / mutation.file
    text = changed(mutation, file.read_text())
    # A new file: the one in place is shared with the library copied from.
    file.unlink()
    file.write_text(text)
    return to


def changed(mutation: Mutation, text: str) -> str:
    """The text of the fault's file with the fault, or a ValueError if its place is not there exactly once."""
    found = text.count(mutation.old)
    if found != 1:
        raise ValueError(
            f"{mutation.name}: expected the text to replace once in {mutation.file}, found it {found} times:\n"
            f"{mutation.old}\nThe library has moved on; mend tests/regression/mutations.py."
        )
    return text.replace(mutation.old, mutation.new)


class TestHost:
    """
    A process that has read the packages which the library needs, and runs tests in children of its own.

    Reading them takes longer than most of the tests. The library itself is read by each child anew.
    """

    __test__ = False

    def __init__(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
        environment |= {"PYTHONPATH": str(Path(__file__).parent), "PYTHONDONTWRITEBYTECODE": "1"}
        # A child of a process with threads may hang.
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "host"], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()

    def run(self, library: Path, tests: list[str], folder: Path) -> Outcome:
        """
        Run unit tests on a copy of the library.

        Parameters
        ----------
        library : Path
            Folder of the packages.
        tests : list of str
            Node ids without their folder.
        folder : Path
            For what the run writes.

        Returns
        -------
        Outcome
        """
        report, words = folder / "report.json", folder / "words.txt"
        arguments = ["-q", "--slow", "all", "-p", "no:cacheprovider", "-p", "watch", "-o", f"pythonpath={library}"]
        arguments += [located(test) for test in tests]
        print(json.dumps([arguments, str(words), str(report)]), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        seen = json.loads(report.read_text()) if report.exists() else {"failed": {}, "libraries": []}
        return Outcome(code, seen["failed"], set(seen["libraries"]), words.read_text()[-3000:])


def check_green(mutations: Sequence[Mutation], library: Path, host: TestHost, folder: Path) -> None:
    """Without a fault all tests pass, and the copy is what they run on."""
    found = host.run(library, sorted({test for mutation in mutations for test in mutation.tests}), folder)
    assert found.code == 0, found.words
    assert found.libraries == {str(library)}


def check_found(mutation: Mutation, library: Path, host: TestHost, folder: Path) -> None:
    """With the fault each of the tests fails, by an assertion and not because something else broke."""
    planted = plant(mutation, library, folder)
    found = host.run(planted, list(mutation.tests), folder)
    assert found.libraries == {str(planted)}, found.words
    failed = set(found.failed) | {test.partition("[")[0] for test in found.failed}
    missed = {located(test) for test in mutation.tests} - failed
    assert not missed, f"{mutation.name}: not found by {', '.join(sorted(missed))}; these tests are too weak."
    broken = {test: error for test, error in found.failed.items() if error not in ("AssertionError", "Failed")}
    assert not broken, f"{mutation.name}: expected failed assertions, found {broken}\n{found.words}"
    assert found.code == 1, found.words

"""Compiled loops are kept where numba can write, or in a folder that ends with the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from consensus_embedding.utils import compiled_loops


@pytest.fixture
def writable(monkeypatch, tmp_path):
    """A function that says which folders can be written to."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def only(*folders):
        allowed = {str(folder) for folder in folders}
        monkeypatch.setattr(compiled_loops.os, "access", lambda path, _: str(path) in allowed)

    return only


def test_no_folder_is_made_where_numba_has_one(writable, tmp_path, monkeypatch):
    package = Path(compiled_loops.__file__).parents[1]
    # The cache of the user need not be there yet.
    for folders in ([package], [tmp_path], [package, tmp_path]):
        writable(*folders)
        assert compiled_loops.keep_compiled_loops_somewhere() is None
    writable()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert compiled_loops.keep_compiled_loops_somewhere() is None


def test_a_home_that_cannot_be_entered_is_none_to_write_to(writable, tmp_path, monkeypatch):
    stat, home = os.stat, tmp_path / "home"

    def of_another_user(path, **options):
        if home in Path(path).parents:
            raise PermissionError
        return stat(path, **options)

    writable()
    monkeypatch.setattr(os, "stat", of_another_user)
    assert not compiled_loops._is_writable(home / ".cache")


@pytest.mark.slow
def test_the_library_runs_where_neither_its_folder_nor_a_home_can_be_written_to(tmp_path):
    script = (
        "import os, pathlib; os.access = lambda path, mode: str(path).startswith(os.environ['TMPDIR'])\n"
        "import consensus_embedding as ce\n"
        "ce.median_consensus\n"
        "folder = pathlib.Path(os.environ['NUMBA_CACHE_DIR'])\n"
        "assert folder.parent == pathlib.Path(os.environ['TMPDIR']) and folder.stat().st_mode & 0o077 == 0"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"TMPDIR": str(tmp_path), "XDG_CACHE_HOME": "/proc/none"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert not list(tmp_path.iterdir())

"""workflow/install.sh makes the library importable from any folder."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHON": sys.executable}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout after install.sh, offline: nothing to download, and pip is that of the environment of this test."""
    folder = tmp_path_factory.mktemp("checkout") / "here"
    for name in ("workflow/install.sh", *(f"src/consensus_embedding/__init__.py{kind}" for kind in ("", "i"))):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    (folder / "requirements.lock").write_text("# nothing\n")
    (folder / "workflow" / "compile_kernels.py").write_text("")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    (packages,) = (folder / ".venv" / "lib").glob("python3*/site-packages")
    (packages / "pip.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run(["sh", "workflow/install.sh"], cwd=folder, check=True, env=ENVIRONMENT)
    return folder


def imported_from(folder, where):
    """File of the library that the environment of a checkout imports in another folder."""
    code = "import consensus_embedding; print(consensus_embedding.__file__)"
    command = [folder / ".venv" / "bin" / "python", "-c", code]
    result = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return Path(result.stdout.strip())


@pytest.mark.slow
def test_the_library_is_imported_from_any_folder(checkout, tmp_path):
    assert (checkout / ".venv" / "installed").exists()
    assert imported_from(checkout, tmp_path) == checkout / "src/consensus_embedding/__init__.py"


@pytest.mark.slow
def test_a_second_installation_changes_nothing(checkout):
    (link,) = (checkout / ".venv").rglob("consensus_embedding.pth")
    before = link.read_text()
    subprocess.run(["sh", "workflow/install.sh"], cwd=checkout, check=True, env=ENVIRONMENT)
    assert link.read_text() == before


@pytest.mark.slow
def test_the_path_of_python_may_have_blanks(checkout, tmp_path):
    python = tmp_path / "a b" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    environment = {**ENVIRONMENT, "PYTHON": str(python)}
    installing = subprocess.run(
        ["sh", "workflow/install.sh"], cwd=checkout, env=environment, capture_output=True, text=True
    )
    assert installing.returncode == 0, installing.stderr


def test_a_folder_with_a_blank_is_refused_before_anything_is_made(tmp_path):
    folder = tmp_path / "my study"
    folder.mkdir()
    script = Path(__file__).parents[2] / "workflow" / "install.sh"
    installing = subprocess.run(["sh", str(script)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert installing.returncode == 1
    assert "path has no blank, found" in installing.stderr
    assert not list(folder.iterdir())


@pytest.mark.slow
def test_a_moved_checkout_imports_its_own_library(checkout, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(checkout, moved, symlinks=True)
    assert imported_from(moved, tmp_path) == moved / "src/consensus_embedding/__init__.py"

"""
The wheel of the library, alone with its base dependencies.

Installing the base dependencies anew would take a minute and a network. So the wheel goes into a fresh environment in
whose site-packages the base dependencies, and what they depend on, are links to those installed here. All other
packages are not there at all: an import of one fails as it does for a user of `pip install .`.
"""

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution, version

import pytest
from checkout import ROOT, tracked
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def with_their_dependencies(requirements):
    """Distributions that the requirements need, without extras."""
    found, ahead = {}, [Requirement(line) for line in requirements]
    while ahead:
        requirement = ahead.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(name)
        ahead += map(Requirement, found[name].requires or [])
    return found


def links(distributions, to):
    """Link the top-level files and folders of some distributions into a folder."""
    for one in distributions:
        for name in {path.parts[0] for path in one.files} - {"..", "__pycache__"}:
            if not (to / name).exists():
                (to / name).symlink_to(one.locate_file(name))


def build_options():
    """Without isolation pip needs no network, but the builder that pyproject.toml asks for."""
    (required,) = map(Requirement, PROJECT["build-system"]["requires"])
    try:
        present = Version(version(required.name)) in required.specifier
    except PackageNotFoundError:
        present = False
    return ["--no-build-isolation"] if present else []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of what git knows of the library."""
    folder = tmp_path_factory.mktemp("wheel")
    needed = ("src/", "pyproject.toml", "README.md", "LICENSE")
    for name in tracked():
        if name.startswith(needed):
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "source" / name).write_bytes((ROOT / name).read_bytes())
    command = [*PIP, "wheel", "--quiet", "--no-deps", *build_options(), "--wheel-dir", folder, folder / "source"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Python of an environment with the wheel and the base dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    links(with_their_dependencies(PROJECT["project"]["dependencies"]).values(), packages)
    command = [*PIP, "install", "--quiet", "--no-deps", "--no-index", "--target", packages, wheel]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "python"


def run(python, *arguments):
    """What a program of the environment prints; nothing of this process is passed on."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([python, "-I", *arguments], capture_output=True, text=True, env=clean)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_public_name_and_every_format(python, tmp_path):
    said = run(python, ROOT / "tests" / "workflow" / "reading.py", tmp_path).splitlines()
    *read, h5ad, parquet, plots, texture, version = said
    assert read == [".csv", ".tsv", ".npy"]
    assert h5ad == 'h5py, or pip install "consensus-embedding[anndata]".'
    assert parquet == 'pyarrow, or pip install "consensus-embedding[parquet]".'
    assert plots == 'matplotlib, or pip install "consensus-embedding[plots]".'
    assert texture == 'mahotas, or pip install "consensus-embedding[texture]".'
    assert version == PROJECT["project"]["version"]


@pytest.mark.slow
def test_the_wheel_is_the_library_its_hints_and_its_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    library = {path.removeprefix("src/") for path in tracked() if path.startswith("src/")}
    described = {name for name in names if ".dist-info/" in name}
    assert set(names) - described == library
    assert "consensus_embedding/py.typed" in library
    assert any(name.endswith("/licenses/LICENSE") for name in described)


@pytest.mark.long_study
def test_the_environment_holds_the_library_and_nothing_of_the_study(python):
    names = ["consensus_embedding", "numpy", "replication", "yaml", "matplotlib", "snakemake", "pytest"]
    code = f"import importlib.util as u, json; print(json.dumps([n for n in {names} if u.find_spec(n)]))"
    assert json.loads(run(python, "-c", code)) == ["consensus_embedding", "numpy"]

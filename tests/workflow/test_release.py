"""What a release says about itself: one version everywhere, and an extra for each package that not every user has."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import consensus_embedding
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
# Module -> the distribution that has it, where the names differ or another one brings it.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "llvmlite": "numba"}


def distributions(requirements):
    return {canonicalize_name(Requirement(line).name) for line in requirements}


CORE = distributions(PROJECT["dependencies"])
EXTRAS = {name: distributions(lines) for name, lines in PROJECT["optional-dependencies"].items()}
OF_USERS = set().union(*(EXTRAS[name] for name in EXTRAS.keys() - {"workflow", "docs", "dev"}))


@cache
def imported(path):
    """Distributions that a module asks for, wherever in it, also by a name as text."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "find_spec")):
            names = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        for name in (name.partition(".")[0] for name in names):
            if name not in sys.stdlib_module_names and name != "consensus_embedding":
                found.add(canonicalize_name(DISTRIBUTIONS.get(name, name)))
    return found


MODULES = list((ROOT / "src").rglob("*.py"))


def test_the_version_is_one():
    version = PROJECT["version"]
    assert consensus_embedding.__version__ == str(CITATION["version"]) == version
    first = re.search(r"^## \[(.+)\] - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first.groups() == (version, str(CITATION["date-released"]))


def test_who_made_what_is_one():
    authors = [author["name"] for author in PROJECT["authors"]]
    assert [author["name"] for author in CITATION["authors"]] == authors
    assert CITATION["title"].startswith(f"{PROJECT['name']}: ")
    assert CITATION["license"] == PROJECT["license"]
    assert json.loads((ROOT / ".zenodo.json").read_text()) == {
        "title": CITATION["title"],
        "upload_type": "software",
        "license": CITATION["license"],
        "creators": [{"name": name} for name in authors],
        "description": PROJECT["description"],
        "keywords": PROJECT["keywords"],
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_what_the_library_imports_is_a_dependency_or_in_an_extra_for_users(path):
    assert imported(path) <= CORE | OF_USERS


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_an_example_needs_the_library_and_its_extra_for_examples(path):
    """Scanpy brings seaborn; matplotlib comes by an extra that this one names."""
    assert imported(path) <= CORE | EXTRAS["examples"] | EXTRAS["plots"] | {"seaborn"}


def test_every_dependency_of_the_library_is_imported_and_none_is_in_an_extra_too():
    assert set().union(*map(imported, MODULES)) >= CORE
    assert not CORE & OF_USERS


def test_the_extras_that_messages_name_are_extras():
    calls = [
        node
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "missing_package"
    ]
    assert calls
    for call in calls:
        _, package, extra = call.args
        assert canonicalize_name(package.value) in EXTRAS[extra.value]


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_and_name_their_version(path):
    used = re.findall(r"uses: (.+)", path.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+(\.\d+)*", action)


def test_the_pythons_that_a_release_is_tried_on_are_those_that_it_names():
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert release["jobs"]["test"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_links_of_the_readme_lead_somewhere_on_a_package_index_too(tmp_path):
    """Pictures come from the files of the commit, all else from the pages that a code host shows."""
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    (change,) = [step["run"] for step in release["jobs"]["build"]["steps"] if "sed" in step.get("run", "")]
    before = (ROOT / "README.md").read_text()
    (tmp_path / "README.md").write_text(before)
    host = {"GITHUB_SERVER_URL": "https://host", "GITHUB_REPOSITORY": "us/it", "GITHUB_SHA": "abc"}
    subprocess.run(["bash", "-ec", change], cwd=tmp_path, env={**os.environ, **host}, check=True)
    after = (tmp_path / "README.md").read_text()
    links = {kind: re.findall(rf"{kind}\]\(([^)\s]+)", after) for kind in (r"!\[[^\]]*", r"(?<!!)\[[^\]]*")}
    pictures, pages = links.values()
    assert pictures
    assert all(link.startswith("https://host/us/it/raw/abc/") for link in pictures)
    assert all(re.match(r"https?://|#|mailto:", link) for link in pages)
    for link in re.findall(r"https://host/us/it/(?:raw|blob)/abc/([^)#]+)", after):
        assert (ROOT / link).exists(), link

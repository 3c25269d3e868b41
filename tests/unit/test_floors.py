"""
Each package imports from its own floor and the floors below, and no paper from another paper.

library < platform < datasets < shared < own_data < papers < ledger < scripts
"""

import ast
import shutil
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
LIBRARY, STUDY = "consensus_embedding", "replication"
FLOORS = ["library", "platform", "datasets", "shared", "own_data", "papers", "ledger", "scripts"]


def floor_of(module):
    """Floor of a dotted name, and the paper that it belongs to; None for the top of the study."""
    first, *inside = module.split(".")
    if first == LIBRARY:
        return "library", None
    if first != STUDY:
        return "scripts", None
    if not inside:
        return None, None
    assert inside[0] in FLOORS[1:-1], f"{module}: expected a package of {FLOORS[1:-1]}, found {inside[0]}"
    return inside[0], inside[1] if inside[0] == "papers" and len(inside) > 1 else None


def imported(path, module):
    """Dotted names that a file imports, also inside functions and by `import_module`, each with its line."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = parents[: len(parents) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            # A name may be a module of the package that it is imported from.
            yield from ((f"{source}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__"):
                yield str(node.args[0].value), node.lineno


def wrong_imports(scripts):
    """Imports that run upwards or from one paper to another, in words."""
    ours = {LIBRARY, STUDY, *(path.stem for path in scripts.glob("*.py"))}
    papers = {path.name for path in (scripts / STUDY / "papers").iterdir() if path.is_dir()}
    found = []
    for path in sorted([*(scripts / LIBRARY).rglob("*.py"), *(scripts / STUDY).rglob("*.py")]):
        module = ".".join(path.relative_to(scripts).with_suffix("").parts).removesuffix(".__init__")
        floor, paper = floor_of(module)
        if floor is None:
            floor = FLOORS[0]
        for name, line in imported(path, module):
            if name.partition(".")[0] not in ours:
                continue
            other, other_paper = floor_of(name)
            where = f"{path.relative_to(scripts)}:{line} imports {name}"
            if other is not None and FLOORS.index(other) > FLOORS.index(floor):
                found.append(f"{where}: from {floor} up to {other}")
            elif paper and other_paper in papers - {paper}:
                found.append(f"{where}: from {paper} to {other_paper}")
    return found


@pytest.mark.slow
def test_no_import_runs_upwards_or_from_paper_to_paper():
    assert wrong_imports(SCRIPTS) == []


@pytest.fixture
def planted(tmp_path):
    """A function that plants a line in a module of a copy, and returns the wrong imports of the copy."""

    def plant(module, line):
        scripts = tmp_path / "scripts"
        shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
        path = scripts / module
        path.write_text(f"{path.read_text()}\n\n{line}\n")
        return wrong_imports(scripts)

    return plant


SEEDS = "consensus_embedding/utils/seeds.py"
ROLL = "replication/papers/sparks2011/swiss_roll.py"
STATISTICS = "replication/shared/statistics.py"


@pytest.mark.parametrize(
    ("module", "line", "words"),
    [
        (SEEDS, "from replication.shared.tidy import read_table", "from library up to shared"),
        (SEEDS, "import replication.platform.trail", "from library up to platform"),
        (SEEDS, "import print_plan", "from library up to scripts"),
        (ROLL, "from replication.papers.tiwari2008 import spectra_values", "from sparks2011 to tiwari2008"),
        (ROLL, "from replication.papers import tiwari2008", "from sparks2011 to tiwari2008"),
        (ROLL, "from ..tiwari2008.spectra_values import METHODS", "from sparks2011 to tiwari2008"),
        (STATISTICS, "def f():\n    from replication.ledger.claims import KINDS\n", "from shared up to ledger"),
        (STATISTICS, "import_module('replication.papers.tomo2025.pools')", "from shared up to papers"),
        (STATISTICS, "from replication import ledger", "from shared up to ledger"),
    ],
)
@pytest.mark.slow
def test_a_planted_import_is_named(planted, module, line, words):
    (found,) = planted(module, line)
    assert found.startswith(f"{module}:")
    assert found.endswith(words)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "line"),
    [
        (ROLL, "from replication.papers.sparks2011 import retrieval_sets"),
        (ROLL, "from . import retrieval_sets"),
        (STATISTICS, "from consensus_embedding import median_consensus"),
        ("replication/ledger/claims.py", "from replication.papers import sparks2011"),
    ],
)
def test_an_import_that_is_allowed_is_not_named(planted, module, line):
    assert planted(module, line) == []


def test_modules_lie_in_packages():
    assert len(list((SCRIPTS / LIBRARY).glob("*.py"))) <= 3
    assert [path.name for path in (SCRIPTS / STUDY).glob("*.py")] == ["__init__.py"]

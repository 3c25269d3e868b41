"""Papers declare what they have, and the ledger finds them without a list."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import replication.papers
from replication.ledger import papers
from replication.ledger.universe_families import FAMILIES, universe_module
from replication.shared.kinds import SHARED_KINDS

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
DECLARATION = """
from replication.platform.declarations import Family, Kind, Paper

PAPER = Paper(
    title="Nobody 2030",
    position={position},
    experiments=("guesses",),
    kinds={{"guess": Kind("order")}},
    judges=("guess_judges.JUDGES",),
    findings=(),
    families={{"guesses": Family(sections=("guesses",), position=99)}},
)
"""


@pytest.fixture
def another_paper(tmp_path, monkeypatch):
    """A function that adds a package to those of the papers and looks for papers again."""

    def add(position, judges):
        folder = tmp_path / "nobody2030"
        folder.mkdir()
        (folder / "__init__.py").write_text(DECLARATION.format(position=position))
        (folder / "guess_judges.py").write_text(f"JUDGES = {judges}\n")
        monkeypatch.setattr(papers, "PAPERS", papers._found())

    monkeypatch.setattr(replication.papers, "__path__", [*replication.papers.__path__, str(tmp_path)])
    yield add
    for name in [name for name in sys.modules if name.startswith("replication.papers.nobody2030")]:
        del sys.modules[name]
    vars(replication.papers).pop("nobody2030", None)


def test_a_package_that_declares_a_paper_is_found(another_paper):
    before = list(papers.PAPERS)
    another_paper(0, {"guess": 1})
    assert list(papers.PAPERS) == ["nobody2030", *before]
    assert papers.judges()["guess"] == 1
    assert "replication/papers/nobody2030/guess_judges" in papers.modules_of("judges")
    assert "replication/papers/nobody2030/__init__" in papers.declarations()


def test_two_papers_with_judges_of_one_name_are_refused(another_paper):
    another_paper(9, {"falls": 1})
    with pytest.raises(ValueError, match=r"nobody2030\.guess_judges\.JUDGES: falls is declared by another paper"):
        papers.judges()


@pytest.mark.parametrize("name", papers.PAPERS)
def test_a_paper_has_what_it_declares(name):
    paper = papers.PAPERS[name]
    folder = SCRIPTS / "replication" / "papers" / name
    assert all((folder / f"{experiment}.py").is_file() for experiment in paper.experiments)
    judged = [kind for module, table in papers._named("judges") if f".{name}." in module
              for kind in getattr(import_module(module), table)]  # fmt: skip
    assert sorted(judged) == sorted(paper.kinds)
    assert not set(judged) & set(SHARED_KINDS)
    found = [experiment for module, table in papers._named("findings") if f".{name}." in module
             for experiment in getattr(import_module(module), table)]  # fmt: skip
    assert set(found) <= set(paper.experiments)
    for family in paper.families:
        assert FAMILIES[family] is paper.families[family]
        assert (SCRIPTS / f"{universe_module(family)}.py").is_file()


def test_an_experiment_belongs_to_one_paper():
    declared = [experiment for paper in papers.PAPERS.values() for experiment in paper.experiments]
    assert len(set(declared)) == len(declared)
    assert set(papers.EXPERIMENTS) == {*declared, "multiverse"}


def test_declarations_are_light():
    """The rules read them each time that Snakemake starts, and every job imports those of its paper."""
    code = f"""
import subprocess
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
import replication.ledger.checks, replication.ledger.universe_families
print(sorted({{"numpy", "pandas", "scipy", "sklearn", "matplotlib", "numba"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

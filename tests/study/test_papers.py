"""Papers declare what they have, and the ledger finds them without a list."""

import subprocess
import sys
from importlib import import_module, util
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
import replication.papers
from replication.catalogue import experiments, papers
from replication.multiverse.universe_families import FAMILIES, universe_module
from replication.platform.configuration import read_yaml
from replication.shared.presenting import call, read_results

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "workflow"
DECLARATION = """
from replication.platform.declarations import Family, Paper

PAPER = Paper(
    title="Nobody 2030",
    short_title="Nobody 2030",
    position={position},
    ledger_position={position},
    families={{"guesses": Family(experiments=(), sections=("guesses",), position=99)}},
)
"""

EXPERIMENT = """
from replication.platform.declarations import Experiment

EXPERIMENT = Experiment("guesses", title="Guesses", text="How good are guesses?")
"""
# What the rules give beside files, see SETTINGS in workflow/rules.
SETTINGS = {
    "brain_grid": ["combinations"],
    "mce_convergence": ["n_samples", "reference_runs", "claims", "normalize"],
    "mce_tail": ["normalize"],
    "consensus_comparison": ["normalize"],
    "multiverse": ["seed", "claims"],
}


@pytest.fixture
def another_paper(tmp_path, monkeypatch):
    """A function that adds a package to those of the papers and looks for papers again."""

    def add(position, judges):
        folder = tmp_path / "nobody2030"
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "paper.py").write_text(DECLARATION.format(position=position))
        (folder / "judges.py").write_text(f"JUDGES = {judges}\n")
        (folder / "experiments").mkdir()
        (folder / "experiments" / "__init__.py").write_text("")
        (folder / "experiments" / "guesses.py").write_text(EXPERIMENT)
        monkeypatch.setattr(papers, "PAPERS", papers._import_papers())
        monkeypatch.setattr(experiments, "PAPERS", papers.PAPERS)

    monkeypatch.setattr(replication.papers, "__path__", [*replication.papers.__path__, str(tmp_path)])
    yield add
    for name in [name for name in sys.modules if name.startswith("replication.papers.nobody2030")]:
        del sys.modules[name]
    vars(replication.papers).pop("nobody2030", None)


def test_a_package_that_declares_a_paper_is_found(another_paper):
    before = list(papers.PAPERS)
    another_paper(0, {"guess": 1})
    assert list(papers.PAPERS) == ["nobody2030", *before]
    assert papers.declared_by("judges", "JUDGES")["guess"] == 1
    assert "replication.papers.nobody2030.judges" in papers.modules_of("judges")
    assert "replication.papers.nobody2030.paper" in papers.declarations()


def test_two_papers_with_judges_of_one_name_are_refused(another_paper):
    another_paper(9, {"compare/steps": 1})
    with pytest.raises(ValueError, match=r"JUDGES: compare/steps is declared by another paper"):
        papers.declared_by("judges", "JUDGES")


@pytest.mark.parametrize("name", papers.PAPERS)
def test_a_paper_has_what_it_declares(name):
    paper = papers.PAPERS[name]
    for family in paper.families:
        assert FAMILIES[family] is paper.families[family]
        assert util.find_spec(universe_module(family))


def test_an_experiment_of_two_papers_is_refused(another_paper, tmp_path):
    another_paper(9, {"guess": 1})
    assert "guesses" in experiments._declared()
    (tmp_path / "nobody2030/experiments/mce_tail.py").write_text(EXPERIMENT.replace("guesses", "mce_tail"))
    with pytest.raises(ValueError, match=r"nobody2030 and tomo2025 both declare the experiment mce_tail; rename one"):
        experiments._declared()


@pytest.mark.parametrize("name", experiments.EXPERIMENTS)
def test_an_experiment_has_the_functions_that_it_declares(name):
    declared, (tables, figures) = experiments.EXPERIMENTS[name], experiments.functions(name)
    given = {"metrics", *declared.reads, *(f"{table}_table" for table in tables), *SETTINGS.get(name, ())}
    for function in [*tables.values(), *figures.values()]:
        module, _, called = function.rpartition(".")
        asked = signature(getattr(import_module(module), called)).parameters
        assert {one for one, about in asked.items() if about.default is about.empty} <= given
    if declared.own:
        assert {*declared.own.captions, *declared.own.left_out} <= declared.figures.keys()


def test_the_experiments_of_the_own_configurations_say_what_their_page_says():
    files = (ROOT / "config").glob("own_*.yaml")
    named = {name for path in files for name in read_yaml(path).get("experiments", [])}
    assert len(named) > 1
    assert [name for name in named if not experiments.EXPERIMENTS[name].own] == []


def test_a_function_that_asks_for_what_is_not_there_is_named():
    with pytest.raises(TypeError, match=r"mce_tables\.convergence_table asks for claims, but metrics, picks are given"):
        call("replication.papers.tomo2025.mce_tables.convergence_table", {"metrics": None, "picks": None})


def test_results_are_read_by_their_kind(tmp_path):
    for name, value in (("a_maps", 1), ("b_maps", 2)):
        np.savez(tmp_path / f"{name}.npz", x=np.array([value]))
        (tmp_path / f"{name}.tsv").write_text(f"id\tvalue\n{name}\t{value}\n")
    found = read_results(
        {
            "maps": [str(tmp_path / "a_maps.npz"), str(tmp_path / "b_maps.npz")],
            "pictures": str(tmp_path / "a_maps.npz"),
            "metrics": str(tmp_path / "a_maps.tsv"),
            "claims": [str(tmp_path / "a_maps.tsv"), str(tmp_path / "b_maps.tsv")],
        }
    )
    assert {name: one["x"].item() for name, one in found["maps"].items()} == {"a": 1, "b": 2}
    assert found["pictures"]["x"].item() == 1
    assert found["metrics"]["value"].tolist() == [1]
    assert found["claims"]["id"].tolist() == ["a_maps", "b_maps"]


def test_declarations_are_light():
    """The rules read them each time that Snakemake starts, and every job imports those of its paper."""
    code = f"""
import subprocess
import sys
sys.path[:0] = {[str(ROOT / "src"), str(WORKFLOW)]!r}
import replication.catalogue.configuration, replication.multiverse.universe_families
print(sorted({{"numpy", "pandas", "scipy", "sklearn", "matplotlib", "numba"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

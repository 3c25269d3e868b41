"""
The experiments of the study: those in the package ``experiments`` of a paper, and those of all papers.

Light, since the rules read it too. It is code behind no step, and of a declaration what is shown is none either
(`provenance.hash_for_step`), so that a new caption computes nothing again.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from replication.catalogue.papers import PAPERS
from replication.platform.declarations import Experiment

# Packages with an experiment of all papers -> where it is in Snakemake's report.
_OF_ALL_PAPERS = {"arena": "Arena", "multiverse": "Sensitivity"}


def _declared() -> dict[str, tuple[str, Experiment]]:
    declared: dict[str, tuple[str, Experiment]] = {}
    for paper in PAPERS:
        package = f"replication.papers.{paper}"
        for experiment in _experiments_of(package):
            if experiment.name in declared:
                other = declared[experiment.name][0].rpartition(".")[2]
                raise ValueError(f"{paper} and {other} both declare the experiment {experiment.name}; rename one.")
            declared[experiment.name] = (package, experiment)
    for name in _OF_ALL_PAPERS:
        package = f"replication.{name}"
        experiment = import_module(f"{package}.experiment").EXPERIMENT
        declared[experiment.name] = (package, experiment)
    return declared


def _experiments_of(package: str) -> list[Experiment]:
    """The experiments of a paper, each in a module of its name, by their positions."""
    folder = import_module(f"{package}.experiments")
    modules = [import_module(f"{folder.__name__}.{module.name}") for module in iter_modules(folder.__path__)]
    return sorted((module.EXPERIMENT for module in modules), key=lambda experiment: experiment.position)


_FOUND = _declared()
EXPERIMENTS: dict[str, Experiment] = {name: experiment for name, (_, experiment) in _FOUND.items()}
# Experiment -> the package with the functions behind its tables and figures.
PACKAGE_OF: dict[str, str] = {name: package for name, (package, _) in _FOUND.items()}
# Experiment -> its paper; empty for those of all papers.
PAPER_OF: dict[str, str] = {
    name: package.rpartition(".")[2] if package.startswith("replication.papers.") else ""
    for name, package in PACKAGE_OF.items()
}


def functions(name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The functions behind the tables and behind the figures of an experiment."""
    experiment, package = EXPERIMENTS[name], PACKAGE_OF[name]
    tables = {table: f"{package}.{function}" for table, function in experiment.tables.items()}
    return tables, {figure: f"{package}.{declared.function}" for figure, declared in experiment.figures.items()}


def adding_function(name: str) -> str:
    """The function that scores an added method in an experiment, as "package.module.function"."""
    return f"{PACKAGE_OF[name]}.{EXPERIMENTS[name].added}"


def own_methods() -> list[str]:
    """What metrics, tables and figures call the project's own methods, in the experiments that take added ones."""
    methods: list[str] = []
    for name, experiment in EXPERIMENTS.items():
        if experiment.method_names:
            module, _, names = experiment.method_names.rpartition(".")
            for method, shown in getattr(import_module(f"{PACKAGE_OF[name]}.{module}"), names).items():
                methods += [method, shown]
    return list(dict.fromkeys(methods))


def presenting_modules(name: str) -> list[str]:
    """Modules of the functions of an experiment, as `code_behind` takes them."""
    tables, figures = functions(name)
    return sorted({function.rpartition(".")[0] for function in [*tables.values(), *figures.values()]})


def declaration(name: str) -> str:
    """Module in which an experiment is declared."""
    return f"{PACKAGE_OF[name]}.experiments.{name}" if PAPER_OF[name] else f"{PACKAGE_OF[name]}.experiment"


def declarations() -> list[str]:
    """Modules in which the experiments are declared, as `code_behind` takes them."""
    return [declaration(name) for name in EXPERIMENTS]


def category(name: str) -> str:
    """Where an experiment is in Snakemake's report: its paper, or what those of all papers are about."""
    return PAPERS[PAPER_OF[name]].short_title if PAPER_OF[name] else _OF_ALL_PAPERS[PACKAGE_OF[name].rpartition(".")[2]]

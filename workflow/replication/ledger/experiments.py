"""
The experiments of the study, found in `replication.papers`: ``EXPERIMENTS`` in the module ``experiments`` of a paper.

Light, since the rules read it too. No job that computes numbers imports it, so that a new caption reruns none.
"""

from __future__ import annotations

from importlib import import_module

from replication.ledger.papers import PAPERS
from replication.platform.declarations import Experiment, Figure

# Of all papers.
MULTIVERSE = Experiment(
    "multiverse",
    title="Claims under other choices",
    text=(
        "One claim under many choices. For each family of experiments, universes draw a level of every detail "
        "that its paper leaves open and that has levels in choices.tsv; universe 0 has every default, the "
        "others are a Latin hypercube, so that each level of a choice is about as frequent as any other, or "
        "all combinations where these are few. A universe runs the family's experiments at a reduced size, "
        "from the same seed, and its claims are judged by the rules of the ledger.\n\n"
        "A claim holds in a universe if its verdict there is reproduced, or holds on the substitute. Its "
        "score is the mean over its parts: 1 if a part is reproduced, 0.5 if mixed or in part, else 0. Which choice "
        "moves a claim is measured by the share of the variance of its score that goes with the levels of the "
        "choice (omega squared, one choice at a time); p by permutation, with Holm's correction over the "
        "choices of a claim.\n\n"
        "Verdicts on reduced data are not those of the study, which are in the ledger: what counts here is "
        "whether they change with the choices. A share of universes is not the probability that a claim is true, "
        "since levels are weighted alike however plausible they are."
    ),
    reads=("choices",),
    tables={
        "variance": "sensitivity.variance",
        "sensitivity": "sensitivity.sensitivity",
        "universes": "sensitivity.universes",
    },
    figures={
        "holds": Figure(
            "sensitivity_figures.draw_holds",
            (
                "Share of the universes in which each claim holds, with its 95 % interval (Wilson), by family "
                "of experiments on reduced data. The upright mark is the universe of defaults: at 1 the claim "
                "holds there, at 0 it does not."
            ),
        ),
        "variance": Figure(
            "sensitivity_figures.draw_variance",
            (
                "Which choice moves which claim: share of the variance of a claim's score over the universes "
                "that goes with the levels of a choice (omega squared, at least 0). A star: p < 0.05 by "
                "permutation, with Holm's correction over the choices of the claim. The columns name the choices by "
                "the settings that they change; (+1): one more setting. Claims whose score is the same in all "
                "universes are left out."
            ),
        ),
        "curve": Figure(
            "sensitivity_figures.draw_curve",
            (
                "Specification curve of each family: universes in the order of their score, mean over the "
                "claims that were judged; below, the level that each choice has in the universe above it. A "
                "choice whose colours sort along the axis moves the claims; the diamond is the universe of "
                "defaults."
            ),
        ),
    },
)

ARENA = Experiment(
    "consensus_arena",
    title="Which consensus for what",
    text=(
        "The same embeddings combined in many ways: by the methods of the papers, by their rivals, and by taking a "
        "single run. Which way gives a result that stays the same with other runs, which keeps neighbours and "
        "distances of the data, which keeps classes apart, and what does it cost?\n\n"
        "The rule was written down before the experiment was run (docs/arena.md). Ranks of the methods over the data "
        "sets are compared by Friedman's test, with Holm's correction over the aims, and by the critical difference "
        "of Nemenyi. Nothing is recommended that is not shown to be better than a random single run. No claim of a "
        "paper is judged by it. A method that you add is in the tables and the figure; the sentences leave it out."
    ),
    tables={
        "advice": "arena_reports.advice",
        "ranks": "arena_reports.ranks",
        "scores": "arena_reports.scores",
        "kinds": "arena_reports.kinds",
    },
    figures={
        "critical_difference": Figure(
            "arena_figures.draw_critical_difference",
            (
                "Mean rank of each method over the data sets, for each aim, with its 95 % bootstrap interval over the "
                "data sets. Grey band: up to the critical difference of Nemenyi (5 %) behind the best; filled points "
                "in it are not shown to be worse than the best. Where no difference is shown, no point is filled. "
                "Orange: a random single run, which a recommended method has to beat."
            ),
        ),
    },
    added="consensus_arena.score_added",
    method_names="arena_names.METHOD_NAMES",
)
# Experiments of all papers -> where they are in Snakemake's report.
_OF_ALL_PAPERS = {MULTIVERSE.name: "Sensitivity", ARENA.name: "Arena"}


def _declared() -> dict[str, tuple[str, Experiment]]:
    found: dict[str, tuple[str, Experiment]] = {}
    for paper in PAPERS:
        package = f"replication.papers.{paper}.experiments"
        for name in import_module(package).EXPERIMENTS:
            if name in found:
                raise ValueError(f"{paper} and {found[name][0]} both declare the experiment {name}; rename one.")
            found[name] = (paper, import_module(f"{package}.{name}").EXPERIMENT)
    return {**found, **{one.name: ("", one) for one in (ARENA, MULTIVERSE)}}


_FOUND = _declared()
EXPERIMENTS: dict[str, Experiment] = {name: experiment for name, (_, experiment) in _FOUND.items()}
# Experiment -> the package of its paper; empty for those of all papers.
PAPER_OF: dict[str, str] = {name: paper for name, (paper, _) in _FOUND.items()}


def package_of(name: str) -> str:
    """Package with the functions behind the tables and figures of an experiment."""
    return f"replication.papers.{PAPER_OF[name]}" if PAPER_OF[name] else "replication.ledger"


def functions(name: str) -> tuple[dict[str, str], dict[str, str]]:
    """
    The functions behind the tables and behind the figures of an experiment.

    Parameters
    ----------
    name : str
        Of the experiment.

    Returns
    -------
    tuple of dict
        Table -> function and figure -> function, both as "package.module.function".
    """
    one, package = EXPERIMENTS[name], package_of(name)
    tables = {table: f"{package}.{function}" for table, function in one.tables.items()}
    return tables, {figure: f"{package}.{drawn.function}" for figure, drawn in one.figures.items()}


def adding_function(name: str) -> str:
    """The function that scores an added method in an experiment, as "package.module.function"."""
    return f"{package_of(name)}.{EXPERIMENTS[name].added}"


def adding_module(name: str) -> str:
    """Module of the function that scores an added method in an experiment, as `code_behind` takes it."""
    return adding_function(name).rpartition(".")[0]


def own_methods() -> list[str]:
    """What metrics, tables and figures call the project's own methods, in the experiments that take added ones."""
    found: list[str] = []
    for name, experiment in EXPERIMENTS.items():
        if experiment.method_names:
            module, _, names = experiment.method_names.rpartition(".")
            for method, shown in getattr(import_module(f"{package_of(name)}.{module}"), names).items():
                found += [method, shown]
    return list(dict.fromkeys(found))


def presenting_modules(name: str) -> list[str]:
    """Modules of the functions of an experiment, as `code_behind` takes them."""
    tables, figures = functions(name)
    return sorted({function.rpartition(".")[0] for function in [*tables.values(), *figures.values()]})


def declarations() -> list[str]:
    """Modules in which the papers declare their experiments, as `code_behind` takes them."""
    return [f"replication.papers.{paper}.experiments.{name}" for name, paper in PAPER_OF.items() if paper]


def category(name: str) -> str:
    """Where an experiment is in Snakemake's report: its paper, or what those of all papers are about."""
    return PAPERS[PAPER_OF[name]].short_title if PAPER_OF[name] else _OF_ALL_PAPERS[name]

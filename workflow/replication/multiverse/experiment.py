"""The claims of all papers under other choices of what the papers leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.multiverse.judging import judge
from replication.multiverse.running import run_universes
from replication.multiverse.universe_families import FAMILIES, reduced_config, universe_module
from replication.platform.configuration import merge
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Settings
from replication.platform.steps import Files, Seconds, Step
from replication.platform.study import Study, chunks


def _chunks(study: Study) -> list[str]:
    """Universe 0, with every default, and the others."""
    return chunks(study["multiverse"]["n_universes"] + 1, study["multiverse"]["per_job"])


def _claims(study: Study) -> list[Any]:
    """The claims that are judged in universes: a change of other claims or experiments does not judge them again."""
    return study.claims_of({name for family in FAMILIES.values() for name in family.experiments})


def _reads(study: Study, wildcards: Any) -> Files:
    reduced = Study({**study.config, **reduced_config(study.config, wildcards.family)})
    return {
        **FAMILIES[wildcards.family].files(reduced),
        "choices": "config/choices.tsv",
    }


UNIVERSES = Step(
    name="run_universes",
    title="multiverse, {family} {start}-{stop}",
    run=run_universes,
    does="Universes {wildcards.start} to {wildcards.stop} of {wildcards.family}",
    reads=_reads,
    makes={"universes": "multiverse/parts/{family}_{start}-{stop}.json.gz"},
    # The sections that a family reads, at the reduced size: a change elsewhere does not run it again.
    settings=lambda study, wildcards: {
        "base": reduced_config(study.config, wildcards.family),
        "n_universes": study["multiverse"]["n_universes"],
    },
    wildcards={"family": list(FAMILIES), "start": r"\d+", "stop": r"\d+"},
    behind=lambda study, wildcards: [universe_module(wildcards.family)],
    minutes=60,
    takes=lambda _, at: FAMILIES[at.family].takes,
)
JUDGING = Step(
    name="run_multiverse",
    run=judge,
    does="Judge the claims in the universes of all families",
    reads=lambda study, _: {
        "parts": [f"multiverse/parts/{family}_{chunk}.json.gz" for family in FAMILIES for chunk in _chunks(study)]
    },
    makes={"metrics": "multiverse/metrics.tsv"},
    settings=lambda study, _: {
        "families": [family for family in FAMILIES for _ in _chunks(study)],
        "claims": _claims(study),
    },
    threads="workers",
    minutes=20,
    takes=Seconds(3, 2.5, "multiverse.n_universes"),
)


class Multiverse(Settings):
    """
    Each claim under many choices.

    A universe draws a level of every open detail that has levels in choices.tsv, runs a family of experiments at a
    reduced size, and judges its claims.
    """

    n_universes: Count = Field(
        64,
        description=(
            "universes of a family in addition to the default one: all combinations where there are no more, else a "
            "Latin hypercube"
        ),
    )
    per_job: Count = Field(22, description="universes in one job")
    reduced: Mapping[str, Mapping[str, Mapping[str, Any]]] = Field(
        {name: family.reduced for name, family in FAMILIES.items()},
        description=(
            "per family, what replaces keys of the configuration, to make its experiments small; the papers declare it "
            "with their families"
        ),
    )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """What does not fit at the reduced size of a family, and what the families need as these experiments do."""
    # They collect this declaration too.
    from replication.catalogue.configuration import SECTIONS, section_problems
    from replication.catalogue.experiments import EXPERIMENTS

    for name in (name for family in FAMILIES.values() for name in family.needs):
        yield from EXPERIMENTS[name].check(config)
    for family, changes in config["multiverse"]["reduced"].items():
        where = f"multiverse.reduced.{family}"
        unknown = [name for name in changes if name not in SECTIONS]
        yield from (f"{where}.{name}: unknown section; known are those of the configuration" for name in unknown)
        if family not in FAMILIES:
            yield f"{where}: unknown key; known here: {', '.join(FAMILIES)}"
        elif not unknown:
            yield from (f"{where}, as {line}" for line in section_problems(merge(config, changes), changes))


EXPERIMENT = Experiment(
    "multiverse",
    settings=Multiverse,
    check=check,
    title="Claims under other choices",
    text=(
        "One claim under many choices. For each family of experiments, universes draw a level of every detail "
        "that its paper leaves open and that has levels in choices.tsv; universe 0 has every default, the "
        "others are a Latin hypercube, so that each level of a choice is about as frequent as any other, or "
        "all combinations where these are few. A universe runs the family's experiments at a reduced size, "
        "from the same seed, and its claims are judged by the rules of the ledger.\n\n"
        "A claim holds in a universe if its verdict there is reproduced, holds on the substitute, or is trivially "
        "true; a claim about a sign alone, if it has it. Its score is the mean over its parts: 1 if a part is "
        "reproduced, 0.5 if mixed or in part, else 0. Which choice moves a claim is measured by the share of the "
        "variance of its score that goes with the levels of the choice (omega squared, one choice at a time); p by "
        "permutation, with Holm's correction over the choices of a claim.\n\n"
        "Verdicts on reduced data are not those of the study, which are in the ledger: what counts here is whether "
        "they change with the choices. A share of universes is not the probability that a claim is true, since levels "
        "are weighted alike however plausible they are."
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
                "holds there, at 0 it does not; without a mark it is not judged there."
            ),
        ),
        "variance": Figure(
            "sensitivity_figures.draw_variance",
            (
                "Which choice moves which claim: share of the variance of a claim's score over the universes "
                "that goes with the levels of a choice (omega squared, at least 0). Dots are the claims named at the "
                "right, p < 0.05 by permutation, with Holm's correction over the choices of the claim; upright marks "
                "are the other claims. Choices that move no claim are left out."
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
    given=lambda study: {"seed": study["seed"], "claims": _claims(study)},
    present_seconds=11.9,
    steps=(UNIVERSES, JUDGING),
)

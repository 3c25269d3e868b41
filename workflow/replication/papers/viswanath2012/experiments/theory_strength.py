"""Strength of the consensus."""

from typing import Annotated, Literal

from annotated_types import Ge, Len
from pydantic import Field

from replication.papers.viswanath2012.settings import Threshold
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Inner, Integer, Rising, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class StrengthStudy(Settings):
    """Proposition 1 and Lemma 1 on simulated embeddings."""

    n_objects: Annotated[Integer, Ge(5)] = Field(50, description="simulated samples")
    n_components: Count = Field(3, description="dimensions of the embeddings")
    n_embeddings: Annotated[Rising[Count], Len(3)] = Field(
        (1, 2, 5, 10, 20, 50, 100), description="numbers K of embeddings combined"
    )
    levels: Distinct[Inner] = Field(
        (0.3, 0.333333333, 0.4, 0.5, 0.7, 0.8), description="strengths of an embedding; a third is chance"
    )
    theta: Threshold = Field(0.6, description="separates weak from strong embeddings")
    errors: Distinct[Literal["independent", "unequal", "shared"]] = Field(
        ("independent", "unequal", "shared"),
        description=(
            "errors of the embeddings: independent and of one size, of unequal size, or with a component that all share"
        ),
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(15, description="draws of each")


def run(job: Job) -> Results:
    """Run the experiment."""
    from replication.papers.viswanath2012 import theory_strength

    parameters = job.section("theory_strength", StrengthStudy)
    return {"metrics": theory_strength.run(parameters, job)}


EXPERIMENT = Experiment(
    "theory_strength",
    position=11,
    settings=StrengthStudy,
    title="Strength of the consensus",
    text=(
        "Proposition 1 and Lemma 1 of Viswanath and Madabhushi 2012: does the strength of the consensus tend "
        "to 1 as strong, independent embeddings are added, and stay low if they are weak?"
    ),
    tables={"strength": "theory_tables.strength_table"},
    figures={
        "strength": Figure(
            "theory_figures.draw_strength",
            (
                "Strength of the consensus against the number of embeddings combined, for embeddings of "
                "several strengths and kinds of error."
            ),
        ),
    },
    steps=(
        Step(
            name="run_theory_strength",
            run=run,
            does="Strength of the consensus against the number of embeddings",
            makes={"metrics": "theory_strength/metrics.tsv"},
            settings=("theory_strength",),
            takes=Seconds(1.2, 0.17, "theory_strength.levels*theory_strength.errors*theory_strength.repetitions"),
        ),
    ),
)

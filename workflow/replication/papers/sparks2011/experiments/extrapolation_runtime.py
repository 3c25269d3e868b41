"""Run time of extrapolation."""

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field

from replication.papers.sparks2011.settings import TimedRoll
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class ExtrapolationRuntime(Settings):
    """Run time of extrapolating a sample and of recomputing the embedding, on Swiss rolls."""

    n_samples: Distinct[Annotated[Integer, Ge(100), Le(10_000)]] = Field(
        (500, 1000, 2000, 5000, 10000), description="sizes of the rolls"
    )
    repetitions: Count = Field(3, description="timings of each")


def run(job: Job) -> Results:
    """Time the extrapolation of a new sample, and the embedding computed again."""
    from replication.papers.sparks2011 import extrapolation_runtime

    roll = job.section("swiss_roll", TimedRoll)
    parameters = job.settings["extrapolation_runtime"]
    return {"metrics": extrapolation_runtime.run(parameters, roll, job)}


EXPERIMENT = Experiment(
    "extrapolation_runtime",
    position=5,
    settings=ExtrapolationRuntime,
    title="Run time of extrapolation",
    text=(
        "What extrapolation is for (Sparks and Madabhushi 2011): the time of placing a new sample in an "
        "embedding of N samples by OSE-SSL, one alone and as one of 100, compared with computing the "
        "embedding of all samples again. Swiss roll, half of the samples labelled, on the machine that made "
        "this report."
    ),
    tables={"runtime": "retrieval_tables.runtime"},
    figures={
        "runtime": Figure(
            "retrieval_figures.draw_runtime",
            (
                "Seconds against the number N of embedded samples, both on logarithmic axes: placing one new "
                "sample, placing one of 100 at once, and computing the embedding of all samples again. Mean "
                "over the repetitions, bars their range."
            ),
        ),
    },
    steps=(
        Step(
            name="run_extrapolation_runtime",
            run=run,
            does="Time extrapolation against a new embedding",
            makes={"metrics": "extrapolation_runtime/metrics.tsv"},
            settings=lambda study, _: {
                "swiss_roll": study.of("swiss_roll", TimedRoll),
                "extrapolation_runtime": study["extrapolation_runtime"],
            },
            threads="alone",
            memory_mb=6000,
            minutes=60,
            takes=Seconds(3, 2.5, "extrapolation_runtime.n_samples*extrapolation_runtime.repetitions"),
        ),
    ),
)

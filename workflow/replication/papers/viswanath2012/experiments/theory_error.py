"""Error of the consensus distances."""

from typing import Annotated, Literal

from annotated_types import Ge
from pydantic import Field

from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Positive, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class ErrorStudy(Settings):
    """Proposition 2 on simulated embeddings."""

    n_objects: Annotated[Integer, Ge(5)] = Field(40, description="simulated samples")
    n_components: Count = Field(3, description="dimensions of the embeddings")
    n_embeddings: Distinct[Count] = Field((3, 10, 30), description="numbers of embeddings combined")
    error_size: Positive = Field(
        0.5,
        description="standard deviation of the errors in units of that of the true configuration; scale of "
        "heavy_tailed errors (t with 2 degrees of freedom), which have no finite one; not used by lost_axes",
    )
    errors: Distinct[Literal["gaussian", "heavy_tailed", "skewed", "lost_axes"]] = Field(
        ("gaussian", "heavy_tailed", "skewed", "lost_axes"),
        description="distributions of the errors; lost_axes: axes are missing, of three 0, 1 or 2 in about 4, 22 and "
        "74 % of the draws",
    )
    repetitions: Count = Field(100, description="draws of each")


def run(job: Job) -> Results:
    """Run the experiment."""
    from replication.papers.viswanath2012 import theory_error

    parameters = job.section("theory_error", ErrorStudy)
    return {"metrics": theory_error.run(parameters, job)}


EXPERIMENT = Experiment(
    "theory_error",
    position=12,
    settings=ErrorStudy,
    title="Error of the consensus distances",
    text=(
        "Proposition 2 of Viswanath and Madabhushi 2012: the error of the consensus distances against the "
        "mean error of the embeddings that are combined."
    ),
    tables={"error": "theory_tables.error_table"},
    figures={
        "error": Figure(
            "theory_figures.draw_error",
            (
                "Share of the repetitions in which the error of the consensus is at most the mean error of "
                "its embeddings, for the mean and the median, before and after scaling, by kind of error, "
                "with 95 % intervals by Wilson's formula."
            ),
        ),
    },
    steps=(
        Step(
            name="run_theory_error",
            run=run,
            does="Error of the consensus against that of its embeddings",
            makes={"metrics": "theory_error/metrics.tsv"},
            settings=("theory_error",),
            takes=Seconds(1.2, 0.005, "theory_error.errors*theory_error.n_embeddings*theory_error.repetitions"),
        ),
    ),
)

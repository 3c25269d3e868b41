"""Cost of a median consensus."""

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field

from replication.platform.declarations import Experiment
from replication.platform.settings import Count, Distinct, Integer, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class MceCost(Settings):
    """Run time of a median consensus as the numbers of runs and points grow."""

    n_embeddings: Distinct[Count] = Field((5, 10, 20), description="numbers of runs")
    n_samples: Distinct[Annotated[Integer, Ge(10), Le(5000)]] = Field((400, 800, 1600), description="numbers of points")
    repetitions: Count = Field(3, description="timings of each")


def run(job: Job) -> Results:
    """Time a median consensus over the numbers of runs and points."""
    from threadpoolctl import threadpool_limits

    from replication.papers.tomo2025 import mce_cost

    with threadpool_limits(1):
        metrics = mce_cost.run(job.settings["mce_cost"], job)
    return {"metrics": metrics}


EXPERIMENT = Experiment(
    "mce_cost",
    position=6,
    settings=MceCost,
    title="Cost of a median consensus",
    text=(
        "Section 4.2 of Tomo and Yoneoka 2025 counts O((T + 1) m n^2 + n^3) operations for m runs of n points "
        "and T steps. Timed on one core of the machine that made this report: the distances, 10 steps and an "
        "eigendecomposition, as printed but without epsilon, in NumPy and SciPy; 10 steps of SMACOF; and the complete "
        "consensus of this library, whose steps need no distances. Slopes are of the logarithm of the seconds on that "
        "of m and of n: the paper's count gives 1 and 2, for the eigendecomposition 0 and 3."
    ),
    tables={"cost": "mce_tables.cost_table"},
    steps=(
        Step(
            name="run_mce_cost",
            run=run,
            does="Time median consensus over the numbers of runs and points",
            makes={"metrics": "mce_cost/metrics.tsv"},
            settings=("mce_cost",),
            threads="alone",
            memory_mb=3000,
            takes=Seconds(2, 1.0, "mce_cost.n_embeddings*mce_cost.n_samples*mce_cost.repetitions"),
        ),
    ),
)

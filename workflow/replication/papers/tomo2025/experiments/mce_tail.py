"""Tail of the median consensus."""

from typing import Annotated

from annotated_types import Ge, Len
from pydantic import Field

from replication.papers.tomo2025.layout import median_settings, pool_files, pool_size
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Integer, Rising, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class MceTail(Settings):
    """Probability that the consensus deviates from the reference, against the number of runs combined."""

    n_embeddings: Annotated[Rising[Count], Len(3)] = Field(
        (1, 2, 3, 4, 6, 8, 10, 12, 15, 20),
        description="numbers of runs combined; the levels are taken at the inner ones",
    )
    draws: Count = Field(1000, description="consensus embeddings drawn per number of runs")
    sub_pools: Annotated[Integer, Ge(2)] = Field(
        10, description="disjoint sub-pools of the runs; the interval of the slope is over these"
    )


def run(job: Job) -> Results:
    """Measure the probability of a deviation against the number of runs combined."""
    import numpy as np

    from replication.data.digits import about_digits
    from replication.papers.tomo2025 import mce_tail

    settings = job.settings
    metrics = mce_tail.run(
        np.load(job.inputs.gram),
        reference_runs=settings["reference_runs"],
        **settings["mce_tail"],
        solver=settings["solver"],
        about=about_digits(settings["n_samples"]),
        work=job,
    )
    return {"metrics": metrics}


EXPERIMENT = Experiment(
    "mce_tail",
    position=3,
    settings=MceTail,
    title="Tail of the median consensus",
    text=(
        "Theorem 3.1 of Tomo and Yoneoka 2025: the probability that a consensus of m runs deviates from the "
        "true embedding by epsilon or more falls exponentially with m. The reference consensus replaces "
        "the true embedding."
    ),
    tables={"tail": "mce_tables.tail_table"},
    figures={
        "tail": Figure(
            "mce_figures.draw_tail",
            (
                "Share of consensus embeddings that lie at least epsilon from the reference, against the "
                "number of runs combined, on a logarithmic scale, where an exponential law is a straight "
                "line. Each level epsilon is the median distance at one of the inner numbers of runs; the "
                "primary one was fixed beforehand. Levels end where no draw deviates."
            ),
        ),
    },
    given=lambda study: study.only("median_consensus", "normalize"),
    steps=(
        Step(
            name="run_mce_tail",
            run=run,
            does="Probability of a deviation from the reference, against the number of runs",
            makes={"metrics": "mce_tail/metrics.tsv"},
            reads=lambda study, _: {"gram": pool_files(study)["gram"]},
            settings=lambda study, _: {
                **median_settings(study),
                "reference_runs": pool_size(study)[0],
                "mce_tail": study["mce_tail"],
            },
            takes=Seconds(1.2, 0.012, "mce_tail.draws", power=0.2),
        ),
    ),
)

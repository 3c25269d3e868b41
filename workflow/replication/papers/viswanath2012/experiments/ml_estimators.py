"""Median against mean."""

from typing import Annotated, Literal

from annotated_types import Len
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class MlEstimators(Settings):
    """Experiment 2: median against mean, on the embeddings of brain_grid."""

    estimators: Annotated[Distinct[Literal["median", "mean"]], Len(2)] = Field(
        ("median", "mean"), description="how distances are combined"
    )


def run(job: Job) -> Results:
    """Median against mean on the same selected embeddings."""
    from replication.papers.viswanath2012 import ml_estimators
    from replication.papers.viswanath2012.brain_files import score_units

    settings = job.section("image_embedding", ImageSettings)
    metrics = score_units(
        "ml_estimators",
        job.inputs.slices,
        ml_estimators.CONDITIONS,
        lambda metrics, slices, **at: ml_estimators.score_combination(
            metrics, slices, settings, job.settings["ml_estimators"]["estimators"], **at
        ),
        job.settings["brain"],
        settings.objects,
        job,
    )
    return {"metrics": metrics}


EXPERIMENT = Experiment(
    "ml_estimators",
    position=4,
    settings=MlEstimators,
    title="Median against mean",
    text=(
        "Experiment 2 of Viswanath and Madabhushi 2012: the median against the mean as estimator of the "
        "consensus distances, on the same selected embeddings."
    ),
    tables={"estimators": "image_tables.estimators_table"},
    figures={
        "estimators": Figure(
            "image_figures.draw_estimators",
            (
                "Difference of the accuracy with median and mean, against noise and non-uniformity, at the "
                "paper's threshold and at a strict one. Intervals are 95 % t intervals over slices, which "
                "share one anatomy; the dashed lines are the margin of equivalence."
            ),
        ),
    },
    steps=(
        Step(
            name="run_ml_estimators",
            run=run,
            does="Median and mean on the same selected embeddings",
            makes={"metrics": "ml_estimators/metrics.tsv"},
            reads=lambda study, _: {
                "slices": [
                    layout.embedded(unit, noise) for unit in layout.units(study) for noise in study["brain"]["noise"]
                ]
            },
            settings=lambda study, _: {
                "brain": study.only("brain", "inhomogeneity", "slices"),
                **study.sections("image_embedding", "ml_estimators"),
            },
            threads="workers",
            takes=Seconds(1.2, 0.31, "brain.noise*brain.inhomogeneity*brain.slices"),
        ),
    ),
)

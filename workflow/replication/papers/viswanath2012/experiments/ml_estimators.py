"""Median against mean."""

from typing import Annotated, Literal

from annotated_types import Len
from pydantic import Field

from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Settings


class MlEstimators(Settings):
    """Experiment 2: median against mean, on the embeddings of brain_grid."""

    estimators: Annotated[Distinct[Literal["median", "mean", "mode"]], Len(2)] = Field(
        ("median", "mean"), description="how distances are combined"
    )


EXPERIMENT = Experiment(
    "ml_estimators",
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
)

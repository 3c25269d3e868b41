"""Median against mean."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "ml_estimators",
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

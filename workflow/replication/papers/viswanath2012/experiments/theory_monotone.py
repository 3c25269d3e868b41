"""Strength against class accuracy."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "theory_monotone",
    title="Strength against class accuracy",
    text=(
        "Theorem 1 and Appendix C of Viswanath and Madabhushi 2012: does embedding strength grow with the "
        "accuracy of classes, and can the accuracy of two clusters replace it? On simulated embeddings, "
        "on brain slices and on gene expression."
    ),
    tables={"monotone": "theory_tables.monotone_table"},
    figures={
        "monotone": Figure(
            "theory_figures.draw_monotone",
            (
                "Rank correlations of embedding strength with class-triplet accuracy, with the accuracy of "
                "two clusters and with the R-squared index: over simulated embeddings, over the base "
                "embeddings of brain slices, and over those of the training splits of gene expression, by GE "
                "and by PCA. Mean and standard deviation over repetitions, slices or data sets."
            ),
        ),
    },
)

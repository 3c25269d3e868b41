"""Error of the consensus distances."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "theory_error",
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
)

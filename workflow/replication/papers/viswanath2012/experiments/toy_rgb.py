"""The toy image of Fig. 1."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "toy_rgb",
    title="The toy image of Fig. 1",
    text=(
        "Fig. 1 of Viswanath and Madabhushi 2012: a colour image whose two regions differ in red only, with "
        "noise on green and blue."
    ),
    reads=("pictures",),
    tables={"accuracy": "theory_tables.toy_table"},
    figures={
        "pictures": Figure(
            "theory_figures.draw_toy_pictures",
            (
                "The clean and the noisy image, and the regions that two clusters find in the colours, in one "
                "graph embedding of the three colours, and in the consensus of two one-dimensional graph "
                "embeddings."
            ),
        ),
        "accuracy": Figure(
            "theory_figures.draw_toy_accuracy",
            (
                "Accuracy of foreground against background over draws of the noise, against the size of the "
                "noise on green and blue. Of several graphs and sizes of the noise on red the first of each "
                "is shown; the table has all."
            ),
        ),
    },
)

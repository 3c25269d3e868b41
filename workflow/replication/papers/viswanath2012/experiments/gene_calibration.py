"""Choices for gene expression."""

from replication.platform.declarations import Experiment, Figure, Own

EXPERIMENT = Experiment(
    "gene_calibration",
    title="Choices for gene expression",
    text=(
        "Details that Viswanath and Madabhushi 2012 leave open for gene expression, picked on random halvings "
        "of the training splits alone: no test sample is seen. The rule was fixed beforehand and weighs all "
        "methods alike: options are scored by the balanced accuracy averaged over all methods, data sets and "
        "halvings, and a start value stays unless another option is better by more than the margin. The "
        "source column says whether the data are the paper's originals, the user's own or simulated."
    ),
    reads=("picks",),
    run_tables=("picks",),
    figures={
        "calibration": Figure(
            "gene_figures.draw_calibration",
            (
                "Balanced accuracy on the held-out halves of the training splits for each option of each "
                "choice: every method, averaged over the data sets and halvings, their mean (bar), and the "
                "option picked (star). Consensus at theta = 0.15 x max."
            ),
        ),
    },
    own=Own(
        text=(
            "Settings picked on random halvings of the training samples of your tables; no test sample is seen. "
            "Options are scored by the balanced accuracy averaged over all methods, tables and halvings, and a start"
            " value stays unless another option is better by more than the margin."
        ),
        captions={
            "calibration": (
                "Balanced accuracy on the held-out halves of the training samples for each option of each setting: "
                "every method, averaged over tables and halvings, their mean (bar), and the option picked (star)."
            ),
        },
    ),
    calibrates=True,
)

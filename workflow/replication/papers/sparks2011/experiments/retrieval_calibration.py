"""Choices for extrapolation and retrieval."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "retrieval_calibration",
    title="Choices for extrapolation and retrieval",
    text=(
        "Details that Sparks and Madabhushi 2011 leave open, picked on rolls, glands and images of their own: "
        "no object of the other experiments is seen. The rule weighs the two methods that are compared alike: "
        "an option scores by the AUPRC of the extrapolated objects, averaged over classes, over the draws, "
        "and over NM-GE and OSE-SSL; a start value stays unless another option is better by more than the "
        "margin. A first rule counted GE and SSGE of all objects as well; it was changed after the first "
        "calibration, before any object of the other experiments was scored, since SSGE then picks for how "
        "well objects are placed by their own given labels. The source says whether the data are simulated or "
        "a public substitute."
    ),
    reads=("picks",),
    run_tables=("picks",),
    figures={
        "calibration": Figure(
            "retrieval_figures.draw_calibration",
            (
                "AUPRC of the extrapolated objects, averaged over classes, for each option of each choice on "
                "each data set: NM-GE and OSE-SSL, averaged over the draws, their mean (bar), and the option "
                "picked (star). The first option is the start value, which stays unless another is better by "
                "more than the margin."
            ),
        ),
    },
    calibrates=True,
)

"""Defaults picked on calibration slices."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "brain_calibration",
    title="Defaults picked on calibration slices",
    text=(
        "Details that Viswanath and Madabhushi 2012 leave open, picked on calibration slices that are not "
        "among the evaluation slices. The rule was fixed beforehand and favours no method: options are scored "
        "by the accuracy averaged over the paper's four methods, and a start value stays unless another "
        "option is better by more than the margin."
    ),
    reads=("picks",),
    run_tables=("picks",),
    figures={
        "calibration": Figure(
            "image_figures.draw_calibration",
            (
                "White matter accuracy on the calibration slices for each option of each choice: the four "
                "methods of the paper at theta = 0.15 x max, their mean (line), and the option picked (star)."
            ),
        ),
    },
    calibrates=True,
)

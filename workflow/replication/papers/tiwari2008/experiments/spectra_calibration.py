"""Choices for spectra."""

from replication.platform.declarations import Experiment, Figure, Own

EXPERIMENT = Experiment(
    "spectra_calibration",
    title="Choices for spectra",
    text=(
        "Details that Tiwari, Rosen and Madabhushi 2008 leave open, picked on the training studies alone: no "
        "study of the other experiments is seen. The rule was fixed beforehand and weighs all methods alike: "
        "an option scores by the balanced accuracy against the boxes of each training study, with windows, "
        "thresholds and reference voxels learnt on the other training studies, averaged over the studies and "
        "over C-LLE, LLE, PCA, z-score and peak integration; a start value stays unless another option is "
        "better by more than the margin. The source says whether the spectra are simulated or your own."
    ),
    reads=("picks",),
    run_tables=("picks",),
    figures={
        "calibration": Figure(
            "spectra_figures.draw_calibration",
            (
                "Balanced accuracy against the boxes of the training studies for each option of each choice: "
                "every method, averaged over the studies, their mean (bar), and the option picked (star)."
            ),
        ),
    },
    own=Own(
        text=(
            "Settings picked on your training studies alone. A start value stays unless another option is better by "
            "more than the margin."
        ),
    ),
    calibrates=True,
)

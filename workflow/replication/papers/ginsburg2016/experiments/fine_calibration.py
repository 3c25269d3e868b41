"""Choices for FINE."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "fine_calibration",
    title="Choices for FINE",
    text=(
        "Details that Ginsburg et al. 2016 leave open, picked on training samples alone: a calibration round "
        "draws its samples as the experiment does and is scored on the training samples that it leaves out. "
        "No validation sample on which a claim is judged is seen, and no stability. The rule weighs all "
        "methods that are compared alike: an option scores by the AUC at five features, averaged over the "
        "data sets, rounds, classifiers, the four FINE, the four embeddings and the three filters; a start "
        "value stays unless another option is better by more than the margin."
    ),
    reads=("picks",),
    run_tables=("picks",),
    figures={
        "calibration": Figure(
            "fine_figures.draw_calibration",
            (
                "AUC at five features, or of the embedding vectors, for each option of each choice, averaged "
                "over the data sets named above, their rounds and the classifiers; the mean of all methods "
                "(bar), and the option picked (star). The first option is the start value, which stays unless "
                "another is better by more than the margin."
            ),
        ),
    },
    calibrates=True,
)

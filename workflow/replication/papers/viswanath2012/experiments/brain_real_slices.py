"""Real and simulated slices."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "brain_real_slices",
    title="Real and simulated slices",
    text=(
        "Three real slices of the official volume with 3 % noise and 20 % non-uniformity are public. The "
        "tissue values and the blur of the simulator were fitted to these slices, so their agreement "
        "shows what the model can describe, not how well it generalises; noise and field were not fitted. "
        "Experiment 1 runs on them as on their re-simulation."
    ),
    reads=("slices",),
    tables={"images": "image_tables.real_images_table", "accuracy": "image_tables.real_accuracy_table"},
    figures={
        "real_slices": Figure(
            "image_figures.draw_real_slices",
            (
                "A real BrainWeb slice, its re-simulation from labels, tissue fractions and field, and the "
                "accuracy of every method on the real and on the simulated slices."
            ),
        ),
    },
)

"""Selection on training slices."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "leave_one_out",
    title="Selection on training slices",
    text=(
        "Experiment 3 of Viswanath and Madabhushi 2012 on a simulated prostate, because the paper's images "
        "are private: two glands of eight slices, lesions of known place and contrast. Embeddings are selected "
        "on the training slices and combined on the slice left out; a second run leaves out a gland."
    ),
    reads=("maps",),
    tables={"detection": "image_tables.detection_table", "tests": "image_tables.detection_tests"},
    figures={
        "detection": Figure(
            "image_figures.draw_detection",
            (
                "Fig. 5 of the paper on the simulated prostate: scores against the contrast of the lesions, "
                "leaving out one slice at a time. Lesions cover a small part of the gland, so finding "
                "nothing is already accurate (no pixel is cancer)."
            ),
        ),
        "maps": Figure(
            "image_figures.draw_detection_maps",
            (
                "Fig. 4 of the paper on the simulated prostate: a slice of each gland at the lowest and the "
                "highest contrast, the true lesion outlined, and the pixels detected."
            ),
        ),
    },
)

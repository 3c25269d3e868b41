"""Selection on training slices."""

from typing import Annotated

from annotated_types import Ge, Le, Len
from pydantic import Field

from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Integer, Settings, Share


class LeaveOneOut(Settings):
    """Experiment 3 on a simulated prostate, in place of the paper's private images."""

    contrasts: Distinct[Share] = Field(
        (0.25, 0.5, 1.0), description="contrast of the lesions: 0 is healthy tissue, 1 the full contrast of a tumour"
    )
    slices: Annotated[Distinct[Annotated[Integer, Ge(0), Le(7)]], Len(2)] = Field(
        (0, 1, 2, 3, 4, 5, 6, 7), description="slices of each of the two glands, base to apex; each is left out once"
    )


EXPERIMENT = Experiment(
    "leave_one_out",
    settings=LeaveOneOut,
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

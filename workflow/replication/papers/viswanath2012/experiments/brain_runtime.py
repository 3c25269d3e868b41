"""Run times compared with the paper's."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Integer, Natural, Percentage, Settings
from replication.shared.image_settings import of_brain


class BrainRuntime(Settings):
    """Run times, compared with the paper's."""

    slice: Natural = Field(90, description="the slice, one of brain.slices")
    noise: Percentage = Field(3, description="noise of the image, one of brain.noise")
    inhomogeneity: Percentage = Field(20, description="non-uniformity of the image, one of brain.inhomogeneity")
    n_pixels: Annotated[Integer, Ge(100)] = Field(
        5589, description="pixels embedded without subsampling; the paper's slice had 5589"
    )
    repetitions: Count = Field(3, description="timings of each step")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Levels and slices that the section brain lacks."""
    yield from of_brain(config, "brain_runtime", noise="noise", inhomogeneity="inhomogeneity", slice="slices")


EXPERIMENT = Experiment(
    "brain_runtime",
    settings=BrainRuntime,
    check=check,
    title="Run times compared with the paper's",
    text=(
        "Run times of the steps of consensus embedding and those of the paper, which were measured in "
        "MATLAB on two quad-core processors of 2007. The image has noise: without it identical pixels make "
        "the graphs dense, and CreateEmbed on 5589 pixels took 164 s where it takes 14 s here. Equal subsets of "
        "features are embedded once: 94 of the 100 differ."
    ),
    tables={"runtime": "image_tables.runtime_table"},
    figures={
        "runtime": Figure(
            "image_figures.draw_runtime",
            "Seconds per step of ConsEmbedMS on one complete slice, texture features included.",
        ),
    },
)

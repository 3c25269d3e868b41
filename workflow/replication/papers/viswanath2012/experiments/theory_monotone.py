"""Strength against class accuracy."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt
from pydantic import Field

from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Number, Percentage, Positive, Settings
from replication.shared.image_settings import of_brain


class MonotoneStudy(Settings):
    """Theorem 1 and Appendix C, on simulated embeddings and on the base embeddings of brain slices."""

    n_objects: Annotated[Integer, Ge(6)] = Field(100, description="simulated objects")
    n_components: Count = Field(3, description="dimensions of the embeddings")
    separation: Positive = Field(3, description="distance of the two classes in their standard deviations")
    n_levels: Annotated[Integer, Ge(3)] = Field(20, description="steps of a series")
    largest_error: Positive = Field(10, description="size of the error at the last step")
    largest_stretch: Annotated[Number, Gt(1)] = Field(
        8, description="factor on the axis of the classes at the last step"
    )
    series: Distinct[Literal["noise", "emphasis", "both"]] = Field(
        ("noise", "emphasis", "both"), description="growing error, growing emphasis of the axis of the classes, or both"
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(50, description="draws of each series")
    noise: Percentage = Field(3, description="noise of the images whose base embeddings are used, one of brain.noise")
    inhomogeneity: Percentage = Field(20, description="non-uniformity of these images, one of brain.inhomogeneity")
    n_resamples: Count = Field(1000, description="bootstrap samples behind each interval")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Levels that the section brain lacks."""
    yield from of_brain(config, "theory_monotone", noise="noise", inhomogeneity="inhomogeneity")


EXPERIMENT = Experiment(
    "theory_monotone",
    settings=MonotoneStudy,
    check=check,
    title="Strength against class accuracy",
    text=(
        "Theorem 1 and Appendix C of Viswanath and Madabhushi 2012: does embedding strength grow with the "
        "accuracy of classes, and can the accuracy of two clusters replace it? On simulated embeddings, "
        "on brain slices and on gene expression."
    ),
    tables={"monotone": "theory_tables.monotone_table"},
    figures={
        "monotone": Figure(
            "theory_figures.draw_monotone",
            (
                "Rank correlations of embedding strength with class-triplet accuracy, with the accuracy of "
                "two clusters and with the R-squared index: over simulated embeddings, over the base "
                "embeddings of brain slices, and over those of the training splits of gene expression, by GE "
                "and by PCA. Mean and standard deviation over repetitions, slices or data sets."
            ),
        ),
    },
)

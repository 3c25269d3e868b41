"""Dimension of the texture space and of the gene space."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Integer, Natural, Range, Settings
from replication.shared.image_settings import of_brain


class IntrinsicDimension(Settings):
    """Maximum-likelihood dimension of the texture space and of the gene space."""

    slices: Distinct[Natural] = Field((60, 90, 120), description="slices of brain.slices that are used")
    n_neighbors: Range[Annotated[Integer, Ge(2)]] = Field(
        (10, 20), description="smallest and largest number of neighbours that the estimate averages over"
    )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Slices that the section brain lacks."""
    yield from of_brain(config, "intrinsic_dimension", slices="slices")


EXPERIMENT = Experiment(
    "intrinsic_dimension",
    settings=IntrinsicDimension,
    check=check,
    title="Dimension of the texture space and of the gene space",
    text=(
        "The paper sets n = 3 for images and n = 4 for gene expression by the maximum-likelihood estimate of "
        "intrinsic dimension (Levina and Bickel 2005). The same estimate here on the texture features, and on "
        "the chosen genes of the training splits."
    ),
    tables={"dimension": "image_tables.dimension_table"},
    figures={
        "dimension": Figure(
            "image_figures.draw_dimension",
            (
                "Estimated dimension of the texture space against noise, on the pixels and on their "
                "mean-shift objects, and of the space of the chosen genes of each data set (training split); "
                "the dashed lines are the paper's n."
            ),
        ),
    },
)

"""Threshold of embedding strength."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge, Len
from pydantic import Field

from replication.papers.viswanath2012.settings import Threshold
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Percentage, Settings
from replication.shared.image_settings import of_brain


class ThetaSensitivity(Settings):
    """
    Thresholds, and numbers K of embeddings without a threshold, on images and on gene expression.

    On images a repetition takes half of the embeddings at random; on genes it is another draw of the subsets.
    """

    noise: Distinct[Percentage] = Field((1, 5, 9), description="levels of brain.noise that are used")
    thetas: Annotated[Distinct[Threshold], Len(2)] = Field((0.15, 0.5, 0.8, 0.9, 0.95), description="thresholds")
    n_selected: Annotated[Distinct[Count], Len(2)] = Field(
        (1, 2, 5, 10, 20, 50, 100), description="numbers K of embeddings without a threshold"
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(
        5,
        description="on images each takes half of the embeddings at random; on genes it is another draw of the subsets",
    )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Levels that the section brain lacks."""
    yield from of_brain(config, "theta_sensitivity", noise="noise")


EXPERIMENT = Experiment(
    "theta_sensitivity",
    settings=ThetaSensitivity,
    check=check,
    title="Threshold of embedding strength",
    text=(
        "Does the threshold of embedding strength matter, and the number of embeddings that are combined? On "
        "images each repetition takes a random half of the base embeddings, which shows what another draw of "
        "the feature subsets would do; on gene expression each repetition is another draw of the subsets."
    ),
    tables={"sensitivity": "image_tables.sensitivity_table", "genes": "gene_tables.sensitivity_table"},
    figures={
        "sensitivity": Figure(
            "image_figures.draw_sensitivity",
            (
                "Left: accuracy against the threshold; two clusters of two classes are never less accurate "
                "than one half, so that thresholds up to half of the largest strength exclude nothing. Right: "
                "accuracy against the number of random embeddings combined without selection. Dotted: graph "
                "embedding of all features."
            ),
        ),
        "genes": Figure(
            "gene_panels.draw_sensitivity",
            (
                "Gene expression; the title of a panel says whether its data are the paper's originals, the "
                "user's own or simulated. Above: accuracy on the test samples against the threshold, with "
                "embeddings selected on the training split with labels (S, filled) or without (US, open). "
                "Below: accuracy against the number of random embeddings combined without selection. Dotted: "
                "one embedding of all chosen genes. Bars: SD over draws."
            ),
        ),
    },
)

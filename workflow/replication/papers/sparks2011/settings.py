"""Sections of the configuration that the experiments on extrapolation and retrieval share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import Field

from replication.platform.settings import (
    Count,
    Inner,
    Integer,
    Item,
    Name,
    NonNegative,
    Positive,
    Rising,
    Settings,
    Share,
    Text,
)

Size = Literal["kept", "removed"]


class EmbeddingDetails(Settings):
    """How objects are embedded, apart from the number of components."""

    floor: Positive = Field(
        1.0e-6, description="added to every affinity, so that a disconnected graph also has an embedding"
    )
    eigenvectors: Literal["none", "rows", "eigenvalue", "diffusion"] = Field(
        "none", description="scaling of the eigenvectors; none as in the paper"
    )
    nystroem: Literal["degree", "printed"] = Field(
        "degree",
        description=(
            "degree: the sum of Nystroem is divided by the degree of the new object; printed: it is not (CH-35)"
        ),
    )


class EmbeddingSettings(EmbeddingDetails):
    """Options of an embedding, in addition to those of the affinities."""

    n_components: Count = Field(description="n")


class Query(Settings):
    """The shares at which classes are separated, and how many items a query returns: Fig. 2."""

    training: Inner = Field(0.8, description="share of training objects, one of out_of_sample.training")
    labelled: Share = Field(0.6, description="share of these with labels, one of out_of_sample.labelled")
    items: Count = Field(5, description="items that a query returns")


class OutOfSample(EmbeddingDetails):
    """Extrapolation to objects that were not embedded (Sparks 2011): what the Swiss roll and the glands share."""

    training: Rising[Share] = Field(
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), description="shares of all objects that are embedded"
    )
    labelled: Rising[Share] = Field(
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), description="shares of these that carry a label"
    )
    draws: Count = Field(
        10,
        description=(
            "draws, each of new data (of digits: another choice of the same images, with new noise), training objects "
            "and labels; the bands of the figures are over them"
        ),
    )
    query: Query

    def unfit(self) -> Iterator[tuple[str, str]]:
        """The query is at a cell of the grid."""
        for key in ("training", "labelled"):
            share, shares = getattr(self.query, key), getattr(self, key)
            if share not in shares:
                yield f"query.{key}", f"expected a share of out_of_sample.{key} = {list(shares)}, found {share}"

    def embedding(self, n_components: int) -> EmbeddingSettings:
        """Options of the embeddings in so many dimensions."""
        return EmbeddingSettings(n_components=n_components, **self.only(*EmbeddingDetails.model_fields))

    def query_cell(self) -> OutOfSample:
        """The same at the shares of the query alone."""
        return self.replace(training=(self.query.training,), labelled=(self.query.labelled,))


class TimedRoll(Settings):
    """A roll of any number of samples, and its graph."""

    split: Literal["length", "width"] = Field(
        "length", description="the two classes: halves of the sheet along its length, or across its width (CH-52)"
    )
    n_components: Count = Field(2, description="n, picked by the experiment retrieval_calibration (CH-26)")
    sigma: Positive = Field(
        1.0,
        description=(
            "as a multiple of the median dissimilarity inside the radius, picked by the experiment "
            "retrieval_calibration (CH-25)"
        ),
    )
    radius: Positive = Field(
        1.75,
        description=(
            "in the unit of the roll, whose turns are 6.3 apart; set by the experiment retrieval_substitute (CH-25)"
        ),
    )


class RollSettings(TimedRoll):
    """A roll and its graph."""

    n_samples: Annotated[Integer, Ge(20)] = Field(2000, description="samples of the roll")
    outside: Literal["zero", "one"] = Field(
        "zero",
        description=(
            "similarity of a pair outside the radius: zero, or one, as dissimilarity 0 would give (Eq. 4 as printed)"
        ),
    )


class SetSettings(Settings):
    """How a set is embedded, and how hard it is."""

    n_components: Count = Field(3, description="n, picked by the experiment retrieval_calibration (CH-26)")
    sigma: Positive = Field(
        1.0,
        description=(
            "as a multiple of the median dissimilarity, picked by the experiment retrieval_calibration (CH-25)"
        ),
    )


class EmbeddedGlands(SetSettings):
    """Simulated glands."""

    separation: NonNegative = Field(
        0.25,
        description=(
            "of the means of the classes; 1 is what config/simulators/glands.yaml says. Set by the experiment "
            "retrieval_substitute (CH-61)"
        ),
    )


class SizedGlands(EmbeddedGlands):
    """Simulated glands, and whether the size of their outlines is kept."""

    size: Size = "kept"


class EmbeddedDigits(SetSettings):
    """Digits with the class imbalance of the glands."""

    noise: NonNegative = Field(
        64,
        description=(
            "standard deviation of the noise on the pixels, which go from 0 to 16. Set by the experiment "
            "retrieval_substitute (CH-61)"
        ),
    )


class ClassCounts(Settings):
    """Images of the classes of digits, which are fewer than in the experiment."""

    benign: Annotated[Integer, Ge(2)] = Field(46, description="images in place of benign glands")
    grade_3: Annotated[Integer, Ge(2)] = Field(374, description="images in place of grade 3")
    grade_4: Annotated[Integer, Ge(2)] = Field(24, description="images in place of grade 4")


class OwnSet(Item):
    """Items of your own."""

    name: Name = Field(description="what the results call it")
    table: Text = Field(None, description="a table with a row per item")
    dissimilarities: Text = Field(None, description="a matrix of dissimilarities, in place of the table")
    n_components: Count = Field(None, description="n; by default 3")
    sigma: Positive = Field(None, description="as a multiple of the median dissimilarity; by default 1")
    scaling: Literal["zscore", "none"] = Field(None, description="of the columns of a table")
    every_share: bool = Field(
        None, description="whether all shares of out_of_sample are scored of more than 2000 items too, not some of them"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """One source."""
        if (self.table is None) == (self.dissimilarities is None):
            yield "", "expected table or dissimilarities, one of the two"
        if self.scaling is not None and self.table is None:
            yield "scaling", "expected a table with it, found dissimilarities, which are not scaled"


def enough_training(config: Mapping[str, Any]) -> Iterator[str]:
    """A line if the smallest training share of the roll is too small for an embedding."""
    share, roll = min(config["out_of_sample"]["training"]), config["swiss_roll"]
    smallest = round(share * roll["n_samples"])
    if smallest < roll["n_components"] + 1:
        yield (
            f"out_of_sample.training: expected shares of the {roll['n_samples']} samples of swiss_roll that leave at "
            f"least n_components + 1 = {roll['n_components'] + 1}, found {share}, leaving {smallest}"
        )


SECTIONS = {"out_of_sample": OutOfSample}

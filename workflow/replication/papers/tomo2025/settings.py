"""Sections of the configuration that the experiments on t-SNE runs share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from pydantic import Field, PlainValidator

from replication.platform.settings import (
    Count,
    Integer,
    Number,
    Perplexity,
    Positive,
    Settings,
    is_number,
    refuse_unless,
)

Mds = Literal["classical", "smacof"]
Normalize = Literal["none", "unit_norm"]


def _learning_rate(value: Any) -> float | str:
    fits = value == "auto" or (is_number(value) and 0 < value <= 1e100)
    refuse_unless(fits, "a number above 0, or auto")
    return value


class Digits(Settings):
    """The digits of scikit-learn (1797 images of 8 x 8), which need no download."""

    n_samples: Annotated[Integer, Ge(50), Le(1797)] = Field(
        1797, description="number of images, in stored order; the paper uses all of them"
    )


class TSNESettings(Settings):
    """What decides a t-SNE run."""

    implementation: Literal["exact", "barnes_hut", "scikit-learn", "scikit-learn-fine"] = Field(
        "barnes_hut",
        description=(
            "barnes_hut: our kernel that approximates the repulsion of distant points, as scikit-learn's t-SNE does, "
            "which the paper used. scikit-learn: that implementation, several times slower; scikit-learn-fine: the "
            "same at the angle 0.1, where little of the approximation is left. exact: our kernel without "
            "approximation; its pictures are larger. The experiment tsne_equivalence compares them"
        ),
    )
    perplexity: Perplexity = Field(
        30, description="change it when your data have fewer than about 100 or more than 10000 points"
    )
    learning_rate: Annotated[Literal["auto"] | float, PlainValidator(_learning_rate)] = Field(
        "auto", description="auto: max(n / early_exaggeration / 4, 50), as scikit-learn >= 1.2; older releases used 200"
    )
    early_exaggeration: Annotated[Number, Ge(1)] = Field(12, description="factor on the affinities at first")
    max_iter: Annotated[Integer, Ge(250)] = Field(
        1000, description="iterations; the early exaggeration alone takes 250"
    )


class TSNE(TSNESettings):
    """The base embedding of the median consensus experiments."""

    runs_per_job: Count = Field(
        100, description="runs in one job. Few runs per job use many cores better; many have less overhead"
    )


class MedianConsensus(Settings):
    """The median of t-SNE runs."""

    tolerance: Positive = Field(
        1.0e-5,
        description="Weiszfeld stops when the median moves by less than this (absolute Frobenius norm)",
    )
    max_iter: Count = Field(500, description="iterations of Weiszfeld at most")
    mds: Mds = Field(
        "smacof",
        description="smacof (as the authors' code) or classical: how a consensus distance matrix becomes a picture "
        "(CH-24)",
    )
    normalize: Normalize = Field(
        "none",
        description="unit_norm: runs are centred and scaled to norm 1 before they are combined (CH-74). Distances are "
        "then no longer in the units of t-SNE, and not comparable with those that the paper prints",
    )


def below_samples(config: Mapping[str, Any], key: str, value: float) -> Iterator[str]:
    """A line if a value is not below the number of digits."""
    n = config["digits"]["n_samples"]
    if value >= n:
        yield f"{key}: expected less than digits.n_samples = {n}, found {value}"


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """What does not fit between these sections."""
    yield from below_samples(config, "tsne.perplexity", config["tsne"]["perplexity"])


SECTIONS = {"digits": Digits, "tsne": TSNE, "median_consensus": MedianConsensus}

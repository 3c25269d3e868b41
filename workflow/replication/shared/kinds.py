"""
The kinds of claims: what each takes, and what is wrong with a test that does not fit.

Light, since the rules check claims before anything runs; the judges are functions of the same names elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

# What a claim asks.
TESTS = ("value", "order", "count", "trend", "equivalence", "no difference", "context")
_MOST_CASES = 10**6
_LARGEST = 1e300  # integers have no largest one


def _distinct(names: list[str]) -> list[str]:
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"expected every name once, found {repeated!r} twice")
    return names


Text = Annotated[str, Field(min_length=1)]
Names = Annotated[list[Text], Field(min_length=1), AfterValidator(_distinct)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Size = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Factor = Annotated[float, Field(ge=1, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Correlation = Annotated[float, Field(ge=-1, le=1)]
Count = Annotated[int, Field(ge=1, le=_MOST_CASES)]
Position = Annotated[int, Field(ge=0, le=_MOST_CASES)]
Section = dict[str, Any]
Sections = Annotated[list[Section], Field(min_length=1)]
Entries = Annotated[list[Any], Field(min_length=1)]
Order = Literal["above", "below"]


class Model(BaseModel):
    """Refuses unknown keys and converts nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Choice(Model):
    """A reading of what the paper leaves open, by which a claim is judged too."""

    choice: Text = Field(description="of config/choices.tsv")
    level: Text = Field(description="in words")
    changes: Section = Field(alias="with", description="the parameters that differ")


# Parameters that name different things.
_APART = [("by", "its results"), ("pair", "its results"), ("by", "pair"), ("on", "pair"), ("method", "against")]
# A parameter without a default of its own is optional, and not null: its judge knows what holds without it.
_OPTIONAL = Field(default=None)


class ClaimTest(Model):
    """Parameters that a test of any kind takes."""

    asks: ClassVar[str]
    """Which of `TESTS`."""
    holm_family: ClassVar[str] = "none"
    """Over what p-values are corrected by Holm's method; "none": a single test, no p-value, or all have to reject."""
    by_criterion: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Criterion -> what it asks, and its Holm family, instead of these."""
    own_data: ClassVar[bool] = False
    """Whether the claim is about the paper's data alone, and not testable on others."""
    one_of: ClassVar[tuple[str, ...]] = ()
    """Optional parameters; a claim needs at least one of them."""

    kind: str
    across: Names = _OPTIONAL
    subset: Section = _OPTIONAL
    universal: bool = _OPTIONAL
    identity: bool = _OPTIONAL
    new_data: Section = _OPTIONAL
    choices: Annotated[list[Choice], Field(min_length=1)] = _OPTIONAL

    def needs(self) -> Iterable[str]:
        """Optional parameters that this test needs, given the others."""
        if getattr(self, "criterion", None) in ("equivalent", "beyond"):
            yield "margin"

    @model_validator(mode="after")
    def _fits(self) -> ClaimTest:
        given = self.model_fields_set
        _check_numbers(self.model_dump(exclude_unset=True))
        if self.one_of and not given & set(self.one_of):
            raise ValueError(f"expected {' or '.join(self.one_of)}, found neither")
        missing = [name for name in self.needs() if name not in given]
        if missing:
            raise ValueError(f"expected {' and '.join(missing)} with the other parameters, found none")
        # How many of how many, or a share: with others a claim would hold whatever the numbers, or never.
        most, least = getattr(self, "of", 1), getattr(self, "at_least", None)
        if not 0 < most <= _MOST_CASES:
            raise ValueError(f"expected of to be above 0 and at most {_MOST_CASES}, found {most:g}")
        if least is not None and not 0 < least <= most:
            raise ValueError(f"expected at_least to be above 0 and at most {most:g}, found {least:g}")
        results = ["method", "metric", "value"]
        for first, second in (
            ("by", results),
            ("pair", results),
            ("by", "pair"),
            ("method", "against"),
            ("on", "pair"),
        ):
            names = _listed(getattr(self, first, None))
            others = second if isinstance(second, list) else _listed(getattr(self, second, None))
            both = [name for name in names if name in others]
            if both:
                apart = "the columns of results" if others is results else second
                raise ValueError(f"expected other names in {first} than in {apart}, found {both[0]!r} in both")
        return self


def _listed(value: object) -> list[str]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _check_numbers(value: object) -> None:
    """Refuse numbers that are infinite, or too large to compute with, in any section."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            _check_numbers(one)
    elif isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= _LARGEST):
        raise ValueError(f"expected finite numbers in a test, found {value}")


class _Paired(ClaimTest):
    metric: Text = _OPTIONAL
    where: Section = _OPTIONAL


class Compare(_Paired):
    """A method above, below or equivalent to others over paired units."""

    asks = "order"
    by_criterion = {"equivalent": ("equivalence", "comparisons")}
    kind: Literal["compare"]
    method: Text | Names
    against: Names
    pair: Names
    criterion: Literal["above", "below", "equivalent"] = _OPTIONAL
    test: Literal["t", "sign", "mean"] = _OPTIONAL
    margin: Size = _OPTIONAL

    def needs(self) -> Iterable[str]:
        """A margin is of a criterion."""
        yield from super().needs()
        yield from ["criterion"] if "margin" in self.model_fields_set else []


class Counted(_Paired):
    """Conditions under which a method is best, significantly best, or equivalent to others."""

    asks = "count"
    by_criterion = {"equivalent": ("equivalence", "conditions")}
    kind: Literal["count"]
    by: Names
    pair: Names
    at_least: Number
    of: Number
    criterion: Literal["above", "below", "equivalent"] = _OPTIONAL
    test: Literal["mean", "significant"] = _OPTIONAL
    method: Text | Names = _OPTIONAL
    against: Names = _OPTIONAL
    pairs: Entries = _OPTIONAL
    margin: Size = _OPTIONAL
    also: Text = _OPTIONAL
    contradicted: Literal["margin", "difference"] = _OPTIONAL

    def needs(self) -> Iterable[str]:
        """Either pairs, or a method and others."""
        yield from super().needs()
        yield from [] if "pairs" in self.model_fields_set else ["method", "against"]
        yield from ["where"] if "also" in self.model_fields_set else []


class ShareOfDraws(_Paired):
    """A method above others in nearly all draws."""

    asks = "order"
    kind: Literal["share"]
    method: Text
    against: Names
    by: Names
    pair: Names
    at_least: Number


class ShareOfRepetitions(ClaimTest):
    """A statement, 0 or 1 in the metrics, holds in nearly all repetitions."""

    asks = "order"
    kind: Literal["share/repetitions"]
    metric: Text
    where: Sections
    at_least: Number
    reported: Sections = _OPTIONAL


class Trend(ClaimTest):
    """A metric rises or falls with a condition: rank correlations over units."""

    asks = "trend"
    kind: Literal["trend"]
    metric: Text
    on: Text
    criterion: Order = _OPTIONAL
    where: Section = _OPTIONAL
    pair: Names = _OPTIONAL
    limit: Correlation = _OPTIONAL


class TrendOfDifferences(_Paired):
    """The difference of two methods rises with conditions."""

    asks = "trend"
    kind: Literal["trend/differences"]
    first: Text
    second: Text
    on: Names
    by: Names
    pair: Names


class TrendOfGains(ClaimTest):
    """The gain of a method over another rises with the logarithm of a condition."""

    asks = "trend"
    kind: Literal["trend/gains"]
    method: Text
    over: Text
    on: Text
    pair: Names
    metric: Text = _OPTIONAL
    within: Names = _OPTIONAL


class Correlations(ClaimTest):
    """Rank correlations in the metrics are above zero, or a limit."""

    asks = "trend"
    kind: Literal["trend/correlations"]
    metric: Text
    where: Sections
    above: Correlation = _OPTIONAL
    unit: Names = _OPTIONAL
    ends: Section = _OPTIONAL


class Value(ClaimTest):
    """The mean of a metric is within a margin of the paper's value, or at least a limit."""

    asks = "value"
    one_of = ("paper", "limit")
    kind: Literal["value"]
    metric: Text
    paper: Number = _OPTIONAL
    margin: Size = _OPTIONAL
    limit: Number = _OPTIONAL
    where: Section = _OPTIONAL
    reported: Sections = _OPTIONAL

    def needs(self) -> Iterable[str]:
        """The paper's value is compared within a margin."""
        yield from ["margin"] if "paper" in self.model_fields_set else []


class InRange(ClaimTest):
    """Every value of some metrics is in a range."""

    asks = "value"
    kind: Literal["value/range"]
    ranges: dict[Text, Annotated[list[Number], Field(min_length=2, max_length=2)]]
    where: Section = _OPTIONAL


class Robust(ClaimTest):
    """The variance over a setting is no larger than over repetitions."""

    asks = "equivalence"
    kind: Literal["robust"]
    method: Text | Names
    over: Text
    by: Names
    metric: Text = _OPTIONAL


class Context(ClaimTest):
    """Numbers that are shown next to the paper's, and not judged."""

    asks = "context"
    kind: Literal["context"]
    metric: Text
    where: Sections
    unit: Text


class Comparable(_Paired):
    """Pairs of methods differ by no more than their spread."""

    asks = "equivalence"
    kind: Literal["comparable"]
    pairs: Entries
    by: Names
    pair: Names
    reported: Entries = _OPTIONAL
    reported_name: Text = _OPTIONAL


class NoWinner(_Paired):
    """Neither method of a pair wins most conditions."""

    asks = "no difference"
    kind: Literal["no_winner"]
    pairs: Entries
    by: Names
    pair: Names
    between: Entries


class OverRedraws(ClaimTest):
    """The paper's numbers lie inside the bands of fresh sets of repetitions."""

    asks = "value"
    own_data = True
    kind: Literal["value/redraws"]
    paper: Section
    at: Count
    than: Section


class FallOverSizes(ClaimTest):
    """Distances fall with the number of runs."""

    asks = "trend"
    kind: Literal["trend/redraws"]
    metrics: Names
    sizes: Entries
    falls: Literal["every step", "early"]
    space: Literal["consensus", "picture"] = _OPTIONAL


class Decay(ClaimTest):
    """A tail decays exponentially."""

    asks = "trend"
    kind: Literal["decay"]
    level: Text


class OverStudies(ClaimTest):
    """A method above or below each other one in every metric, over studies."""

    asks = "order"
    holm_family = "comparisons"
    kind: Literal["compare/studies"]
    method: Text
    against: Names
    cases: Sections
    criterion: Order = _OPTIONAL
    where: Section = _OPTIONAL
    where_of: Section = _OPTIONAL
    reported: Sections = _OPTIONAL
    reported_methods: Names = _OPTIONAL
    baselines: Section = _OPTIONAL
    within: Size = _OPTIONAL


class _Grid(ClaimTest):
    training: Section = _OPTIONAL
    labelled: Section = _OPTIONAL
    objects: Names = _OPTIONAL


class Errors(ClaimTest):
    """The error of approximated similarities is small."""

    asks = "value"
    kind: Literal["value/errors"]
    methods: Names
    printed: Section
    relative: Section
    reported: Sections = _OPTIONAL


class Levels(_Grid):
    """Values reach a level at every training share and labelled share."""

    asks = "value"
    kind: Literal["value/shares"]
    method: Text
    limits: Section
    reported_methods: Names = _OPTIONAL
    reported_metrics: Names = _OPTIONAL


class Needed(_Grid):
    """A training share suffices to reach another method."""

    asks = "value"
    kind: Literal["value/needed"]
    method: Text
    against: Text
    metrics: Names
    at_most: Share
    paper: Number
    margin: Size
    reported: Entries = _OPTIONAL
    gate: Names = _OPTIONAL


class TrendOverShares(ClaimTest):
    """Means rise or fall with the training share or the labelled share."""

    asks = "trend"
    kind: Literal["trend/shares"]
    method: Text
    cases: Sections
    reported: Entries = _OPTIONAL
    objects: Names = _OPTIONAL


class OverShares(_Grid):
    """A method above another at every training share."""

    asks = "order"
    holm_family = "cells"
    kind: Literal["compare/shares"]
    method: Text
    against: Text
    metrics: Names
    at_least: Number = _OPTIONAL
    queries: Literal["rarest"] = _OPTIONAL
    reported_methods: Names = _OPTIONAL
    reported_objects: Names = _OPTIONAL


class OverGrid(_Grid):
    """A method equivalent to another, or far below it, at every training share and labelled share."""

    asks = "order"
    by_criterion = {"equivalent": ("equivalence", "cells")}
    kind: Literal["compare/grid"]
    method: Text
    against: Text
    metrics: Names
    criterion: Literal["equivalent", "beyond"]
    margin: Size
    reported: Entries = _OPTIONAL
    gate: Names = _OPTIONAL


class Ranking(ClaimTest):
    """Methods ranked by the stability of the features that they choose."""

    asks = "value"
    holm_family = "comparisons"
    one_of = ("above", "ranges")
    kind: Literal["ranking/stability"]
    across: Names
    above: Entries = _OPTIONAL
    ranges: Section = _OPTIONAL
    below: Section = _OPTIONAL
    margin: Size = _OPTIONAL
    significant: Position = _OPTIONAL
    reported: Names = _OPTIONAL
    variant: Text = _OPTIONAL
    variants: bool = _OPTIONAL

    @model_validator(mode="after")
    def _significant_is_one_of_above(self) -> Ranking:
        if self.significant is not None and self.significant >= len(self.above or []):
            raise ValueError(
                f"expected significant to be the number of a statement of above, counted from 0, found "
                f"{self.significant} and {len(self.above or [])} statements"
            )
        return self


class RankingByAccuracy(ClaimTest):
    """Methods ranked by the accuracy with the features that they choose."""

    asks = "value"
    one_of = ("above", "ranges")
    kind: Literal["ranking/accuracy"]
    across: Names
    above: Entries = _OPTIONAL
    ranges: Section = _OPTIONAL
    compare: Text | Annotated[list[Text], Field(min_length=1)] = _OPTIONAL
    judge: Literal["classifiers", "mean"] = _OPTIONAL
    margin: Size = _OPTIONAL
    count: Count = _OPTIONAL

    def needs(self) -> Iterable[str]:
        """Ranges are compared within a margin."""
        yield from ["margin", "judge"] if "ranges" in self.model_fields_set else []


class AgainstVectors(ClaimTest):
    """Chosen features above the embedding vectors themselves."""

    asks = "order"
    holm_family = "cells"
    kind: Literal["compare/vectors"]
    unit: Literal["repetition", "cohort"]
    classifiers: Literal["each", "mean"] = _OPTIONAL


class Dimensions(ClaimTest):
    """Numbers of dimensions near the paper's."""

    asks = "value"
    kind: Literal["dimensions"]
    paper: Section
    factor: Factor
    largest: Count
    variant: Text = _OPTIONAL


class CountOfCohorts(ClaimTest):
    """Data sets in which chosen features are stabler over cohorts."""

    asks = "count"
    holm_family = "data sets"
    kind: Literal["count/cohorts"]
    at_least: Number
    of: Number
    reported: Names = _OPTIONAL
    variant: Text = _OPTIONAL


class CountOfSets(ClaimTest):
    """Data sets in which chosen features are stabler, and more accurate."""

    asks = "count"
    kind: Literal["count/sets"]
    beyond: Size
    reported: Names = _OPTIONAL
    variant: Text = _OPTIONAL


class Accuracies(ClaimTest):
    """Accuracies above others on some data sets, and on par on others."""

    asks = "order"
    kind: Literal["compare/accuracies"]
    above: Section
    on_par: Section
    margin: Size
    against: Names = _OPTIONAL


class Steps(ClaimTest):
    """A metric falls along a list of methods."""

    asks = "order"
    holm_family = "steps"
    one_of = ("methods", "pairs")
    kind: Literal["compare/steps"]
    methods: Names = _OPTIONAL
    pairs: Entries = _OPTIONAL
    metric: Text = _OPTIONAL


class RiskGroups(ClaimTest):
    """Groups of low and high risk differ in survival."""

    asks = "order"
    kind: Literal["risk_groups"]
    fit: Text
    reported: Text


_MODELS = (
    *(Compare, OverStudies, OverShares, OverGrid, AgainstVectors, Accuracies, Steps),
    *(Counted, CountOfCohorts, CountOfSets),
    *(ShareOfDraws, ShareOfRepetitions),
    *(Trend, TrendOfDifferences, TrendOfGains, Correlations, TrendOverShares, FallOverSizes),
    *(Value, Errors, Levels, Needed, OverRedraws, InRange),
    *(Robust, Context, Decay, Comparable, NoWinner),
    *(Ranking, RankingByAccuracy, Dimensions, RiskGroups),
)
KINDS: dict[str, type[ClaimTest]] = {model.model_fields["kind"].annotation.__args__[0]: model for model in _MODELS}

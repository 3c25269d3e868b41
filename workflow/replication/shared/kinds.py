"""
The kinds of claims that belong to no paper, and what each takes. Papers have more in their modules ``kinds``.

Light, since the rules check claims before anything runs. The judge of a kind is in JUDGES of `judges`, under its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_MOST_CASES = 10**6
_LARGEST = 1e300  # integers have no largest one


def _distinct(names: list[str]) -> list[str]:
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"expected every name once, found {repeated!r} twice")
    return names


def _rising(limits: list[float]) -> list[float]:
    if limits[0] > limits[1]:
        raise ValueError(f"expected the smaller limit first, found {limits}")
    return limits


def _without_empty_lists(section: dict[str, Any]) -> dict[str, Any]:
    if empty := [name for name, value in section.items() if value == []]:
        raise ValueError(f"expected at least one value of {empty[0]}, found []")
    return section


def _without(*names: str) -> AfterValidator:
    def check(where: dict[str, Any]) -> dict[str, Any]:
        if found := [name for name in names if name in where]:
            raise ValueError(f"expected conditions and units, found {found[0]!r}, which the test says itself")
        return where

    return AfterValidator(check)


Text = Annotated[str, Field(min_length=1)]
Names = Annotated[list[Text], Field(min_length=1), AfterValidator(_distinct)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Size = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Factor = Annotated[float, Field(ge=1, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Correlation = Annotated[float, Field(ge=-1, le=1)]
Count = Annotated[int, Field(ge=1, le=_MOST_CASES)]
Position = Annotated[int, Field(ge=0, le=_MOST_CASES)]
Section = Annotated[dict[str, Any], AfterValidator(_without_empty_lists)]
Sections = Annotated[list[Section], Field(min_length=1)]
# Columns that rows have to have a value in, or one of several.
Where = Annotated[Section, _without("metric", "value")]
Wheres = Annotated[list[Where], Field(min_length=1)]
# Of a test that selects the rows of its methods one by one.
WhereOfMethod = Annotated[Where, _without("method")]
Entries = Annotated[list[Any], Field(min_length=1)]
Range = Annotated[list[Number], Field(min_length=2, max_length=2), AfterValidator(_rising)]
Pair = Annotated[Names, Field(min_length=2, max_length=2)]
Pairs = Annotated[list[Pair], Field(min_length=1)]
Order = Literal["above", "below"]


class Model(BaseModel):
    """Refuses unknown keys and converts nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class MetricOfMethods(Model):
    """A metric of several methods, whose orders are few enough to go through."""

    metric: Text
    methods: Annotated[Names, Field(min_length=4, max_length=7)]
    where: WhereOfMethod = Field(default={})


class Choice(Model):
    """A reading of what the paper leaves open, by which a claim is judged too."""

    choice: Text = Field(description="of config/choices.tsv")
    level: Text = Field(description="in words")
    experiment: Text = Field(default=None, description="whose metrics decide, if not those of the claim's own")
    ruled_out: Text = Field(
        default=None, description="what the paper prints that rules it out: it is shown, and decides nothing"
    )
    changes: Section = Field(alias="with", description="the parameters that differ")


# Forms of the smallest effect, beside one number.
EACH, RELATIVE = "one for each metric or condition", "relative"


class Smallest(Model):
    """The smallest effect of interest: what is below it counts as none."""

    effect: Positive | dict[Text, Positive] = Field(
        default=None,
        description="in the units of what is compared; of a trend, the change from its first to its last condition",
    )
    relative: Positive = Field(
        default=None, description="instead, a share of the mean of the other method, or of a trend's first condition"
    )
    because: Text = Field(description="the reason, such as half of the effect that the paper prints")

    @model_validator(mode="after")
    def _one(self) -> Smallest:
        if (self.effect is None) == (self.relative is None):
            raise ValueError("expected effect or relative, found both or neither")
        return self

    @property
    def form(self) -> str:
        """How it is said."""
        return RELATIVE if self.effect is None else EACH if isinstance(self.effect, dict) else "one number"


# Parameters that name different things.
_OF_RESULTS = "the columns of results"
_APART = [("by", _OF_RESULTS), ("pair", _OF_RESULTS), ("by", "pair"), ("method", "against"), ("on", "pair")]
# A parameter without a default of its own is optional, and not null: its judge knows what holds without it.
OPTIONAL = Field(default=None)


class ClaimTest(Model):
    """Parameters that a test of any kind takes."""

    asks: ClassVar[str]  # A value, order, count, trend, equivalence, no difference or context.
    # Over what p-values are corrected by Holm's method; "none": a single test, no p-value, or all have to reject.
    holm_family: ClassVar[str] = "none"
    # Criterion -> what it asks, and its Holm family, instead of these.
    by_criterion: ClassVar[Mapping[str, tuple[str, str]]] = {}
    own_data: ClassVar[bool] = False  # Whether the claim is about the paper's data alone, and not testable on others.
    results: ClassVar[tuple[str, ...]] = ("method", "metric", "value")  # Columns that are no condition and no unit.
    one_of: ClassVar[tuple[str, ...]] = ()  # Optional parameters; a claim needs at least one of them.

    kind: str
    across: Names = OPTIONAL
    subset: Section = OPTIONAL
    measured_by: Section = OPTIONAL
    identity: bool = OPTIONAL
    new_data: Section = OPTIONAL
    choices: Annotated[list[Choice], Field(min_length=1)] = OPTIONAL

    def needs(self) -> Iterable[str]:
        """Optional parameters that this test needs, given the others."""
        if getattr(self, "criterion", None) in ("equivalent", "beyond"):
            yield "margin"

    def idle(self) -> Iterable[str]:
        """Optional parameters that this test would not look at, given the others."""
        return ()

    @model_validator(mode="after")
    def _fits(self) -> ClaimTest:
        given = self.model_fields_set
        _check_numbers(self.model_dump(exclude_unset=True))
        if self.one_of and not given & set(self.one_of):
            raise ValueError(f"expected {' or '.join(self.one_of)}, found neither")
        missing = [name for name in self.needs() if name not in given]
        if missing:
            raise ValueError(f"expected {' and '.join(missing)} with the other parameters, found none")
        if idle := [name for name in self.idle() if name in given]:
            raise ValueError(f"expected no {' and no '.join(idle)}: with the other parameters nothing looks at it")
        if getattr(self, "criterion", None) == "equivalent" and not self.margin > 0:
            raise ValueError(f"expected margin to be above 0 with criterion equivalent, found {self.margin:g}")
        # How many of how many, or a share: with others a claim would hold whatever the numbers, or never.
        most, least = getattr(self, "of", 1), getattr(self, "at_least", None)
        if not 0 < most <= _MOST_CASES:
            raise ValueError(f"expected of to be above 0 and at most {_MOST_CASES}, found {most:g}")
        if least is not None and not 0 < least <= most:
            raise ValueError(f"expected at_least to be above 0 and at most {most:g}, found {least:g}")
        for first, second in _APART:
            others = self.results if second == _OF_RESULTS else _listed(getattr(self, second, None))
            both = [name for name in _listed(getattr(self, first, None)) if name in others]
            if both:
                raise ValueError(f"expected other names in {first} than in {second}, found {both[0]!r} in both")
        return self


def _listed(value: object) -> list[str]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _check_numbers(value: object) -> None:
    """Refuse numbers that are infinite, or too large to compute with, in any section."""
    if isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            _check_numbers(entry)
    elif isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= _LARGEST):
        raise ValueError(f"expected finite numbers in a test, found {value}")


class OfEffect(ClaimTest):
    """A test of an effect, which may be too small to matter."""

    forms: ClassVar[tuple[str, ...]] = ()  # Of the smallest effect, beside one number.
    smallest: Smallest = OPTIONAL

    @model_validator(mode="after")
    def _smallest_in_its_form(self) -> OfEffect:
        forms = ("one number", *self.forms)
        if self.smallest and self.smallest.form not in forms:
            raise ValueError(f"expected smallest to be {' or '.join(forms)}, found {self.smallest.form}")
        return self


class _Paired(ClaimTest):
    metric: Text = OPTIONAL
    where: Where = OPTIONAL

    @model_validator(mode="after")
    def _where_is_not_what_is_compared(self) -> _Paired:
        compared = getattr(self, "compares", None) or "method"
        if compared in (self.where or {}):
            raise ValueError(f"expected other conditions in where than {compared}, which the test compares")
        return self


class Compare(OfEffect, _Paired):
    """A method above, below or equivalent to others over paired units."""

    asks = "order"
    by_criterion = {"equivalent": ("equivalence", "comparisons")}
    forms = (RELATIVE,)
    kind: Literal["compare"]
    method: Text | Names
    against: Names
    pair: Names
    compares: Text = OPTIONAL
    sd_over: Text = OPTIONAL
    criterion: Literal["above", "below", "equivalent"] = OPTIONAL
    test: Literal["t", "sign", "mean", "draws"] = OPTIONAL
    margin: Size = OPTIONAL
    by: Names = OPTIONAL
    at_least: Share = OPTIONAL
    than_any: bool = OPTIONAL

    def needs(self) -> Iterable[str]:
        """A margin is of a criterion, and a share of draws under conditions."""
        yield from super().needs()
        yield from ["by", "at_least"] if self.test == "draws" else []

    def idle(self) -> Iterable[str]:
        """Margins are of equivalence, shares of draws, and the rest of what its test knows."""
        draws, equivalent = self.test == "draws", self.criterion == "equivalent"
        yield from [] if equivalent else ["margin"]
        yield from ["smallest", "than_any"] if draws else ["at_least"]
        yield from ["test"] if equivalent and self.test != "t" else []
        if draws and (self.criterion == "below" or isinstance(self.method, list)):
            raise ValueError("expected test draws to compare one method, above others")
        if self.sd_over and self.sd_over in (*self.pair, *(self.by or ())):
            raise ValueError(f"expected sd_over to be in neither pair nor by, found {self.sd_over}")


class CaseOfStudies(Model):
    """Metrics that are judged together, and the rows that they are of."""

    metrics: Names
    name: Text = OPTIONAL
    where: WhereOfMethod = OPTIONAL


CasesOfStudies = Annotated[list[CaseOfStudies], Field(min_length=1)]


class OverStudies(OfEffect):
    """A method above or below each other one in every metric, over studies."""

    asks = "order"
    holm_family = "comparisons"
    forms = (EACH, RELATIVE)
    kind: Literal["compare/studies"]
    method: Text
    against: Names
    cases: CasesOfStudies
    criterion: Order = OPTIONAL
    where: WhereOfMethod = OPTIONAL
    where_of: dict[Text, WhereOfMethod] = OPTIONAL
    reported: CasesOfStudies = OPTIONAL
    reported_methods: Names = OPTIONAL
    printed: Section = OPTIONAL
    apart: bool = OPTIONAL
    unit: Text = OPTIONAL
    controls: Pair = OPTIONAL


class Counted(_Paired):
    """Conditions under which a method is best, significantly best, or equivalent to others."""

    asks = "count"
    by_criterion = {"equivalent": ("equivalence", "conditions")}
    kind: Literal["count"]
    by: Names
    pair: Names
    at_least: Number
    of: Number
    criterion: Literal["above", "below", "equivalent"] = OPTIONAL
    test: Literal["mean", "significant"] = OPTIONAL
    method: Text | Names = OPTIONAL
    against: Names = OPTIONAL
    pairs: Annotated[list[Annotated[Names, Field(min_length=2)]], Field(min_length=1)] = OPTIONAL
    margin: Size = OPTIONAL
    also: Text = OPTIONAL
    contradicted: Literal["margin", "difference"] = OPTIONAL

    def needs(self) -> Iterable[str]:
        """Either pairs, or a method and others."""
        yield from super().needs()
        yield from [] if "pairs" in self.model_fields_set else ["method", "against"]
        yield from ["where"] if "also" in self.model_fields_set else []

    def idle(self) -> Iterable[str]:
        """Margins are of equivalence, and pairs name their methods."""
        yield from [] if self.criterion == "equivalent" else ["margin", "contradicted"]
        yield from ["method", "against"] if "pairs" in self.model_fields_set else []


class ShareOfRepetitions(ClaimTest):
    """A statement, 0 or 1 in the metrics, holds in nearly all repetitions."""

    asks = "order"
    kind: Literal["share"]
    metric: Text
    where: Wheres
    at_least: Number
    reported: Wheres = OPTIONAL


class Trend(OfEffect):
    """A metric rises or falls with a condition: rank correlations over units."""

    asks = "trend"
    forms = (RELATIVE,)
    kind: Literal["trend"]
    metric: Text
    on: Text
    criterion: Order = OPTIONAL
    where: Where = OPTIONAL
    pair: Names = OPTIONAL
    logarithm: bool = OPTIONAL
    limit: Correlation = OPTIONAL


class TrendOfDifferences(OfEffect, _Paired):
    """The difference of two methods rises or falls with conditions, or with their logarithms."""

    asks = "trend"
    forms = (EACH,)
    kind: Literal["trend/differences"]
    method: Text
    against: Text
    on: Names
    criterion: Order = OPTIONAL
    pair: Names
    where: WhereOfMethod = OPTIONAL
    within: Names = OPTIONAL
    logarithm: bool = OPTIONAL
    of_a_gain: bool = OPTIONAL


class Correlations(OfEffect):
    """Rank correlations in the metrics are above zero, or a limit."""

    asks = "trend"
    kind: Literal["trend/correlations"]
    metric: Text
    where: Wheres
    above: Correlation = OPTIONAL
    unit: Names = OPTIONAL
    by: Names = OPTIONAL
    ends: Section = OPTIONAL


class RanksOfMethods(OfEffect):
    """Two metrics rank the same methods alike."""

    asks = "trend"
    kind: Literal["trend/methods"]
    metrics: Annotated[list[MetricOfMethods], Field(min_length=2, max_length=2)]

    @model_validator(mode="after")
    def _as_many_methods(self) -> RanksOfMethods:
        first, second = (len(side.methods) for side in self.metrics)
        if first != second:
            raise ValueError(f"expected as many methods of either metric, found {first} and {second}")
        return self


class Value(ClaimTest):
    """The mean of a metric, or every mean under some conditions, is within a margin of print, or at least a limit."""

    asks = "value"
    # It names no method, which may be a condition.
    results = ("metric", "value")
    one_of = ("paper", "limit")
    kind: Literal["value"]
    metric: Text
    paper: Number = OPTIONAL
    margin: Size = OPTIONAL
    limit: Number = OPTIONAL
    where: Where = OPTIONAL
    by: Names = OPTIONAL
    reported: Wheres = OPTIONAL

    def needs(self) -> Iterable[str]:
        """The paper's value is compared within a margin."""
        yield from ["margin"] if "paper" in self.model_fields_set else []


class InRange(ClaimTest):
    """Every value of some metrics, or every mean of them, is in a range."""

    asks = "value"
    kind: Literal["value/range"]
    ranges: dict[Text, Range]
    where: Where = OPTIONAL
    by: Names = OPTIONAL
    within: Names = OPTIONAL

    def idle(self) -> Iterable[str]:
        """What means are made of, where there are none."""
        yield from [] if self.by else ["within"]


class Robust(ClaimTest):
    """The variance over a setting is no larger than over repetitions."""

    asks = "equivalence"
    kind: Literal["robust"]
    method: Text | Names
    over: Text
    by: Names
    metric: Text = OPTIONAL


class Context(ClaimTest):
    """Numbers that are shown next to the paper's, and not judged."""

    asks = "context"
    kind: Literal["context"]
    metric: Text | Names
    where: Wheres
    unit: Text


class Comparable(OfEffect, _Paired):
    """Pairs of methods differ by no more than their spread, or than the smallest effect."""

    asks = "equivalence"
    kind: Literal["comparable"]
    pairs: Pairs
    by: Names
    pair: Names
    compares: Text = OPTIONAL
    reported: Pairs = OPTIONAL
    reported_name: Text = OPTIONAL


class NoWinner(OfEffect, _Paired):
    """Neither method of a pair wins most conditions."""

    asks = "no difference"
    kind: Literal["no_winner"]
    pairs: Pairs
    by: Names
    pair: Names
    between: Range


def by_name(*models: type[ClaimTest]) -> dict[str, type[ClaimTest]]:
    """Kinds by their names."""
    return {model.model_fields["kind"].annotation.__args__[0]: model for model in models}


KINDS = by_name(
    Compare,
    OverStudies,
    Counted,
    ShareOfRepetitions,
    Trend,
    TrendOfDifferences,
    Correlations,
    RanksOfMethods,
    Value,
    InRange,
    Robust,
    Context,
    Comparable,
    NoWinner,
)

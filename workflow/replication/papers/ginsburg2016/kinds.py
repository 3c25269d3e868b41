"""Kinds of claims on FINE: features that it chooses, their stability and accuracy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, model_validator

from replication.shared.kinds import (
    EACH,
    OPTIONAL,
    ClaimTest,
    Count,
    Entries,
    Factor,
    Names,
    Number,
    OfEffect,
    Pairs,
    Position,
    Section,
    Size,
    Text,
    by_name,
)


class Ranking(OfEffect):
    """Methods ranked by the stability of the features that they choose."""

    asks = "value"
    holm_family = "comparisons"
    one_of = ("above", "ranges")
    forms = (EACH,)
    kind: Literal["ranking/stability"]
    across: Names
    above: Entries = OPTIONAL
    ranges: Section = OPTIONAL
    below: Section = OPTIONAL
    together: bool = OPTIONAL
    margin: Size = OPTIONAL
    significant: Position = OPTIONAL
    reported: Names = OPTIONAL
    variant: Text = OPTIONAL
    variants: bool = OPTIONAL

    @model_validator(mode="after")
    def _significant_is_one_of_above(self) -> Ranking:
        if self.significant is not None and self.significant >= len(self.above or []):
            raise ValueError(
                f"expected significant to be the number of a statement of above, counted from 0, found "
                f"{self.significant} and {len(self.above or [])} statements"
            )
        return self


class RankingByAccuracy(OfEffect):
    """Methods ranked by the accuracy with the features that they choose."""

    asks = "value"
    one_of = ("above", "ranges", "fewer")
    forms = (EACH,)
    kind: Literal["ranking/accuracy"]
    across: Names
    above: Entries = OPTIONAL
    fewer: Entries = OPTIONAL
    ranges: Section = OPTIONAL
    compare: Text | Annotated[list[Text], Field(min_length=1)] = OPTIONAL
    judge: Literal["classifiers", "mean"] = OPTIONAL
    together: bool = OPTIONAL
    margin: Size = OPTIONAL
    count: Count = OPTIONAL
    variant: Text = OPTIONAL

    def needs(self) -> Iterable[str]:
        """Ranges are compared within a margin."""
        yield from ["margin", "judge"] if "ranges" in self.model_fields_set else []


class AgainstVectors(OfEffect):
    """Chosen features above the embedding vectors themselves."""

    asks = "order"
    holm_family = "cells"
    kind: Literal["compare/vectors"]
    unit: Literal["repetition", "cohort"]
    classifiers: Literal["each", "mean"] = OPTIONAL
    variant: Text = OPTIONAL


class Dimensions(ClaimTest):
    """Numbers of dimensions near the paper's."""

    asks = "value"
    kind: Literal["dimensions"]
    paper: Section
    factor: Factor
    largest: Count
    variant: Text = OPTIONAL


class CountOfCohorts(OfEffect):
    """Data sets in which chosen features are stabler, or more accurate too, over cohorts."""

    asks = "count"
    holm_family = "data sets"
    forms = (EACH,)
    kind: Literal["count/cohorts"]
    at_least: Number
    of: Number
    metrics: list[Literal["jaccard", "auc"]] = OPTIONAL
    reported: Names = OPTIONAL
    variant: Text = OPTIONAL


class CountOfSets(ClaimTest):
    """Data sets in which chosen features are stabler, and more accurate."""

    asks = "count"
    kind: Literal["count/sets"]
    beyond: Size
    reported: Names = OPTIONAL
    variant: Text = OPTIONAL


class Accuracies(OfEffect):
    """Accuracies above others on some data sets, and on par on others."""

    asks = "order"
    forms = (EACH,)
    kind: Literal["compare/accuracies"]
    above: Section
    on_par: Section
    margin: Size
    against: Names = OPTIONAL
    variant: Text = OPTIONAL


class Steps(OfEffect):
    """A metric falls along a list of methods."""

    asks = "order"
    holm_family = "steps"
    one_of = ("methods", "pairs")
    kind: Literal["compare/steps"]
    methods: Names = OPTIONAL
    pairs: Pairs = OPTIONAL
    variant: Text = OPTIONAL


class RiskGroups(ClaimTest):
    """Groups of low and high risk differ in survival."""

    asks = "order"
    kind: Literal["risk_groups"]
    fit: Text
    reported: Text


KINDS = by_name(
    Ranking, RankingByAccuracy, AgainstVectors, Dimensions, CountOfCohorts, CountOfSets, Accuracies, Steps, RiskGroups
)

"""Kinds of claims on extrapolated embeddings, over a grid of training shares and labelled shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from replication.shared.kinds import (
    EACH,
    OPTIONAL,
    RELATIVE,
    ClaimTest,
    Entries,
    Model,
    Names,
    Number,
    OfEffect,
    Order,
    Section,
    Sections,
    Share,
    Size,
    Text,
    by_name,
)


class _Grid(ClaimTest):
    training: Section = OPTIONAL
    labelled: Section = OPTIONAL
    objects: Names = OPTIONAL


class Errors(ClaimTest):
    """The error of approximated similarities is small."""

    asks = "value"
    kind: Literal["value/errors"]
    methods: Names
    printed: Section
    relative: Section
    reported: Sections = OPTIONAL


class Above(Model):
    """A level that values have to be above."""

    above: Number


class Levels(_Grid):
    """Values are above a level at every training share and labelled share."""

    asks = "value"
    holm_family = "cells"
    kind: Literal["value/shares"]
    method: Text
    limits: dict[Text, Above]
    reported_methods: Names = OPTIONAL
    reported_metrics: Names = OPTIONAL


class ReachedBy(Model):
    """A method, and the one that it comes close to."""

    method: Text
    against: Text


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
    reported: Entries = OPTIONAL


class NeedsLess(OfEffect, _Grid):
    """A smaller training share suffices to reach another method than in another pair of methods."""

    asks = "order"
    kind: Literal["compare/needed"]
    method: Text
    against: Text
    than: ReachedBy
    metrics: Names

    def needs(self) -> Iterable[str]:
        """Shares lie on a grid: less is by a part of its step at the least."""
        yield from super().needs()
        yield "smallest"


class ChangeOverShares(Model):
    """A metric over one of the shares; or the training share that reaches a method, over the labelled share."""

    metric: Text = OPTIONAL
    on: Literal["training", "labelled"] = OPTIONAL
    needed: Text = OPTIONAL
    against: Text = OPTIONAL
    criterion: Order = OPTIONAL

    @model_validator(mode="after")
    def _one(self) -> ChangeOverShares:
        found = self.model_fields_set - {"criterion"}
        if found not in ({"metric", "on"}, {"needed", "against"}):
            raise ValueError(
                f"expected metric and on, or needed and against, found {', '.join(sorted(found)) or 'none'}"
            )
        return self


class TrendOverShares(OfEffect):
    """Means rise or fall with the training share or the labelled share."""

    asks = "trend"
    forms = (EACH,)
    kind: Literal["trend/shares"]
    method: Text
    cases: Annotated[list[ChangeOverShares], Field(min_length=1)]
    reported: Entries = OPTIONAL
    objects: Names = OPTIONAL

    def needs(self) -> Iterable[str]:
        """The training share that suffices has no test: its change is compared with the smallest effect."""
        yield from super().needs()
        yield from ["smallest"] if any(case.needed for case in self.cases) else []


class OverGrid(OfEffect, _Grid):
    """A method above another, equivalent to it, or far below it, at every training share and labelled share."""

    asks = "order"
    by_criterion: ClassVar[Mapping[str, tuple[str, str]]] = {
        "above": ("order", "cells"),
        "equivalent": ("equivalence", "cells"),
    }
    forms = (EACH, RELATIVE)
    kind: Literal["compare/grid"]
    method: Text
    against: Text
    metrics: Names
    criterion: Literal["above", "equivalent", "beyond"]
    margin: Size = OPTIONAL
    baseline: Text = OPTIONAL
    queries: Literal["rarest"] = OPTIONAL
    variant: Text = OPTIONAL
    reported: Entries = OPTIONAL
    reported_methods: Names = OPTIONAL

    def needs(self) -> Iterable[str]:
        """A variant is named of queries, of all else by a `subset`; beyond is a share of the lead over a baseline."""
        yield from super().needs()
        yield from ["queries"] if "variant" in self.model_fields_set else []
        yield from ["baseline"] if self.criterion == "beyond" else []


KINDS = by_name(Errors, Levels, Needed, NeedsLess, TrendOverShares, OverGrid)

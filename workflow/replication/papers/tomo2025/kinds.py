"""Kinds of claims on few repetitions and many redraws of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from replication.shared.kinds import (
    OPTIONAL,
    RELATIVE,
    ClaimTest,
    Count,
    Entries,
    Names,
    OfEffect,
    Section,
    Text,
    by_name,
)


class OverRedraws(ClaimTest):
    """The paper's numbers lie inside the bands of fresh sets of repetitions."""

    asks = "value"
    holm_family = "values"
    own_data = True
    kind: Literal["value/redraws"]
    paper: Section
    at: Count
    than: Annotated[dict[Literal["higher", "lower"], Count], Field(min_length=1, max_length=1)]


class FallOverSizes(OfEffect):
    """Distances fall with the number of runs, or no further."""

    asks = "trend"
    forms = (RELATIVE,)
    kind: Literal["trend/redraws"]
    metrics: Names
    sizes: Entries
    falls: Literal["every step", "early", "no further", "at all"]
    space: Literal["consensus", "picture"] = OPTIONAL

    def needs(self) -> Iterable[str]:
        """No further, or at all, is judged against the smallest effect of interest."""
        yield from ["smallest"] if self.falls in ("no further", "at all") else []

    def idle(self) -> Iterable[str]:
        """Redraws, by which these two are judged, are of consensus distances."""
        yield from ["space"] if self.falls in ("no further", "at all") and self.space == "picture" else []


class Decay(ClaimTest):
    """A tail decays exponentially."""

    asks = "trend"
    kind: Literal["decay"]
    level: Text


KINDS = by_name(OverRedraws, FallOverSizes, Decay)

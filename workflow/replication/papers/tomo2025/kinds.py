"""Kinds of claims on few repetitions and many redraws of them."""

from __future__ import annotations

from typing import Literal

from replication.shared.kinds import (
    OPTIONAL,
    ClaimTest,
    Count,
    Entries,
    Names,
    Section,
    Text,
    by_name,
)


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
    space: Literal["consensus", "picture"] = OPTIONAL


class Decay(ClaimTest):
    """A tail decays exponentially."""

    asks = "trend"
    kind: Literal["decay"]
    level: Text


KINDS = by_name(OverRedraws, FallOverSizes, Decay)

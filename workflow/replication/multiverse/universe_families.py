"""The families of universes and their reduced configurations; light, since the rules read them too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.catalogue.papers import PAPERS
from replication.platform.configuration import merge
from replication.platform.declarations import Family

# Family -> its declaration, and family -> its paper.
FAMILIES: dict[str, Family] = dict(
    sorted(
        ((name, family) for paper in PAPERS.values() for name, family in paper.families.items()),
        key=lambda item: item[1].position,
    )
)
PAPER_OF: dict[str, str] = {name: paper for paper, declared in PAPERS.items() for name in declared.families}


def universe_module(family: str) -> str:
    """Name of the module of a family."""
    return f"replication.papers.{PAPER_OF[family]}.universe_{family}"


def reduced_config(config: Mapping[str, Any], family: str) -> dict[str, Any]:
    """The sections of a study that a family reads, at the reduced size."""
    reduced = config["multiverse"]["reduced"][family]
    sections = dict.fromkeys([*FAMILIES[family].sections, *reduced])
    return {name: merge(config.get(name, {}), reduced.get(name, {})) for name in sections}

"""Sparks and Madabhushi 2011: out-of-sample extrapolation and retrieval."""

from replication.platform.declarations import Family, Kind, Paper

_GRID = {"training": "section", "labelled": "section", "objects": "names"}
_TOLD = {"beside": "list", "gate": "names"}
_AGAINST = {"method": "text", "against": "text"}

PAPER = Paper(
    title="Sparks and Madabhushi 2011",
    short_title="Sparks 2011",
    position=4,
    kinds={
        "approximation": Kind(
            "value",
            required={"methods": "names", "printed": "section", "relative": "section"},
            optional={"beside": "sections"},
        ),
        "rises": Kind(
            "trend",
            required={"method": "text", "cases": "sections"},
            optional={"beside": "list", "objects": "names"},
        ),
        "needed": Kind(
            "value",
            required={**_AGAINST, "metrics": "names", "at_most": "number", "paper": "number", "margin": "number"},
            optional={**_GRID, **_TOLD},
        ),
        "shortfall": Kind(
            "order",
            required={**_AGAINST, "metrics": "names", "training": "section", "margin": "number"},
            optional={**_GRID, **_TOLD},
        ),
        "equivalent_cells": Kind(
            "equivalence",
            "cells",
            required={**_AGAINST, "metric": "text", "margin": "number"},
            optional={**_GRID, **_TOLD},
        ),
        "levels": Kind(
            "value",
            required={"method": "text", "limits": "section"},
            optional={**_GRID, "beside": "names", "beside_metrics": "names"},
        ),
        "ahead": Kind(
            "order",
            "cells",
            required={**_AGAINST, "metrics": "names"},
            optional={
                **_GRID,
                "at_least": "number",
                "queries": "rarest",
                "beside": "names",
                "beside_objects": "names",
            },
        ),
    },
    judges=("retrieval_judges.RETRIEVAL_KINDS",),
    findings=("retrieval_findings.RETRIEVAL_FINDINGS",),
    families={
        "retrieval": Family(sections=("out_of_sample", "swiss_roll", "glands", "gland_retrieval"), position=5),
    },
)

"""Sparks and Madabhushi 2011: out-of-sample extrapolation and retrieval."""

from replication.platform.declarations import Family, Kind, Paper

_GRID = {"training": "section", "labelled": "section", "objects": "names"}
_TOLD = {"beside": "list", "gate": "names"}
_AGAINST = {"method": "text", "against": "text", "metrics": "names"}

PAPER = Paper(
    title="Sparks and Madabhushi 2011",
    short_title="Sparks 2011",
    position=4,
    kinds={
        "value/errors": Kind(
            "value",
            required={"methods": "names", "printed": "section", "relative": "section"},
            optional={"beside": "sections"},
        ),
        "value/shares": Kind(
            "value",
            required={"method": "text", "limits": "section"},
            optional={**_GRID, "beside_methods": "names", "beside_metrics": "names"},
        ),
        "value/needed": Kind(
            "value",
            required={**_AGAINST, "at_most": "share", "paper": "number", "margin": "size"},
            optional={**_GRID, **_TOLD},
        ),
        "trend/shares": Kind(
            "trend",
            required={"method": "text", "cases": "sections"},
            optional={"beside": "list", "objects": "names"},
        ),
        "compare/shares": Kind(
            "order",
            "cells",
            required=_AGAINST,
            optional={
                **_GRID,
                "at_least": "number",
                "queries": "rarest",
                "beside_methods": "names",
                "beside_objects": "names",
            },
        ),
        "compare/grid": Kind(
            "order",
            by_criterion={"equivalent": ("equivalence", "cells")},
            required={**_AGAINST, "criterion": "equivalent|beyond", "margin": "size"},
            optional={**_GRID, **_TOLD},
        ),
    },
    judges=("retrieval_judges.RETRIEVAL_KINDS",),
    findings=("retrieval_findings.RETRIEVAL_FINDINGS",),
    families={
        "retrieval": Family(
            experiments=("swiss_roll", "gland_retrieval"),
            sections=("out_of_sample", "swiss_roll", "glands", "gland_retrieval"),
            position=5,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)

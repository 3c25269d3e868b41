"""Ginsburg et al. 2016: the importance of features in embeddings."""

from replication.platform.declarations import Family, Kind, Paper

PAPER = Paper(
    title="Ginsburg et al. 2016",
    short_title="Ginsburg 2016",
    position=5,
    kinds={
        "ranking/stability": Kind(
            "value",
            "comparisons",
            required={"across": "names"},
            optional={
                "above": "list",
                "ranges": "section",
                "below": "section",
                "margin": "size",
                "significant": "position",
                "told": "names",
                "variant": "text",
                "variants": "flag",
            },
            one_of=("above", "ranges"),
        ),
        "ranking/accuracy": Kind(
            "value",
            required={"across": "names"},
            optional={
                "above": "list",
                "ranges": "section",
                "compare": "text or list",
                "judge": "classifiers|mean",
                "margin": "size",
                "count": "count",
            },
            one_of=("above", "ranges"),
            needed_with={"ranges": ("margin", "judge")},
        ),
        "compare/vectors": Kind(
            "order", "cells", required={"unit": "repetition|cohort"}, optional={"classifiers": "each|mean"}
        ),
        "dimensions": Kind(
            "value",
            required={"paper": "section", "factor": "factor", "largest": "count"},
            optional={"variant": "text"},
        ),
        "value/scores": Kind("value", required={"tolerance": "size"}, optional={"variant": "text"}),
        "count/cohorts": Kind(
            "count",
            "data sets",
            required={"at_least": "number", "of": "number"},
            optional={"told": "names", "variant": "text"},
        ),
        "count/sets": Kind("count", required={"beyond": "size"}, optional={"told": "names", "variant": "text"}),
        "compare/accuracies": Kind(
            "order",
            required={"above": "section", "on_par": "section", "margin": "size"},
            optional={"against": "names"},
        ),
        "compare/steps": Kind(
            "order",
            "steps",
            optional={"methods": "names", "pairs": "list", "metric": "text"},
            one_of=("methods", "pairs"),
        ),
        "risk_groups": Kind("order", required={"fit": "text", "beside": "text"}),
    },
    judges=("fine_judges.FINE_KINDS",),
    findings=("fine_findings.FINE_FINDINGS",),
    families={
        "features": Family(
            experiments=("feature_selection",),
            sections=("features", "feature_embedding", "feature_selection"),
            position=6,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)

"""Kinds of claims that any paper may make: declarations of those that the judges of this package judge."""

from replication.platform.declarations import Kind

_PAIRS = {"metric": "text", "where": "section"}
_ORDER = {"order": "above|below"}

SHARED_KINDS: dict[str, Kind] = {
    "within": Kind(
        "value",
        required={"metric": "text", "paper": "number", "margin": "number"},
        optional={"where": "section", "beside": "sections"},
    ),
    "paired": Kind(
        "order",
        required={"method": "text or names", "against": "names", "pair": "names"},
        optional={**_PAIRS, **_ORDER, "test": "mean|sign"},
    ),
    "draws": Kind(
        "order",
        required={"method": "text", "against": "names", "by": "names", "pair": "names", "at_least": "number"},
        optional=_PAIRS,
    ),
    "count": Kind(
        "count",
        required={
            "by": "names",
            "pair": "names",
            "test": "mean|significant|equivalent",
            "at_least": "number",
            "of": "number",
        },
        optional={
            **_PAIRS,
            **_ORDER,
            "method": "text or names",
            "against": "names",
            "pairs": "list",
            "margin": "number",
            "also": "text",
            "contradicted": "margin|difference",
        },
    ),
    "rank_trend": Kind(
        "trend",
        required={"metric": "text", "on": "text"},
        optional={**_ORDER, "where": "section", "pair": "names", "limit": "number"},
    ),
    "slopes": Kind(
        "trend",
        required={"first": "text", "second": "text", "on": "names", "by": "names", "pair": "names"},
        optional=_PAIRS,
    ),
    "gain": Kind(
        "trend",
        required={"method": "text", "over": "text", "on": "text", "pair": "names"},
        optional={"metric": "text", "within": "names"},
    ),
    "paired_equivalence": Kind(
        "equivalence",
        "comparisons",
        required={"method": "text or names", "against": "names", "pair": "names", "margin": "number"},
        optional=_PAIRS,
    ),
    "robust": Kind(
        "equivalence",
        required={"method": "text or names", "over": "text", "by": "names"},
        optional={"metric": "text"},
    ),
    "correlations": Kind(
        "trend", required={"metric": "text", "where": "sections"}, optional={"above": "number", "unit": "names"}
    ),
    "convergence": Kind(
        "trend",
        required={
            "metric": "text",
            "on": "text",
            "strong": "sections",
            "weak": "sections",
            "limit": "number",
            "weak_limit": "number",
        },
    ),
    "frequency": Kind(
        "order",
        required={"metric": "text", "where": "sections", "at_least": "number"},
        optional={"beside": "sections"},
    ),
    "context": Kind("context", required={"metric": "text", "where": "sections", "unit": "text"}),
}

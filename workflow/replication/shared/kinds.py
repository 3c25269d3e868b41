"""Kinds of claims that any paper may make: declarations of those that the judges of this package judge."""

from replication.platform.declarations import Kind

_WHERE = {"metric": "text", "where": "section"}
_AGAINST = {"method": "text", "against": "names"}
_ORDER = {"criterion": "above|below"}

SHARED_KINDS: dict[str, Kind] = {
    "compare": Kind(
        "order",
        by_criterion={"equivalent": ("equivalence", "comparisons")},
        required={"method": "text or names", "against": "names", "pair": "names"},
        optional={**_WHERE, "criterion": "above|below|equivalent", "test": "t|sign|mean", "margin": "size"},
        needed_with={"margin": ("criterion",)},
    ),
    "count": Kind(
        "count",
        by_criterion={"equivalent": ("equivalence", "conditions")},
        required={"by": "names", "pair": "names", "at_least": "number", "of": "number"},
        optional={
            **_WHERE,
            "criterion": "above|below|equivalent",
            "test": "mean|significant",
            "method": "text or names",
            "against": "names",
            "pairs": "list",
            "margin": "size",
            "also": "text",
            "contradicted": "margin|difference",
        },
        needed_with={"also": ("where",)},
    ),
    "share": Kind(
        "order", required={**_AGAINST, "by": "names", "pair": "names", "at_least": "number"}, optional=_WHERE
    ),
    "share/repetitions": Kind(
        "order",
        required={"metric": "text", "where": "sections", "at_least": "number"},
        optional={"beside": "sections"},
    ),
    "trend": Kind(
        "trend",
        required={"metric": "text", "on": "text"},
        optional={**_ORDER, "where": "section", "pair": "names", "limit": "correlation"},
    ),
    "trend/differences": Kind(
        "trend",
        required={"first": "text", "second": "text", "on": "names", "by": "names", "pair": "names"},
        optional=_WHERE,
    ),
    "trend/gains": Kind(
        "trend",
        required={"method": "text", "over": "text", "on": "text", "pair": "names"},
        optional={"metric": "text", "within": "names"},
    ),
    "trend/correlations": Kind(
        "trend",
        required={"metric": "text", "where": "sections"},
        optional={"above": "correlation", "unit": "names", "ends": "section"},
    ),
    "value": Kind(
        "value",
        required={"metric": "text", "paper": "number", "margin": "size"},
        optional={"where": "section", "beside": "sections"},
    ),
    "robust": Kind(
        "equivalence",
        required={"method": "text or names", "over": "text", "by": "names"},
        optional={"metric": "text"},
    ),
    "context": Kind("context", required={"metric": "text", "where": "sections", "unit": "text"}),
}

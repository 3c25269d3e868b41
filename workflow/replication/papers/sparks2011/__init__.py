"""Sparks and Madabhushi 2011: out-of-sample extrapolation and retrieval."""

from replication.platform.declarations import Family, Paper

PAPER = Paper(
    title="Sparks and Madabhushi 2011",
    short_title="Sparks 2011",
    position=4,
    ledger_position=4,
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

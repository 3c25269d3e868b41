"""Tomo and Yoneoka 2025: the median consensus embedding of t-SNE runs."""

from replication.platform.declarations import Family, Kind, Paper

PAPER = Paper(
    title="Tomo and Yoneoka 2025",
    short_title="Tomo 2025",
    position=1,
    kinds={
        "value/redraws": Kind("value", own_data=True, required={"paper": "section", "at": "number", "than": "section"}),
        "trend/redraws": Kind(
            "trend",
            required={"metrics": "names", "sizes": "list", "falls": "every step|early"},
            optional={"space": "consensus|picture"},
        ),
        "decay": Kind("trend", required={"level": "text"}),
    },
    judges=("mce_judges.MCE_KINDS",),
    findings=(),
    families={
        "digits": Family(
            experiments=("mce_convergence", "mce_tail"),
            sections=("digits", "tsne", "median_consensus", "mce_convergence", "mce_tail"),
            position=4,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)

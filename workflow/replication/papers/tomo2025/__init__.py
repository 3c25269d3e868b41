"""Tomo and Yoneoka 2025: the median consensus embedding of t-SNE runs."""

from replication.platform.declarations import Family, Paper

PAPER = Paper(
    title="Tomo and Yoneoka 2025",
    short_title="Tomo 2025",
    position=1,
    ledger_position=2,
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

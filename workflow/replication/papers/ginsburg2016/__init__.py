"""Ginsburg et al. 2016: the importance of features in embeddings."""

from replication.papers.ginsburg2016.layout import FEATURES
from replication.platform.declarations import Family, Paper

PAPER = Paper(
    title="Ginsburg et al. 2016",
    short_title="Ginsburg 2016",
    position=5,
    ledger_position=5,
    judges=("fine_judges.FINE_KINDS",),
    findings=("fine_findings.FINE_FINDINGS",),
    families={
        "features": Family(
            experiments=("feature_selection",),
            sections=("features", "feature_embedding", "feature_selection"),
            position=6,
            files=lambda study: {"tables": [f"{FEATURES}/{name}.npz" for name in study["feature_selection"]["sets"]]},
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)

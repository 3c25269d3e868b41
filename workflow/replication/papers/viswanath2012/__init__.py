"""Viswanath and Madabhushi 2012: consensus embedding of images and of gene expression, and its theory."""

from replication.platform.declarations import Family, Kind, Paper

_PAIRS = {"metric": "text", "where": "section"}

PAPER = Paper(
    title="Viswanath and Madabhushi 2012",
    short_title="Viswanath 2012",
    position=2,
    kinds={
        "comparable": Kind(
            "equivalence",
            required={"pairs": "list", "by": "names", "pair": "names"},
            optional={**_PAIRS, "beside": "list", "beside_name": "text"},
        ),
        "no_winner": Kind(
            "no difference",
            required={"pairs": "list", "by": "names", "pair": "names", "between": "list"},
            optional=_PAIRS,
        ),
    },
    judges=("gene_judges.GENE_KINDS",),
    findings=("image_findings.IMAGE_FINDINGS", "gene_findings.GENE_FINDINGS"),
    families={
        "images": Family(
            experiments=("brain_grid", "brain_readings", "ml_estimators"),
            sections=("brain", "image_embedding", "brain_readings", "ml_estimators"),
            position=1,
        ),
        "genes": Family(
            experiments=("gene_expression", "m_sensitivity"),
            sections=("genes", "gene_embedding", "m_sensitivity"),
            position=2,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)

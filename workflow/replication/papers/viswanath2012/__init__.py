"""Viswanath and Madabhushi 2012: consensus embedding of images and of gene expression, and its theory."""

from replication.papers.viswanath2012.layout import gene_universe_files, image_universe_files
from replication.platform.declarations import Family, Paper

PAPER = Paper(
    title="Viswanath and Madabhushi 2012",
    short_title="Viswanath 2012",
    position=2,
    ledger_position=1,
    judges=("gene_judges.GENE_KINDS",),
    findings=("image_findings.IMAGE_FINDINGS", "gene_findings.GENE_FINDINGS"),
    families={
        "images": Family(
            experiments=("brain_grid", "brain_readings", "ml_estimators"),
            sections=("brain", "image_embedding", "brain_readings", "ml_estimators"),
            position=1,
            files=image_universe_files,
        ),
        "genes": Family(
            experiments=("gene_expression", "m_sensitivity"),
            sections=("genes", "gene_embedding", "m_sensitivity"),
            position=2,
            files=gene_universe_files,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)

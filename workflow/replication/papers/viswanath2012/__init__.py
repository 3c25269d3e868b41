"""Viswanath and Madabhushi 2012: consensus embedding of images and of gene expression, and its theory."""

from replication.papers.viswanath2012.layout import gene_universe_files, image_universe_files
from replication.platform.declarations import Answer, Family, Paper

PAPER = Paper(
    title="Viswanath and Madabhushi 2012",
    short_title="Viswanath 2012",
    position=2,
    ledger_position=1,
    answer=Answer(
        question="Does a consensus of many weak embeddings separate classes better than one embedding of all features?",
        text=(
            "It depends on which embeddings are kept: with the threshold as printed the consensus is not better than "
            "one graph embedding of all features; with two other readings of the threshold it is the best on images."
        ),
        verdicts={
            "CE-20-brain": "does not hold on the substitute",
            "CE-20-genes": "not reproduced",
            "CE-02-within": "holds on the substitute",
            "CE-02-strongest": "holds on the substitute",
        },
        figure="brain_readings/figures/readings.png",
        paper_scale="resources/readme/brain_readings.png",
    ),
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

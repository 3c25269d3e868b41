"""Viswanath and Madabhushi 2012: consensus embedding of images and of gene expression, and its theory."""

from replication.papers.viswanath2012.layout import all_genes, image_universe_files
from replication.platform.declarations import Answer, Clause, Family, Paper
from replication.platform.steps import Seconds

PAPER = Paper(
    title="Viswanath and Madabhushi 2012",
    short_title="Viswanath 2012",
    position=2,
    ledger_position=1,
    answer=Answer(
        topic="one embedding from many random feature subsets, for MR images and genes",
        question=(
            "Does a consensus of embeddings of many random feature subsets separate classes better than one embedding "
            "of all features?"
        ),
        sentences=(
            (
                Clause(
                    "as printed it is not reliably more accurate, on simulated brains at 128 grey levels and "
                    "prostates, or on gene ranks",
                    "does not hold",
                    rows=("CE-20-brain", "CE-08", "CE-20-genes"),
                    short="reliably more accurate than one embedding, threshold as printed",
                    unless=Clause(
                        "and on unranked genes by Ward's linkage it leads in fewer than half the cases",
                        "partly",
                        rows=("CE-20-genes with CH-41",),
                        short="more accurate on unranked genes, by Ward's linkage",
                    ),
                ),
            ),
            (
                Clause(
                    "two stricter thresholds beat features, MDS and graph embedding on slices",
                    "holds",
                    rows=("CE-02-within", "CE-02-strongest"),
                    short="better on brain slices with stricter selection",
                    unless=Clause(
                        "but the best base embedding, chosen by labels, scores higher",
                        "does not hold",
                        rows=("CE-21-brain",),
                        short="better than its best base embedding",
                    ),
                ),
            ),
            (
                Clause(
                    "as printed it finds lesions of simulated prostates slightly better at full contrast, by balanced "
                    "accuracy",
                    "holds",
                    rows=("CE-34",),
                    unless=Clause(
                        "but with stricter thresholds worse than one embedding",
                        "does not hold",
                        rows=("CE-34 with CH-09",),
                    ),
                ),
            ),
        ),
        figure="brain_readings/figures/readings.png",
        paper_scale="resources/readme/brain_readings.png",
    ),
    families={
        "images": Family(
            experiments=("brain_grid", "brain_readings", "ml_estimators"),
            sections=("brain", "image_embedding", "brain_readings", "ml_estimators"),
            position=1,
            takes=Seconds(4, 2.2, "multiverse.per_job"),
            # Levels that the study also has. The universes use four of the slices of the study, of each a quarter of
            # its area, and the first draw of the noise; they do not run again if other slices or draws change.
            reduced={
                "brain": {"second_subject": "none", "noise_draws": 1, "noise": (1, 9), "inhomogeneity": (0, 40)},
                "image_embedding": {"max_objects": 80, "n_embeddings": 20},
            },
            files=image_universe_files,
        ),
        "genes": Family(
            experiments=("gene_expression", "m_sensitivity"),
            sections=("genes", "gene_embedding", "m_sensitivity"),
            position=2,
            takes=Seconds(3, 2.8, "multiverse.per_job"),
            # The subsets contain every gene, so that subsets of 10 genes need 30 embeddings.
            reduced={
                "genes": {"repetitions": 2},
                "gene_embedding": {"n_embeddings": 30},
                "m_sensitivity": {"n_embeddings": (10, 30)},
            },
            files=lambda study: {"splits": all_genes(study)},
        ),
    },
)

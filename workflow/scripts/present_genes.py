"""Tables and figures of an experiment on gene expression."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.papers.viswanath2012 import gene_figures, gene_tables
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

TABLES = {
    "gene_calibration": {},
    "gene_expression": {
        "accuracy": gene_tables.accuracy_table,
        "scores": gene_tables.scores_table,
        "tests": gene_tables.tests_table,
        "variants": gene_tables.variants_table,
    },
    "m_sensitivity": {
        "consensus_pca": lambda metrics: gene_tables.m_table(metrics, "pca"),
        "consensus_ge": lambda metrics: gene_tables.m_table(metrics, "graph_embedding"),
    },
}
experiment = Path(snakemake.input.metrics).parent.name
with job(snakemake, f"figures of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    for name, make in TABLES[experiment].items():
        write_table(make(metrics), snakemake.output[f"{name}_table"])
    extra = snakemake.input.keys()
    pictures = dict(np.load(snakemake.input.pictures)) if "pictures" in extra else {}
    picks = read_table(snakemake.input.picks) if "picks" in extra else None
    for name, figure in gene_figures.draw(experiment, metrics, pictures, picks).items():
        figures.save_figure(figure, *snakemake.output[name])

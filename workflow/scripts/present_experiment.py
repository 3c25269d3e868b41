"""Table and figure of an experiment that has one of each."""

from pathlib import Path

from replication.platform.job import job
from replication.papers.tomo2025 import mce_figures, mce_tables
from replication.papers.tomo2025.method_names import COMBINATIONS
from replication.shared import figures, tables
from replication.shared.tidy import read_table, write_table

experiment = Path(snakemake.input.metrics).parent.name
with job(snakemake, f"figure of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    table, figure = {
        "tsne_equivalence": lambda: (
            tables.mean_sd_table(metrics, ["method", "n_embeddings"]),
            mce_figures.draw_equivalence(metrics),
        ),
        "mce_tail": lambda: (mce_tables.tail_table(metrics), mce_figures.draw_tail(metrics)),
        "consensus_comparison": lambda: (
            tables.mean_sd_table(metrics, ["method", "space"]),
            mce_figures.draw_comparison(metrics, COMBINATIONS),
        ),
        "mce_extensions": lambda: (
            tables.mean_sd_table(metrics, ["kind", "method", "n_embeddings"]),
            mce_figures.draw_extensions(metrics),
        ),
    }[experiment]()
    write_table(table, snakemake.output.table)
    figures.save_figure(figure, *snakemake.output.figure)

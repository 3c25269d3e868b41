"""Table and figures of mce_convergence."""

import numpy as np
from replication.platform.job import job
from replication.datasets.digits import read_digits
from replication.ledger.claims import read_claims
from replication.papers.tomo2025 import mce_figures, mce_tables
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

with job(snakemake, "figures of mce_convergence"):
    metrics = read_table(snakemake.input.metrics)
    table = mce_tables.convergence_table(metrics, read_claims(snakemake.input.claims))
    write_table(table, snakemake.output.table)
    pictures = dict(np.load(snakemake.input.pictures))
    _, labels = read_digits(snakemake.params.n_samples)
    drawn = {
        "distances": mce_figures.draw_distances(table),
        "reference": mce_figures.draw_reference(pictures["reference"], labels, snakemake.params.reference_runs),
        "repetitions": mce_figures.draw_repetitions(pictures, labels),
    }
    for name, figure in drawn.items():
        figures.save_figure(figure, *snakemake.output[name])

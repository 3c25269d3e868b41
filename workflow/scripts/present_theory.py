"""Table and figures of the toy image and of the experiments on the theory."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.papers.viswanath2012 import theory_figures
from replication.shared import tables
from replication.shared.figures import save_figure
from replication.shared.tidy import read_table, write_table

experiment = Path(snakemake.input.metrics).parent.name
with job(snakemake, f"figures of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    shown = metrics[metrics["metric"].isin(theory_figures.SHOWN[experiment])]
    if experiment == "theory_monotone":
        shown = theory_figures.genes_apart(shown)
    write_table(tables.mean_sd_table(shown, theory_figures.BY[experiment]), snakemake.output.table)
    pictures = dict(np.load(snakemake.input.pictures)) if experiment == "toy_rgb" else {}
    for name, figure in theory_figures.draw(experiment, metrics, pictures).items():
        save_figure(figure, *snakemake.output[name])

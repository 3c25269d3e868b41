"""Tables and figures of an experiment on spectra."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.papers.tiwari2008 import spectra_figures, spectra_tables
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

TABLES = {
    "spectra_calibration": [],
    "spectra_methods": [spectra_tables.table_1a, spectra_tables.sweep, spectra_tables.studies, spectra_tables.ratios],
    "spectra_dimensions": [spectra_tables.table_1b],
    "spectra_stability": [spectra_tables.stability],
    "spectra_components": [spectra_tables.correlations],
}
experiment = Path(snakemake.input.metrics).parent.name
with job(snakemake, f"figures of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    for make in TABLES[experiment]:
        write_table(make(metrics), snakemake.output[f"{make.__name__}_table"])
    extra = snakemake.input.keys()
    pictures = dict(np.load(snakemake.input.pictures)) if "pictures" in extra else {}
    picks = read_table(snakemake.input.picks) if "picks" in extra else None
    for name, figure in spectra_figures.draw(experiment, metrics, pictures, picks).items():
        figures.save_figure(figure, *snakemake.output[name])

"""Tables and figures of an experiment on extrapolation and retrieval."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.papers.sparks2011 import retrieval_figures, retrieval_tables
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

TABLES = {
    "retrieval_calibration": [],
    "swiss_roll": [
        retrieval_tables.compared,
        retrieval_tables.curves,
        retrieval_tables.needed,
        retrieval_tables.errors,
        retrieval_tables.variants,
    ],
    "gland_retrieval": [
        retrieval_tables.compared,
        retrieval_tables.curves,
        retrieval_tables.needed,
        retrieval_tables.errors,
        retrieval_tables.first_five,
        retrieval_tables.separation,
        retrieval_tables.chance,
        retrieval_tables.variants,
    ],
    "extrapolation_runtime": [retrieval_tables.runtime],
}
experiment = Path(snakemake.input.metrics).parent.name
with job(snakemake, f"figures of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    for make in TABLES[experiment]:
        write_table(make(metrics), snakemake.output[f"{make.__name__}_table"])
    extra, pictures, picks = snakemake.input.keys(), {}, None
    if experiment == "swiss_roll":
        pictures = dict(np.load(snakemake.input.pictures))
    elif "pictures" in extra:
        for path in snakemake.input.get("pictures"):
            pictures[Path(path).stem.removesuffix("_pictures")] = dict(np.load(path))
    if "picks" in extra:
        picks = read_table(snakemake.input.picks)
    for name, figure in retrieval_figures.draw(experiment, metrics, pictures, picks).items():
        figures.save_figure(figure, *snakemake.output[name])

"""Tables and figures of an experiment on feature importance in embeddings."""

from pathlib import Path

from replication.platform.job import job
from replication.papers.ginsburg2016 import fine_figures, fine_tables
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

experiment = Path(snakemake.input.metrics).parent.name
with job(snakemake, f"figures of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    given, asked = snakemake.input.keys(), snakemake.output.keys()
    picks = read_table(snakemake.input.picks) if "picks" in given else None
    tables = {make.__name__: make for make in fine_tables.TABLES.get(experiment, ())}
    for name in asked:
        if name.endswith("_table"):
            write_table(tables[name.removesuffix("_table")](metrics), snakemake.output[name])
        else:
            figures.save_figure(fine_figures.draw(experiment, name, metrics, picks), *snakemake.output[name])

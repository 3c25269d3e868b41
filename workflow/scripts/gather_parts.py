"""Metrics of an experiment whose parts were scored by jobs of their own: all rows, in the order of the parts."""

from pathlib import Path

import pandas as pd
from replication.platform.job import job
from replication.shared.tidy import read_table, write_table

with job(snakemake, Path(snakemake.output.metrics).parent.name):
    parts = [read_table(path) for path in snakemake.input.parts]
    write_table(pd.concat(parts, ignore_index=True), snakemake.output.metrics)

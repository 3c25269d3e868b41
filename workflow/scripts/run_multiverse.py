"""Experiment multiverse: the universes of all families in one table."""

import pandas as pd
from replication.platform.job import job
from replication.shared.tidy import read_table, write_table

with job(snakemake, "multiverse"):
    # Numbers keep the form that they have in the parts, where a column of numbers may be blank.
    parts = [read_table(path).astype(object).fillna("") for path in snakemake.input.parts]
    write_table(pd.concat(parts, ignore_index=True), snakemake.output.metrics)

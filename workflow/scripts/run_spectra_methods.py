"""Experiment spectra_methods: the scores under all conditions, in one table."""

import pandas as pd
from replication.platform.job import job
from replication.shared.tidy import read_table, write_table

with job(snakemake, "spectra_methods"):
    parts = [read_table(path) for path in snakemake.input.parts]
    write_table(pd.concat(parts, ignore_index=True), snakemake.output.metrics)

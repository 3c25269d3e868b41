"""Experiment gene_expression: two classes of samples in every data set."""

import pandas as pd
from replication.platform.job import job
from replication.shared.tidy import read_table, write_table

with job(snakemake, "gene_expression"):
    metrics = pd.concat([read_table(path) for path in snakemake.input.parts], ignore_index=True)
    write_table(metrics, snakemake.output.metrics)

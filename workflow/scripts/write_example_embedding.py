"""A table to try the check of an embedding on: images of digits, with their digit as label."""

import pandas as pd
from replication.platform.job import job
from replication.data.digits import read_digits
from replication.shared.tidy import write_table

with job(snakemake, "example table"):
    X, y = read_digits(snakemake.params.n_samples)
    table = pd.DataFrame(X, columns=[f"pixel_{k}" for k in range(X.shape[1])])
    table.insert(0, "digit", y)
    table.insert(0, "image", [f"image_{k}" for k in range(len(X))])
    write_table(table, snakemake.output.table)

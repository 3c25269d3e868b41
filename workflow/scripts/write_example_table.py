"""A table of gene expression to try the experiments on: two planted classes, one column of labels, one of splits."""

import numpy as np
import pandas as pd
from replication.platform.job import job
from replication.data.readers.planted_expression import planted_expression
from replication.shared.tidy import write_table

with job(snakemake, "example table"):
    planted = planted_expression(
        n_genes=1000, n_informative=60, effect=1.5, training=(20, 20), test=(20, 12), seed=snakemake.params.seed
    )
    parts = {"train": planted.training, "test": planted.test}
    table = pd.DataFrame(np.concatenate([part.values for part in parts.values()]), columns=planted.training.genes)
    table.insert(0, "split", np.repeat(list(parts), [len(part.classes) for part in parts.values()]))
    table.insert(0, "class", np.concatenate([part.classes for part in parts.values()]))
    write_table(table, snakemake.output.table)

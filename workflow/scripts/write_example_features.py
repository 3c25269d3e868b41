"""A table to try feature selection on: the wines of the first cultivar against the others."""

from pathlib import Path

import numpy as np
import pandas as pd
from replication.platform.job import job
from replication.shared.tidy import write_table
from sklearn.datasets import load_wine

with job(snakemake, "example features"):
    wines = load_wine()
    leading = {
        "sample": [f"wine_{k}" for k in range(len(wines.data))],
        "cultivar": np.where(wines.target == 0, "first", "other"),
    }
    features = pd.DataFrame(wines.data, columns=wines.feature_names)
    Path(snakemake.output.table).parent.mkdir(parents=True, exist_ok=True)
    write_table(pd.concat([pd.DataFrame(leading), features], axis=1), snakemake.output.table)

"""Items to try the retrieval on: a table of features, and a matrix of dissimilarities; some items without a label."""

from pathlib import Path

import numpy as np
import pandas as pd
from replication.platform.job import job
from consensus_embedding.utils.seeds import stream
from replication.shared.tidy import write_table
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

with job(snakemake, "example items"):
    X, kinds = load_wine(return_X_y=True)
    generator = stream(snakemake.params.seed, "example items")
    labels = np.where(generator.random(len(X)) < 0.6, [f"cultivar {kind + 1}" for kind in kinds], "")
    names = [f"wine_{k}" for k in range(len(X))]
    leading = {"item": names, "label": labels, "query": (generator.random(len(X)) < 0.05).astype(int)}
    Path(snakemake.output.table).parent.mkdir(parents=True, exist_ok=True)
    features = pd.DataFrame(X, columns=[f"feature_{k}" for k in range(X.shape[1])])
    write_table(pd.concat([pd.DataFrame(leading), features], axis=1), snakemake.output.table)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    apart = pd.DataFrame(cdist(scaled, scaled), columns=names)
    write_table(pd.concat([pd.DataFrame(leading), apart], axis=1), snakemake.output.dissimilarities)

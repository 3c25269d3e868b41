"""Items to try the retrieval on. Light: the rules read it."""

from __future__ import annotations

from replication.platform.steps import Job, Results, Seconds, Step


def write_example(job: Job) -> Results:
    """Write a table of features and a matrix of dissimilarities; some items are without a label."""
    import numpy as np
    import pandas as pd
    from consensus_embedding.utils.seeds import stream
    from scipy.spatial.distance import cdist
    from sklearn.datasets import load_wine

    X, kinds = load_wine(return_X_y=True)
    generator = stream(job.seed, "example items")
    labels = np.where(generator.random(len(X)) < 0.6, [f"cultivar {kind + 1}" for kind in kinds], "")
    names = [f"wine_{k}" for k in range(len(X))]
    leading = pd.DataFrame({"item": names, "label": labels, "query": (generator.random(len(X)) < 0.05).astype(int)})
    features = pd.DataFrame(X, columns=[f"feature_{k}" for k in range(X.shape[1])])
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    apart = pd.DataFrame(cdist(scaled, scaled), columns=names)
    tables = {"table": features, "dissimilarities": apart}
    return {name: pd.concat([leading, values], axis=1) for name, values in tables.items()}


STEPS = (
    Step(
        name="write_example_items",
        title="example items",
        run=write_example,
        does="Write items with a few labels to try the retrieval on",
        makes={"table": "results/example/items.tsv", "dissimilarities": "results/example/dissimilarities.tsv"},
        takes=Seconds(2),
    ),
)

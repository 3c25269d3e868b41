"""Experiment mce_extensions: consensus over other sources of instability."""

import numpy as np
from replication.platform.job import job
from replication.data.digits import digits_name, digits_source, read_digits
from replication.papers.tomo2025 import mce_extensions
from replication.shared.tidy import write_table

with job(snakemake, "mce_extensions") as say:
    params = snakemake.params
    X, _ = read_digits(params.n_samples)
    paths, repetitions = list(snakemake.input.runs), params.parameters["repetitions"]
    runs = {
        kind: [np.load(path)["embeddings"] for path in paths[k * repetitions : (k + 1) * repetitions]]
        for k, kind in enumerate(params.parameters["kinds"])
    }
    metrics = mce_extensions.run(
        X,
        runs,
        solver={key: params.median_consensus[key] for key in ("tolerance", "max_iter")},
        n_neighbors=params.n_neighbors,
        normalize=params.parameters["normalize"],
        mds=params.median_consensus["mds"],
        dataset=digits_name(params.n_samples),
        source=digits_source(params.n_samples),
        n_jobs=snakemake.threads,
    )
    write_table(metrics, snakemake.output.metrics)

"""Experiment mce_tail: probability of a deviation against the number of runs combined."""

import numpy as np
from replication.platform.job import job
from replication.data.digits import digits_name, digits_source
from replication.papers.tomo2025 import mce_tail
from replication.shared.tidy import write_table

with job(snakemake, "mce_tail") as say:
    params = snakemake.params
    settings = {key: params.median_consensus[key] for key in ("tolerance", "max_iter")}
    metrics = mce_tail.run(
        np.load(snakemake.input.gram),
        reference_runs=params.reference_runs,
        **params.parameters,
        solver=settings,
        seed=params.seed,
        dataset=digits_name(params.n_samples),
        source=digits_source(params.n_samples),
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)

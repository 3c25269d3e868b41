"""Experiment mce_convergence: distances against the number of runs combined."""

import numpy as np
from replication.platform.job import job, save_arrays
from replication.data.digits import digits_name, digits_source
from replication.papers.tomo2025 import mce_convergence
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "mce_convergence") as say:
    params = snakemake.params
    settings = dict(params.median_consensus)
    mds = settings.pop("mds")
    metrics, pictures = mce_convergence.run(
        np.load(snakemake.input.pool)["embeddings"],
        np.load(snakemake.input.gram),
        parameters=from_section(mce_convergence.ConvergenceStudy, params.parameters, "mce_convergence"),
        solver=settings,
        mds=mds,
        seed=params.seed,
        dataset=digits_name(params.n_samples),
        source=digits_source(params.n_samples),
        n_jobs=snakemake.threads,
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

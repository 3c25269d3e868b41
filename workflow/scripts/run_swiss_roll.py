"""Experiment swiss_roll: extrapolation of the Swiss roll."""

from replication.platform.job import every, job, save_arrays
from replication.papers.sparks2011 import swiss_roll
from replication.shared.tidy import write_table

with job(snakemake, "swiss_roll") as say:
    params = snakemake.params
    metrics, pictures = swiss_roll.run(
        params.parameters, params.grid, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(params.grid["draws"], say, "draws"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

"""Experiment swiss_roll: extrapolation of the Swiss roll."""

from replication.platform.job import every, job, save_arrays
from replication.papers.sparks2011 import swiss_roll
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "swiss_roll") as say:
    params = snakemake.params
    settings = from_section(swiss_roll.SwissRollSettings, params.parameters, "swiss_roll")
    grid = from_section(OutOfSample, params.grid, "out_of_sample")
    metrics, pictures = swiss_roll.run(
        settings, grid, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(grid.draws, say, "draws"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

"""Extrapolation of some draws of the Swiss roll."""

from replication.platform.job import every, job
from replication.papers.sparks2011 import swiss_roll
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "swiss_roll") as say:
    params, draws = snakemake.params, range(int(snakemake.wildcards.start), int(snakemake.wildcards.stop))
    metrics = swiss_roll.run(
        from_section(swiss_roll.SwissRollSettings, params.parameters, "swiss_roll"),
        from_section(OutOfSample, params.grid, "out_of_sample"),
        draws=draws, seed=params.seed, progress=every(len(draws), say, "draws"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.scores)

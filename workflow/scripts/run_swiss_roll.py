"""Experiment swiss_roll: the scores of all draws, and the picture of the first."""

import pandas as pd
from replication.platform.job import job, save_arrays
from replication.papers.sparks2011 import swiss_roll
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "swiss_roll"):
    params = snakemake.params
    settings = from_section(swiss_roll.SwissRollSettings, params.parameters, "swiss_roll")
    grid = from_section(OutOfSample, params.grid, "out_of_sample")
    # As text: nothing is written in another way than the part did.
    parts = [pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False) for path in snakemake.input.parts]
    write_table(pd.concat(parts, ignore_index=True), snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **swiss_roll.pictures(settings, grid, params.seed))

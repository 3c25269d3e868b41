"""Tables of simulated MR spectra to try the experiments on: a row per voxel, a column per ppm."""

from pathlib import Path

import pandas as pd
from replication.platform.job import job
from replication.data.prostate_mrsi import ProstateMRSI, simulate_cohort
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "example spectra"):
    paths = snakemake.output.tables
    parameters = settings_of(ProstateMRSI, snakemake.params.parameters, "prostate_mrsi")
    studies = simulate_cohort(parameters, snakemake.params.seed, "example", len(paths))
    for study, path in zip(studies, paths, strict=True):
        table = pd.DataFrame(study.positions, columns=["x", "y", "z"])
        table["box"], table["truth"] = study.box.astype(int), study.truth.astype(int)
        spectra = pd.DataFrame(study.spectra, columns=[f"{ppm:.4f}" for ppm in study.ppm])
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_table(pd.concat([table, spectra], axis=1), path)

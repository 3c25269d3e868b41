"""Experiment spectra_calibration: picks the details that the paper leaves open, on the training studies."""

from replication.platform.job import job
from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008 import spectra_calibration
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "spectra_calibration") as say:
    params = snakemake.params
    settings = settings_of(SpectraSettings, params.settings, "spectra_embedding")
    metrics, picks = spectra_calibration.run(
        load_studies(snakemake.input.training), settings, params.parameters,
        dataset=params.dataset, source=params.source, seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

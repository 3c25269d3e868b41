"""Experiment spectra_substitute: sets contrast and noise of the simulator by the paper's baselines."""

from replication.platform.job import job
from replication.data.prostate_mrsi import ProstateMRSI
from replication.papers.tiwari2008 import spectra_substitute
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "spectra_substitute") as say:
    params = snakemake.params
    metrics, picks = spectra_substitute.run(
        settings_of(ProstateMRSI, params.simulator, "prostate_mrsi"),
        settings_of(SpectraSettings, params.settings, "spectra_embedding"),
        params.parameters, seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

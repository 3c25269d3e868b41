"""Experiment spectra_stability: how much LLE and C-LLE move with kappa, noise and the starts of the clustering."""

from replication.platform.job import every, job
from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008 import spectra_stability
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "spectra_stability") as say:
    params, draws = snakemake.params, [load_studies(path) for path in snakemake.input.draws]
    # The main condition has more studies than the further draws of the noise.
    draws = [draw[: min(map(len, draws))] for draw in draws]
    settings = settings_of(SpectraSettings, params.settings, "spectra_embedding")
    metrics = spectra_stability.run(
        draws, load_studies(snakemake.input.training), settings, params.parameters,
        dataset=params.dataset, source=params.source,
        seed=params.seed, n_jobs=snakemake.threads, progress=every(len(draws[0]), say, "studies"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)

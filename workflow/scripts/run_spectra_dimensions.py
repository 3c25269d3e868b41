"""Experiment spectra_dimensions: C-LLE against LLE over the dimension of the embedding."""

from replication.platform.job import every, job
from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008 import spectra_dimensions
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "spectra_dimensions") as say:
    params, studies = snakemake.params, load_studies(snakemake.input.evaluation)
    settings = settings_of(SpectraSettings, params.settings, "spectra_embedding")
    metrics = spectra_dimensions.run(
        studies, load_studies(snakemake.input.training), settings, params.parameters["n_components"],
        dataset=params.dataset, source=params.source,
        seed=params.seed, n_jobs=snakemake.threads, progress=every(len(studies), say, "studies"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)

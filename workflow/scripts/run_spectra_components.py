"""Experiment spectra_components: independent components of the clusters called cancer."""

from replication.platform.job import every, job, save_arrays
from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008 import spectra_components
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "spectra_components") as say:
    params = snakemake.params
    studies = load_studies(snakemake.input.evaluation)[: params.n_studies]
    settings = settings_of(SpectraSettings, params.settings, "spectra_embedding")
    metrics, pictures = spectra_components.run(
        studies, load_studies(snakemake.input.training), settings, params.parameters,
        dataset=params.dataset, source=params.source, map_study=params.map_study,
        seed=params.seed, n_jobs=snakemake.threads, progress=every(len(studies), say, "studies"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

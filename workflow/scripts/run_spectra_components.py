"""Experiment spectra_components: independent components of the clusters called cancer."""

from job import every, job, save_arrays
from consensus_embedding.datasets.spectra import load_studies
from consensus_embedding.experiments import spectra_components
from consensus_embedding.experiments.tidy import write_table

with job(snakemake, "spectra_components") as say:
    params, studies = snakemake.params, load_studies(snakemake.input.evaluation)
    metrics, pictures = spectra_components.run(
        studies, load_studies(snakemake.input.training), params.settings, params.parameters,
        dataset=params.dataset, source=params.source, map_study=params.map_study,
        seed=params.seed, n_jobs=snakemake.threads, progress=every(len(studies), say, "studies"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    save_arrays(snakemake.output.pictures, **pictures)

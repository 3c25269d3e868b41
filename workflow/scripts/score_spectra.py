"""Scores of every method on the studies of one condition."""

from replication.platform.job import every, job, save_arrays
from replication.data.prostate_mrsi import ROLES, ProstateMRSI, simulated_ratios
from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008 import spectra_methods
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, f"spectra_methods, {snakemake.wildcards.condition}") as say:
    params, studies = snakemake.params, load_studies(snakemake.input.evaluation)
    settings = settings_of(SpectraSettings, params.settings, "spectra_embedding")
    ratios = []
    if snakemake.wildcards.condition == "main":
        simulator = settings_of(ProstateMRSI, params.parameters, "prostate_mrsi")
        ratios = simulated_ratios(simulator, params.seed, ROLES["evaluation"], len(studies))
    metrics, pictures = spectra_methods.run(
        studies, load_studies(snakemake.input.training), settings,
        condition=params.condition, ratios=ratios,
        dataset=params.dataset, source=params.source, map_study=params.map_study,
        seed=params.seed, n_jobs=snakemake.threads, progress=every(len(studies), say, "studies"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.scores)
    save_arrays(snakemake.output.pictures, **pictures)

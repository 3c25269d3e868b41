"""Simulated prostate MRSI studies of one condition: those that are scored and those that methods learn on."""

from replication.platform.job import job, save_arrays
from replication.data.prostate_mrsi import ROLES, ProstateMRSI, simulate_cohort
from replication.data.readers.spectra import save_studies
from replication.platform.settings import settings_of

with job(snakemake, f"spectra, {snakemake.wildcards.condition}") as say:
    params = snakemake.params
    parameters = settings_of(ProstateMRSI, params.parameters, "prostate_mrsi")
    for part, n_studies in params.n_studies.items():
        studies = simulate_cohort(parameters, params.seed, ROLES[part], n_studies, **params.condition)
        save_arrays(snakemake.output[part], **save_studies(studies))
        say(f"{len(studies)} studies for {part}, {sum(len(study.spectra) for study in studies)} spectra")

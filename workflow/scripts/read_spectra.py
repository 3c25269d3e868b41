"""Own studies of MR spectra, from tables or NIfTI-MRS."""

from replication.platform.job import job, save_arrays
from replication.data.readers.spectra import read_own_study, save_studies

with job(snakemake, "own spectra") as say:
    for role in ("evaluation", "training"):
        studies = []
        for item in snakemake.params.studies:
            if item["role"] == role:
                studies.append(read_own_study({key: value for key, value in item.items() if key != "role"}))
                say(f"{item['name']}: {len(studies[-1].spectra)} spectra of {len(studies[-1].ppm)} points, {role}")
        save_arrays(snakemake.output[role], **save_studies(studies))

"""Slices of one subject and draw, for every noise level and non-uniformity, as NIfTI."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.data.brainweb import brain_slices
from replication.data.readers.volumes import write_nifti

with job(snakemake, f"images of {snakemake.wildcards.subject}") as say:
    brain, draw = snakemake.params.brain, int(snakemake.wildcards.draw)
    wanted = [*brain["calibration_slices"], *brain["slices"]]
    paths = iter(snakemake.output.images)
    for noise in brain["noise"]:
        for inhomogeneity in brain["inhomogeneity"]:
            slices = brain_slices(
                snakemake.wildcards.subject,
                noise,
                inhomogeneity,
                wanted,
                data_folder=Path(snakemake.params.data),
                seed=snakemake.params.seed,
                draw=draw,
            )
            write_nifti(np.stack([one.image for one in slices], axis=2).astype(np.float32), next(paths))
        say(f"noise {noise} %, {len(wanted)} slices at {len(brain['inhomogeneity'])} levels of non-uniformity")
    labels = np.stack([np.where(one.mask, one.labels, 0) for one in slices], axis=2)
    write_nifti(labels.astype(np.uint8), snakemake.output.labels)

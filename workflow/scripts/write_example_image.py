"""An image, mask and labels to try region maps on: one slice of the anatomy that comes with nilearn."""

import numpy as np
from replication.platform.job import job
from replication.data.brainweb import brain_slices
from replication.data.readers.volumes import write_nifti

with job(snakemake, "example image"):
    (one,) = brain_slices("icbm152", 3, 20, [90], seed=snakemake.params.seed)
    arrays = {"image": one.image.astype(np.float32), "mask": one.mask.astype(np.uint8)}
    arrays["labels"] = ((one.labels == 3) & one.mask).astype(np.uint8)
    for name, array in arrays.items():
        write_nifti(array, snakemake.output[name])

"""Images and base embeddings of the simulated prostate at one contrast of the lesions."""

import numpy as np
from replication.platform.job import every, job, save_arrays
from consensus_embedding.utils.seeds import stream_seed
from replication.data.phantom import prostate_slices
from replication.data.readers.volumes import write_nifti
from replication.papers.viswanath2012.image_slices import embed_slice, pack_slices
from replication.papers.viswanath2012.settings import SliceSettings
from replication.platform.settings import settings_of

with job(snakemake, "prostate slices") as say:
    params, contrast = snakemake.params, float(snakemake.wildcards.contrast)
    settings = settings_of(SliceSettings, params.settings, "image_embedding")
    glands = [prostate_slices(gland, contrast, seed=params.seed) for gland in (0, 1)]
    slices = {(gland, z): glands[gland][z] for gland in (0, 1) for z in params.slices}
    progress = every(len(slices), say, "slices")
    embedded = {}
    for (gland, z), one in slices.items():
        seed = stream_seed(params.seed, "prostate")
        embedded[f"{gland}/{z}"] = embed_slice(one.image, one.mask, one.lesion, settings, seed=seed)
        progress(len(embedded))
    write_nifti(np.stack([one.image for one in slices.values()], axis=2).astype(np.float32), snakemake.output.images)
    labels = [one.mask.astype(np.uint8) + one.lesion for one in slices.values()]
    write_nifti(np.stack(labels, axis=2).astype(np.uint8), snakemake.output.labels)
    save_arrays(snakemake.output.slices, **pack_slices(embedded))

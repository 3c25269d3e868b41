"""Texture, objects and base embeddings of the slices of one subject, draw and noise level."""

from replication.platform.job import every, job, save_arrays
from consensus_embedding.readers.volumes import read_volume
from consensus_embedding.utils.seeds import stream_seed
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice, pack_slices
from replication.papers.viswanath2012.settings import SliceSettings
from replication.platform.settings import from_section

with job(snakemake, "embeddings of brain slices") as say:
    params = snakemake.params
    brain = params.brain
    names = [*brain["calibration_slices"], *brain["slices"]]
    # Another draw of the noise is another draw of the feature subsets too; subjects share those of a draw.
    seed = stream_seed(params.seed, "brain", int(snakemake.wildcards.draw))
    labels = read_volume(snakemake.input.labels).data
    todo = [(rf, path, kind) for rf, path in zip(brain["inhomogeneity"], snakemake.input.images, strict=True)
            for kind in params.kinds]  # fmt: skip
    progress = every(len(todo) * len(names), say, "slices")
    found = {}
    for inhomogeneity, path, kind in todo:
        settings = from_section(SliceSettings, {**params.settings, "objects": kind}, "image_embedding")
        images = read_volume(path).data
        for k, z in enumerate(names):
            mask, positive = labels[..., k] > 0, labels[..., k] == WHITE_MATTER
            name = f"{kind}/{inhomogeneity}/{z}"
            found[name] = embed_slice(images[..., k], mask, positive, settings, seed=seed)
            progress(len(found))
    save_arrays(snakemake.output.slices, **pack_slices(found))

"""Texture, objects and base embeddings of the slices of one subject, draw and noise level."""

from replication.platform.job import every, job, save_arrays
from consensus_embedding.utils.seeds import stream_seed
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice, pack_slices, slice_features
from replication.papers.viswanath2012.settings import SliceSettings
from replication.platform.settings import settings_of

with job(snakemake, "embeddings of brain slices") as say:
    params = snakemake.params
    brain = params.brain
    names = [*brain["calibration_slices"], *brain["slices"]]
    # Another draw of the noise is another draw of the feature subsets too; subjects share those of a draw.
    seed = stream_seed(params.seed, "brain", int(snakemake.wildcards.draw))
    labels = read_volume(snakemake.input.labels).data
    kinds = [settings_of(SliceSettings, {**params.settings, "objects": kind}, "image_embedding")
             for kind in params.kinds]  # fmt: skip
    progress = every(len(brain["inhomogeneity"]) * len(kinds) * len(names), say, "slices")
    found = {}
    for inhomogeneity, path in zip(brain["inhomogeneity"], snakemake.input.images, strict=True):
        images = read_volume(path).data
        # All kinds of objects share the texture.
        features = [slice_features(images[..., k], labels[..., k] > 0, kinds[0]) for k in range(len(names))]
        for settings in kinds:
            for k, z in enumerate(names):
                found[f"{settings.objects}/{inhomogeneity}/{z}"] = embed_slice(
                    images[..., k], labels[..., k] > 0, labels[..., k] == WHITE_MATTER, settings,
                    seed=seed, features=features[k],
                )  # fmt: skip
                progress(len(found))
    save_arrays(snakemake.output.slices, **pack_slices(found))

"""Steps that the experiments share: images, embedded slices, genes and pools of their embeddings; own images."""

from __future__ import annotations

from pathlib import Path

from replication.papers.viswanath2012.layout import (
    SUBJECTS,
    anatomy_files,
    embedded,
    gene_embedding,
    gene_pool,
    gene_sets,
    genes,
    image,
    images,
    labels,
    longer,
    main_unit,
    own_images,
    pool_size,
    slice_embedding,
)
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import PoolSettings, RegionSettings, SliceSettings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study, named_files


def _object_kinds(study: Study, unit: str) -> list[str]:
    """Kinds of objects that a unit is embedded with: all on the first, else the paper's alone."""
    kinds = study["brain_grid"]["objects"]
    return kinds if unit == main_unit(study) else kinds[:1]


def _files(item: dict) -> dict[str, Path]:
    """The files of a data set or an image of the user's own."""
    return {key: Path(path) for key, path in named_files(item).items()}


def _shown_of_own_images(study: Study) -> dict[str, str]:
    shown = {}
    for name in own_images(study):
        shown[f"region_maps/{name}/regions.png"] = f"the regions of {name}, drawn"
        shown[f"region_maps/{name}/regions.tsv"] = "their areas and intensities"
        shown[f"region_maps/{name}/regions.nii.gz"] = "the regions as an image"
    return shown


def make_brain_volumes(job: Job) -> None:
    """Slices of one subject and draw at every noise level and non-uniformity, simulated or official, as NIfTI."""
    from pathlib import Path

    import numpy as np

    from replication.data.brainweb import brain_slices
    from replication.data.readers.volumes import write_nifti

    brain, draw = job.settings["brain"], int(job.wildcards.draw)
    wanted = [*brain["calibration_slices"], *brain["slices"]]
    paths = iter(job.outputs.images)
    for noise in brain["noise"]:
        for inhomogeneity in brain["inhomogeneity"]:
            slices = brain_slices(
                job.wildcards.subject,
                noise,
                inhomogeneity,
                wanted,
                data_folder=Path(job.settings["data"]),
                seed=job.seed,
                draw=draw,
            )
            write_nifti(np.stack([image_slice.image for image_slice in slices], axis=2).astype(np.float32), next(paths))
        job.say(f"noise {noise} %, {len(wanted)} slices at {len(brain['inhomogeneity'])} levels of non-uniformity")
    labels = np.stack([np.where(image_slice.mask, image_slice.labels, 0) for image_slice in slices], axis=2)
    write_nifti(labels.astype(np.uint8), job.outputs.labels)


def embed_brain(job: Job) -> Results:
    """Texture, objects and base embeddings of the slices of one subject, draw and noise level."""
    from consensus_embedding.utils.seeds import stream_seed

    from replication.data.readers.volumes import read_volume
    from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice, pack_slices, slice_features

    brain = job.settings["brain"]
    names = [*brain["calibration_slices"], *brain["slices"]]
    # Another draw of the noise is another draw of the feature subsets too; subjects share those of a draw.
    seed = stream_seed(job.seed, "brain", int(job.wildcards.draw))
    labels = read_volume(job.inputs.labels).data
    kinds = [job.section("image_embedding", SliceSettings, objects=kind) for kind in job.settings["kinds"]]
    progress = job.progress(len(brain["inhomogeneity"]) * len(kinds) * len(names), "slices")
    slices = {}
    for inhomogeneity, path in zip(brain["inhomogeneity"], job.inputs.images, strict=True):
        images = read_volume(path).data
        # All kinds of objects share the texture.
        features = [slice_features(images[..., k], labels[..., k] > 0, kinds[0]) for k in range(len(names))]
        for settings in kinds:
            for k, z in enumerate(names):
                slices[f"{settings.objects}/{inhomogeneity}/{z}"] = embed_slice(
                    images[..., k], labels[..., k] > 0, labels[..., k] == WHITE_MATTER, settings,
                    seed=seed, features=features[k],
                )  # fmt: skip
                progress(len(slices))
    return {"slices": pack_slices(slices)}


def read_genes(job: Job) -> None:
    """Read one data set of gene expression, and keep it in one form."""
    from collections import Counter

    from replication.data.readers.expression import read_split, save_split
    from replication.papers.viswanath2012.gene_splits import gene_seed

    item = job.settings["item"]
    split = read_split(item, seed=gene_seed(job.seed, item["name"]))
    for part in ("training", "test"):
        table = getattr(split, part)
        counts = ", ".join(f"{name} {n}" for name, n in sorted(Counter(table.classes.tolist()).items()))
        job.say(f"{part}: {len(table.classes)} samples of {len(table.genes)} genes ({counts})")
    values = [row.tobytes() for table in (split.training, split.test) for row in table.values]
    if equal := len(values) - len(set(values)):
        job.say(f"{equal} samples equal another one in all genes: a copy in training makes its test too easy")
    save_split(job.outputs.split, split)


def embed_genes(job: Job) -> Results:
    """Base embeddings of one data set of gene expression, by one reduction, for all draws of the subsets."""
    from replication.data.domains.gene_preparation import prepare_genes
    from replication.data.readers.expression import load_split
    from replication.papers.viswanath2012.gene_splits import draw_subsets, embed_pool, gene_seed, save_pools

    name = job.wildcards.set
    settings = job.section("gene_embedding", PoolSettings)
    genes = prepare_genes(load_split(job.inputs.split), **settings.preparation)
    for note in genes.notes:
        job.say(note)
    seed, progress = gene_seed(job.seed, name), job.progress(job.settings["repetitions"], "draws of the subsets")
    pools = []
    for r in range(job.settings["repetitions"]):
        subsets = draw_subsets(len(genes.genes), settings.subset_size, job.settings["pool_size"], seed, r)
        pools.append(embed_pool(genes, job.wildcards.reduction, subsets, settings))
        progress(len(pools))
    return {"pools": save_pools(pools)}


def map_regions(job: Job) -> Results:
    """Consensus region map of one of the user's own images: NIfTI, metrics and a figure."""
    import numpy as np

    from replication.data.readers.volumes import load_image_and_mask, read_volume, slice_axis, write_nifti
    from replication.papers.viswanath2012 import region_maps, region_volumes
    from replication.papers.viswanath2012.image_figures import draw_own_regions
    from replication.shared.figures import save_figure, styled
    from replication.shared.tidy import Metrics

    given, item = job.inputs, job.settings["item"]
    settings = job.section("image_embedding", RegionSettings)
    slices = load_image_and_mask(
        given.image, given.mask, given.get("labels"), slices=item.get("slices"),
        min_pixels=region_maps.min_pixels(settings.n_components),
    )  # fmt: skip
    metrics = Metrics("region_maps", item["name"], "own", region_maps.CONDITIONS)
    maps = region_volumes.map_slices(
        slices, settings, metrics, n_regions=item.get("n_regions", 2), one_embedding=item.get("one_embedding", False),
        work=job,
    )  # fmt: skip
    volume = read_volume(given.image)
    shape = volume.data.shape if volume.data.ndim == 3 else (*volume.data.shape, 1)
    axis = slice_axis(shape)
    regions = np.zeros(shape, dtype=maps[0].dtype)
    for image_slice, drawn in zip(slices, maps, strict=True):
        np.moveaxis(regions, axis, 2)[..., 0 if shape[axis] == 1 else int(image_slice.name.rpartition("_z")[2])] = drawn
    write_nifti(regions.reshape(volume.data.shape), job.outputs.regions, affine=volume.affine, placed=volume.placed)
    table = region_maps.measure_regions(slices, maps, volume.affine, metrics, axis=axis, volume=volume.data.ndim == 3)
    sizes = np.delete(np.linalg.norm(volume.affine[:3, :3], axis=0), axis)
    with styled():
        save_figure(draw_own_regions(slices, maps, sizes), *job.outputs.figure)
    return {"table": table, "metrics": metrics}


def write_example_image(job: Job) -> None:
    """An image, mask and labels to try region maps on: one slice of the anatomy that comes with nilearn."""
    import numpy as np

    from replication.data.brainweb import brain_slices
    from replication.data.readers.volumes import write_nifti

    (example,) = brain_slices("icbm152", 3, 20, [90], seed=job.seed)
    arrays = {"image": example.image.astype(np.float32), "mask": example.mask.astype(np.uint8)}
    arrays["labels"] = ((example.labels == 3) & example.mask).astype(np.uint8)
    for name, array in arrays.items():
        write_nifti(array, job.outputs[name])


def write_example_table(job: Job) -> Results:
    """A table of gene expression to try the experiments on: planted classes, columns of labels and splits."""
    import numpy as np
    import pandas as pd

    from replication.data.readers.planted_expression import planted_expression

    planted = planted_expression(
        n_genes=1000, n_informative=60, effect=1.5, training=(20, 20), test=(20, 12), seed=job.seed
    )
    parts = {"train": planted.training, "test": planted.test}
    table = pd.DataFrame(np.concatenate([part.values for part in parts.values()]), columns=planted.training.genes)
    table.insert(0, "split", np.repeat(list(parts), [len(part.classes) for part in parts.values()]))
    table.insert(0, "class", np.concatenate([part.classes for part in parts.values()]))
    return {"table": table}


STEPS = (
    Step(
        name="make_brain_volumes",
        run=make_brain_volumes,
        does="Brain slices of {wildcards.subject}, draw {wildcards.draw}",
        makes=lambda study: {
            "images": [
                image("{subject}_{draw}", noise, inhomogeneity)
                for noise in study["brain"]["noise"]
                for inhomogeneity in study["brain"]["inhomogeneity"]
            ],
            "labels": labels("{subject}_{draw}"),
        },
        reads=lambda study, at: {"files": anatomy_files(study, at.subject)},
        settings=lambda study, _: {
            "brain": study.only("brain", "noise", "inhomogeneity", "slices", "calibration_slices"),
            "data": "resources/data",
        },
        wildcards={"subject": SUBJECTS, "draw": r"\d+"},
        minutes=20,
        soon=True,
        takes=Seconds(1.3, 0.32, "brain.noise*brain.inhomogeneity"),
    ),
    Step(
        name="embed_brain",
        run=embed_brain,
        does="Base embeddings of {wildcards.subject}, draw {wildcards.draw}, noise {wildcards.noise} %",
        makes={"slices": embedded("{subject}_{draw}", "{noise}")},
        reads=lambda study, at: {
            "images": images(study, f"{at.subject}_{at.draw}", at.noise),
            "labels": labels(f"{at.subject}_{at.draw}"),
        },
        settings=lambda study, at: {
            "brain": study.only("brain", "inhomogeneity", "slices", "calibration_slices"),
            # Its kinds of objects are those of brain_grid.
            "image_embedding": {key: value for key, value in slice_embedding(study).items() if key != "objects"},
            "kinds": _object_kinds(study, f"{at.subject}_{at.draw}"),
        },
        wildcards={"subject": SUBJECTS, "draw": r"\d+", "noise": r"\d+"},
        memory_mb=1500,
        takes=Seconds(1.3, 1.9, "brain.inhomogeneity*brain.slices"),
    ),
    Step(
        name="read_genes",
        run=read_genes,
        does="Read the gene expression of {wildcards.set}",
        makes={"split": genes("{set}")},
        reads=lambda study, at: {"files": list(_files(gene_sets(study)[at.set]).values())},
        settings=lambda study, at: {"item": gene_sets(study)[at.set]},
        wildcards=lambda study: {"set": list(gene_sets(study))},
        minutes=10,
        takes=Seconds(2.5),
    ),
    Step(
        name="embed_genes",
        run=embed_genes,
        does="Base embeddings of {wildcards.set} by {wildcards.reduction}",
        makes={"pools": gene_pool("{set}", "{reduction}")},
        reads=lambda study, at: {"split": genes(at.set)},
        settings=lambda study, _: {
            "gene_embedding": gene_embedding(study),
            "pool_size": pool_size(study),
            "repetitions": study["genes"]["repetitions"],
        },
        wildcards=lambda study: {"set": list(gene_sets(study)), "reduction": list(REDUCTIONS)},
        takes=lambda study, at: Seconds(
            1.3, 0.004 * longer(study, at.set), "genes.repetitions*gene_embedding.n_embeddings"
        ),
    ),
    Step(
        name="map_regions",
        run=map_regions,
        does="Region map of {wildcards.name}",
        makes=lambda study: {
            "regions": "region_maps/{name}/regions.nii.gz",
            "table": "region_maps/{name}/regions.tsv",
            "metrics": "region_maps/{name}/metrics.tsv",
            "figure": study.figure_files("region_maps/{name}/regions"),
        },
        reads=lambda study, at: _files(own_images(study)[at.name]),
        settings=lambda study, at: {
            "image_embedding": study.of("image_embedding", RegionSettings),
            "item": own_images(study)[at.name],
        },
        wildcards=lambda study: {"name": list(own_images(study))},
        shows=_shown_of_own_images,
        target="region_maps",
        threads="workers",
        minutes=60,
        takes=Seconds(8),
    ),
    Step(
        name="write_example_image",
        run=write_example_image,
        does="Write an image to try region maps on",
        makes={name: f"results/example/{name}.nii.gz" for name in ("image", "mask", "labels")},
        takes=Seconds(3),
    ),
    Step(
        name="write_example_table",
        run=write_example_table,
        does="Write a table of gene expression to try the experiments on",
        makes={"table": "results/example/table.tsv"},
        takes=Seconds(1.6),
    ),
)

"""Experiment intrinsic_dimension: how many dimensions the texture space and the gene space have."""

from pathlib import Path

import pandas as pd
from replication.platform.job import every, job
from replication.data.brainweb import dataset_name, source_label
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression import load_split
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012 import intrinsic_dimension
from replication.papers.viswanath2012.image_slices import load_slices
from replication.papers.viswanath2012.settings import TextureSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, "intrinsic_dimension") as say:
    params, brain = snakemake.params, snakemake.params.brain
    subject = params.unit.rpartition("_")[0]
    metrics = Metrics(
        "intrinsic_dimension", dataset_name(subject), source_label(subject), intrinsic_dimension.CONDITIONS
    )
    names = [*brain["calibration_slices"], *brain["slices"]]
    settings = settings_of(TextureSettings, params.settings, "image_embedding")
    n_neighbors = params.parameters["n_neighbors"]
    embedded = dict(zip(brain["noise"], snakemake.input.slices, strict=True))
    progress = every(len(snakemake.input.images), say, "combinations")
    for done, path in enumerate(snakemake.input.images, 1):
        noise, inhomogeneity = (int(part[2:]) for part in Path(path).name.split(".")[0].split("_"))
        images = read_volume(path).data
        for z in params.parameters["slices"]:
            name = f"{settings.objects}/{inhomogeneity}/{z}"
            one = load_slices(embedded[noise], [name])[name]
            intrinsic_dimension.score_slice(
                metrics, images[..., names.index(z)], one, settings, n_neighbors,
                seed=params.seed, noise=noise, inhomogeneity=inhomogeneity, slice=z,
            )  # fmt: skip
        progress(done)
    tables = [metrics.table()]
    for path in snakemake.input.splits:
        name = Path(path).stem
        metrics = Metrics("intrinsic_dimension", name, params.sources[name], intrinsic_dimension.CONDITIONS)
        genes = prepare_genes(load_split(path), **params.gene_settings)
        intrinsic_dimension.score_genes(metrics, genes, n_neighbors)
        tables.append(metrics.table())
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)

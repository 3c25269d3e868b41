"""Experiment theory_monotone: on simulated embeddings, and on base embeddings of brain slices and of genes."""

import pandas as pd
from replication.platform.job import job
from replication.data.brainweb import dataset_name, source_label
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012 import theory_monotone
from replication.papers.viswanath2012.brain_grid import paper_spaces
from replication.papers.viswanath2012.gene_splits import base_embeddings, draw_subsets, gene_seed
from replication.papers.viswanath2012.image_slices import load_slices
from replication.papers.viswanath2012.settings import PoolSettings, RegionSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "theory_monotone") as say:
    params = snakemake.params
    parameters = settings_of(theory_monotone.MonotoneStudy, params.parameters, "theory_monotone")
    tables = [theory_monotone.run(parameters=parameters, seed=params.seed, progress=say)]
    common = {"n_resamples": parameters.n_resamples, "seed": params.seed}
    subject = params.unit.rpartition("_")[0]
    image_settings = settings_of(RegionSettings, params.image_settings, "image_embedding")
    names = {z: f"{params.kind}/{parameters.inhomogeneity}/{z}" for z in params.brain["slices"]}
    embedded = load_slices(snakemake.input.slices, list(names.values()))
    for z, name in names.items():
        say(f"base embeddings of slice {z}")
        one = embedded[name]
        spaces = paper_spaces(one, image_settings)
        tables.append(
            theory_monotone.run_on_embeddings(
                one.objects.features, one.embeddings, one.positive / one.objects.sizes, sizes=one.objects.sizes,
                **common, dataset=dataset_name(subject), source=source_label(subject), repetition=z,
                others={name: spaces[name] for name in ("consensus", "graph_embedding")},
            )
        )  # fmt: skip
    section = dict(params.gene_settings)
    n_embeddings, settings = section.pop("n_embeddings"), settings_of(PoolSettings, section, "gene_embedding")
    for name, path in zip(params.names, snakemake.input.splits, strict=True):
        say(f"base embeddings of {name}")
        genes = prepare_genes(load_split(path), **settings.preparation)
        seed = gene_seed(params.seed, name)
        drawn = draw_subsets(len(genes.genes), settings.subset_size, params.pool_size, seed, 0)
        for reduction in params.reductions:
            embeddings = base_embeddings(genes.training, drawn[:n_embeddings], reduction, settings)
            tables.append(
                theory_monotone.run_on_embeddings(
                    genes.training, embeddings, genes.training_positive.astype(float), linkage=settings.linkage,
                    **common, series="genes", dataset=name, source=params.sources[name], repetition=reduction,
                )
            )  # fmt: skip
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)

"""Experiment theta_sensitivity: the consensus over thresholds and numbers of embeddings, on images and genes."""

import pandas as pd
from replication.platform.job import every, job
from consensus_embedding.domains.gene_preparation import prepare_genes
from consensus_embedding.readers.expression import load_split
from replication.papers.viswanath2012 import theta_sensitivity
from replication.papers.viswanath2012.brain_files import score_units
from replication.papers.viswanath2012.gene_splits import gene_seed, load_pools
from replication.shared.tidy import Metrics, write_table

with job(snakemake, "theta_sensitivity") as say:
    params = snakemake.params
    images = score_units(
        "theta_sensitivity",
        snakemake.input.slices,
        theta_sensitivity.CONDITIONS,
        lambda metrics, slices, **at: theta_sensitivity.score_combination(
            metrics, slices, params.settings, params.parameters, seed=params.seed, **at
        ),
        params.brain,
        params.settings["objects"],
        n_jobs=snakemake.threads,
        progress=say,
    )
    tables, progress = [images], every(len(params.pools), say, "pools of gene embeddings")
    for (name, reduction), path in zip(params.pools, snakemake.input.pools, strict=True):
        metrics = Metrics("theta_sensitivity", name, params.sources[name], theta_sensitivity.CONDITIONS)
        split = load_split(snakemake.input.splits[params.names.index(name)])
        theta_sensitivity.score_genes(
            metrics, prepare_genes(split, params.gene_settings), load_pools(path), reduction, params.gene_settings,
            params.parameters, seed=gene_seed(params.seed, name),
        )  # fmt: skip
        tables.append(metrics.table())
        progress(len(tables) - 1)
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)

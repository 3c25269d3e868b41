"""The consensus over thresholds and numbers of embeddings, on images of one noise level or on genes."""

import pandas as pd
from replication.platform.job import every, job
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012 import theta_sensitivity
from replication.papers.viswanath2012.brain_files import score_units
from replication.papers.viswanath2012.gene_splits import gene_seed, load_pools
from replication.papers.viswanath2012.settings import GeneConsensusSettings, SliceConsensusSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, f"theta_sensitivity, {snakemake.wildcards.part}") as say:
    params, parameters = snakemake.params, snakemake.params.parameters
    selection = {key: parameters[key] for key in ("thetas", "n_selected")}
    if snakemake.wildcards.part == "genes":
        of_genes = settings_of(GeneConsensusSettings, params.gene_settings, "gene_embedding")
        tables, progress = [], every(len(params.pools), say, "pools of gene embeddings")
        for (name, reduction), path in zip(params.pools, snakemake.input.pools, strict=True):
            metrics = Metrics("theta_sensitivity", name, params.sources[name], theta_sensitivity.CONDITIONS)
            split = load_split(snakemake.input.splits[params.names.index(name)])
            theta_sensitivity.score_genes(
                metrics, prepare_genes(split, **of_genes.preparation), load_pools(path), reduction, of_genes,
                **selection, seed=gene_seed(params.seed, name),
            )  # fmt: skip
            tables.append(metrics.table())
            progress(len(tables))
        table = pd.concat(tables, ignore_index=True)
    else:
        settings = settings_of(SliceConsensusSettings, params.settings, "image_embedding")
        table = score_units(
            "theta_sensitivity",
            [snakemake.input.slices],
            theta_sensitivity.CONDITIONS,
            lambda metrics, slices, **at: theta_sensitivity.score_combination(
                metrics, slices, settings, **selection, repetitions=parameters["repetitions"], seed=params.seed, **at
            ),
            params.brain,
            settings.objects,
            progress=say,
        )
    write_table(table, snakemake.output.scores)

"""Experiment m_sensitivity: the consensus over numbers of base embeddings."""

import pandas as pd
from replication.platform.job import every, job
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012 import m_sensitivity
from replication.papers.viswanath2012.gene_splits import load_pools, positive_of_test
from replication.papers.viswanath2012.settings import PoolScoreSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, "m_sensitivity") as say:
    params, tables = snakemake.params, []
    settings = settings_of(PoolScoreSettings, params.settings, "gene_embedding")
    progress = every(len(params.pools), say, "pools")
    for (name, reduction), path in zip(params.pools, snakemake.input.pools, strict=True):
        metrics = Metrics("m_sensitivity", name, params.sources[name], m_sensitivity.CONDITIONS)
        truth = positive_of_test(load_split(snakemake.input.splits[params.names.index(name)]))
        m_sensitivity.score_pools(
            metrics, load_pools(path), reduction, truth, settings, params.parameters["n_embeddings"]
        )
        tables.append(metrics.table())
        progress(len(tables))
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)

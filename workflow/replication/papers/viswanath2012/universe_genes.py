"""
Experiment 4 of Viswanath and Madabhushi 2012 with few base embeddings and draws, for one universe of choices.

The claims are CE-10-s, CE-10-us, CE-11, CE-12, CE-20-genes, CE-21-genes and CE-25 (gene_expression), and CE-13-ge,
CE-13-pca and CE-14 (m_sensitivity).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd

from replication.data.domains.gene_preparation import choose_genes, prepare_genes, t_statistics, transform_expression
from replication.data.readers.expression import load_split
from replication.data.readers.expression_table import SplitExpression
from replication.papers.viswanath2012 import gene_expression, m_sensitivity
from replication.papers.viswanath2012.gene_splits import GenePool, draw_subsets, embed_pool, gene_seed
from replication.papers.viswanath2012.layout import gene_source
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import GeneSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """
    The methods of Table 5, and the consensus over numbers of base embeddings, on every data set of gene expression.

    The variants, the strict threshold and the controls that are drawn are left out: no claim is judged on them.
    """
    # The strict threshold would add a consensus for each selection.
    settings = settings_of(GeneSettings, config["gene_embedding"], "gene_embedding")
    settings = settings.replace(exploratory_theta=settings.theta)
    numbers, repetitions = config["m_sensitivity"]["n_embeddings"], config["genes"]["repetitions"]
    size = max(settings.n_embeddings, *numbers)
    methods, embeddings = [], []
    for item, path in zip(config["genes"]["sets"], files["splits"], strict=True):
        name = item["name"]
        own, source = gene_seed(seed, name), gene_source(item)
        given = (settings.transform, settings.pruning == "whole", settings.n_genes)
        split, chosen = narrowed(path, *given), settings.replace(transform="none")
        pools = _pools(split, chosen, size, own, repetitions)
        main = Metrics("gene_expression", name, source, gene_expression.CONDITIONS)
        gene_expression.score_variant(
            main, split, chosen, pools=pools, repetitions=repetitions, pool_size=size, seed=own, controls=False
        )  # fmt: skip
        methods.append(main.table())
        over_numbers = Metrics("m_sensitivity", name, source, m_sensitivity.CONDITIONS)
        truth = prepare_genes(split, **chosen.preparation).test_positive
        for reduction in REDUCTIONS:
            m_sensitivity.score_pools(over_numbers, pools[reduction], reduction, truth, chosen, numbers)
        embeddings.append(over_numbers.table())
    scores = pd.concat(methods, ignore_index=True)
    return {
        "gene_expression": scores[~scores["method"].str.endswith("_strict")].reset_index(drop=True),
        "m_sensitivity": pd.concat(embeddings, ignore_index=True),
    }


# All universes of a job read the same tables, and the ranks among thousands of genes take longer than all that follows.
@lru_cache(maxsize=64)
def narrowed(path: str, transform: str, whole: bool, n_genes: int) -> SplitExpression:
    """
    The most informative genes of a data set, transformed.

    To prepare them without a transform gives what `prepare_genes` gives of the data set as it is.
    """
    split = _split(path)
    parts = (split.training, split.test)
    raw = [part.values for part in parts]
    values = [
        transform_expression(table, transform, of=f"the {name} split")
        for name, table in zip(("training", "test"), raw, strict=True)
    ]
    positive = [part.classes == split.classes[1] for part in parts]
    used = slice(None) if whole else slice(1)
    labels = np.concatenate(positive[used])
    usable = ~np.isnan(t_statistics(np.concatenate(raw[used]), labels))
    genes = choose_genes(np.where(usable, np.concatenate(values[used]), np.nan), labels, n_genes)
    tables = [
        replace(part, values=table[:, genes], genes=part.genes[genes])
        for table, part in zip(values, parts, strict=True)
    ]
    return SplitExpression(*tables)


def _pools(
    split: SplitExpression, settings: GeneSettings, size: int, seed: int, repetitions: int
) -> dict[str, list[GenePool]]:
    """Reduction -> base embeddings for every draw of the subsets."""
    genes = prepare_genes(split, **settings.preparation)
    draws = [draw_subsets(genes.training.shape[1], settings.subset_size, size, seed, r) for r in range(repetitions)]
    return {
        reduction: [embed_pool(genes, reduction, subsets, settings) for subsets in draws] for reduction in REDUCTIONS
    }


@lru_cache(maxsize=8)
def _split(path: str) -> SplitExpression:
    return load_split(path)

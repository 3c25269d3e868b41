"""Gene expression with known ground truth: two classes that differ in some of the genes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from consensus_embedding.utils.seeds import stream

from replication.data.readers.expression_table import ExpressionTable, SplitExpression

CLASSES = ("A", "B")
_N_FACTORS = 3
_SHARED_VARIANCE = 0.3


def planted_expression(
    *, n_genes: int, n_informative: int, effect: float, training: Sequence[int], test: Sequence[int], seed: int
) -> SplitExpression:
    """
    Draw expression of samples of classes "A" and "B"; `training` and `test` are numbers of samples of A and of B.

    Within a class a gene is normal around its own mean (7 to 9) with its own standard deviation (0.5 to 1). Three
    factors that all genes share, in strength and sign of their own, cause 0.3 of that variance, as batches and handling
    do in real arrays: the largest differences between samples need not be those of class. Class means of an informative
    gene lie `effect` standard deviations apart, with random sign.

    Genes are called "informative 1" ... and "noise 1" ..., at random positions; samples are in random order. Genes,
    training and test samples have a random stream each, so that the size of one set leaves the other as it is.
    """
    rng = stream(seed, "planted expression", "genes")
    positions = rng.permutation(n_genes)[:n_informative]
    shift = np.zeros(n_genes)
    shift[positions] = effect * rng.choice([-0.5, 0.5], size=n_informative)
    mean, deviation = rng.uniform(7.0, 9.0, size=n_genes), rng.uniform(0.5, 1.0, size=n_genes)
    loadings = rng.standard_normal((_N_FACTORS, n_genes))
    loadings *= np.sqrt(_SHARED_VARIANCE / np.square(loadings).sum(axis=0))

    informative = np.zeros(n_genes, dtype=bool)
    informative[positions] = True
    rank = np.where(informative, np.cumsum(informative), np.cumsum(~informative))
    genes = np.array([f"{'informative' if i else 'noise'} {k}" for i, k in zip(informative, rank, strict=True)])

    def draw(part: str, sizes: Sequence[int]) -> ExpressionTable:
        rng = stream(seed, "planted expression", part)
        second = rng.permutation(np.repeat([False, True], sizes))
        own = np.sqrt(1.0 - _SHARED_VARIANCE) * rng.standard_normal((len(second), n_genes))
        shared = (rng.standard_normal((len(second), _N_FACTORS))[:, :, None] * loadings).sum(axis=1)
        values = mean + deviation * (np.where(second, 1.0, -1.0)[:, None] * shift + own + shared)
        return ExpressionTable(values=values, genes=genes, classes=np.array(CLASSES)[second.astype(int)])

    return SplitExpression(training=draw("training", training), test=draw("test", test))

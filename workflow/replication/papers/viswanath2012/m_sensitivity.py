"""Does the number M of base embeddings matter (Viswanath and Madabhushi 2012, Tables 6 and 7)?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.gene_splits import GenePool, score_space
from replication.papers.viswanath2012.method_names import REDUCTIONS, STRENGTHS
from replication.papers.viswanath2012.settings import PoolScoreSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["n_embeddings"]


def score_pools(
    metrics: Metrics,
    pools: Sequence[GenePool],
    reduction: str,
    positive: np.ndarray,
    settings: PoolScoreSettings,
    n_embeddings: Sequence[int],
) -> None:
    """Score the consensus of the first M base embeddings, for several M."""
    with threadpool_limits(1):
        for r, pool in enumerate(pools):
            distances = DistancesOfEmbeddings(pool.first(max(n_embeddings)).embeddings, **settings.combination)
            for m in n_embeddings:
                for strength, mark in STRENGTHS.items():
                    chosen = pool.first(m).selected(strength, settings.theta, settings.theta_reading)
                    scores = score_space(distances.combine(chosen).embedding, positive, settings.linkage)
                    method = f"consensus_{REDUCTIONS[reduction]}_{mark}"
                    metrics.add(method, "accuracy", scores.accuracy, r, n_embeddings=m)
                    metrics.add(method, "balanced_accuracy", scores.balanced_accuracy, r, n_embeddings=m)
                    metrics.add(method, "n_selected", len(chosen), r, n_embeddings=m)

"""Multiscale t-SNE: affinities over several perplexities at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from consensus_embedding.manifold.tsne import joint_probabilities


def multiscale_probabilities(X: np.ndarray, perplexities: Sequence[float]) -> csr_array:
    """
    Symmetric t-SNE affinities, CSR (n, n), float64, conditional probabilities being means over several perplexities.

    For `tsne_runs`; sum 1, diagonal 0. The high-dimensional part of Lee et al. 2015, with the single t kernel in the
    plane that Kobak and Berens 2019 use. Each perplexity has its own 3 * perplexity neighbours; openTSNE takes those of
    the largest for all.
    """
    if not len(perplexities):
        raise ValueError("Multiscale affinities need at least one perplexity, found none.")
    # The conditional probabilities of a point sum to 1 at every perplexity, so that their mean, made symmetric, is the
    # mean of the symmetric ones.
    joint = csr_array(sum(joint_probabilities(X, perplexity) for perplexity in perplexities) / len(perplexities))
    joint.sort_indices()
    return joint

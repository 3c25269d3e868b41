"""
How do I test a consensus method of my own?
===========================================

A consensus is a class with ``fit(embeddings)``. This example writes one, lets ``check_consensus`` test its contract,
and compares it with the methods of the library.
"""

# %%
# One class
# ---------
#
# The mean of the runs' distances, with more weight on runs that agree with the others.

import matplotlib.pyplot as plt
import numpy as np
from consensus_embedding import (
    ExactTSNE,
    GeometricMedianConsensus,
    RandomRun,
    StackedPCA,
    check_consensus,
    validate_embeddings,
)
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_digits


class AgreementWeights(BaseEstimator):
    """Weighted mean of the distances; the weights are the leading eigenvector of the runs' correlations."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, embeddings):
        distances = np.array([pdist(one) for one in validate_embeddings(embeddings)])
        leading = np.linalg.eigh(np.atleast_2d(np.corrcoef(distances)))[1][:, -1]
        weights = np.abs(leading) ** self.power
        self.distances_ = weights @ distances / weights.sum()
        return self


# %%
# Does it keep the contract?
# --------------------------
#
# ``check_consensus`` says nothing if all is well.

check_consensus(AgreementWeights(power=2))

# %%
# This one depends on the order of the runs. The error says so:


class LastRun(BaseEstimator):
    """The last of the runs."""

    def fit(self, embeddings):
        self.distances_ = pdist(validate_embeddings(embeddings)[-1])
        return self


try:
    check_consensus(LastRun())
except ValueError as error:
    print(error)

# %%
# Is it stable?
# -------------
#
# Two consensus embeddings of five t-SNE runs each, without a common run: how far are they apart, relative to their
# size?

X = load_digits().data[:700]
runs = np.array([ExactTSNE(random_state=seed).fit_transform(X) for seed in range(20)])
rng = np.random.default_rng(0)
halves = [np.split(rng.permutation(20)[:10], 2) for _ in range(15)]
methods = {
    "agreement weights (own)": AgreementWeights(power=2),
    "geometric median": GeometricMedianConsensus(),
    "stacked PCA": StackedPCA(),
    "one random run": RandomRun(random_state=0),
}


def apart(method, first, second):
    """Distance between the results on two groups of runs, relative to their size."""
    a, b = (clone(method).fit(runs[group]).distances_ for group in (first, second))
    return 2 * np.linalg.norm(a - b) / (np.linalg.norm(a) + np.linalg.norm(b))


distances = {name: [apart(method, *pair) for pair in halves] for name, method in methods.items()}

figure, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
ax.boxplot(list(distances.values())[::-1], orientation="horizontal", tick_labels=list(distances)[::-1], widths=0.6)
ax.set(xlabel="distance of two results, relative to their size (0: equal)", xlim=(0, None))
plt.show()

for name, values in distances.items():
    print(f"{name}: {np.median(values):.3f}")

# %%
# :doc:`/add_a_method` brings the class into the experiments of the study, by a few lines of a configuration.

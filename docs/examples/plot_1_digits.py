"""
Is my t-SNE stable?
===================

t-SNE starts at random, so that every run gives another picture. This example runs it on images of handwritten digits
several times, combines the runs to a *median consensus embedding* (Tomo and Yoneoka 2025), and asks whether two such
pictures are more alike than two single runs.
"""

# %%
# Runs that differ
# ----------------
#
# The data are 1000 images of 8 x 8 pixels that come with scikit-learn. Each image is a point with 64 features.

import matplotlib.pyplot as plt
import numpy as np
from consensus_embedding import ExactTSNE, embedding_distances, median_consensus, procrustes_align
from sklearn.datasets import load_digits

digits = load_digits()
X, digit = digits.data[:1000], digits.target[:1000]
runs = np.array([ExactTSNE(random_state=seed).fit_transform(X) for seed in range(20)])

# %%
# Rotation and reflection mean nothing in a t-SNE picture. ``procrustes_align`` turns each run onto the first, so that
# what still differs is real: groups change places, and some digits change their group.


def draw(ax, embedding, title):
    """Points of an embedding, coloured by digit, with the number of the digit at the middle of its group."""
    ax.scatter(*embedding.T, c=digit, cmap="tab10", s=6, linewidths=0)
    for number in range(10):
        middle = np.median(embedding[digit == number], axis=0)
        ax.annotate(
            str(number), middle, ha="center", va="center", weight="bold", bbox={"fc": "white", "alpha": 0.7, "lw": 0}
        )
    ax.set(title=title, xlabel="t-SNE 1", ylabel="t-SNE 2", aspect="equal", xticks=[], yticks=[])


figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), layout="constrained")
for k, ax in enumerate(axes):
    draw(ax, procrustes_align(runs[k], runs[0]), f"run {k + 1}")

# %%
# Two consensus pictures
# ----------------------
#
# The consensus of the first ten runs, and of ten others:

consensus = [median_consensus(runs[:10]), median_consensus(runs[10:])]
pictures = [consensus[0].embedding, procrustes_align(consensus[1].embedding, consensus[0].embedding)]

figure, axes = plt.subplots(1, 2, figsize=(7, 3.8), layout="constrained")
for ax, picture, title in zip(axes, pictures, ["consensus of runs 1 to 10", "consensus of runs 11 to 20"], strict=True):
    draw(ax, picture, title)

# %%
# Are they more alike than two runs?
# ----------------------------------
#
# ``embedding_distances`` compares the distances between all pairs of points in two embeddings; 0 means that they are
# equal. A consensus is first of all a set of distances, which its picture approximates; both are compared.

between_runs = embedding_distances(runs)[np.triu_indices(len(runs), 1)]
between_consensus = np.linalg.norm(consensus[0].distance_matrix - consensus[1].distance_matrix)
between_pictures = embedding_distances(pictures)[0, 1]

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.hist(between_runs, bins=20, color="#bbbbbb", label="two single runs")
ax.axvline(between_pictures, color="#0072b2", ls="--", label="pictures of two consensus embeddings")
ax.axvline(between_consensus, color="#d55e00", label="two consensus embeddings")
ax.set(xlim=(0, None), xlabel="distance between two embeddings (units of the t-SNE picture)", ylabel="pairs of runs")
ax.legend(frameon=False)
plt.show()

print(f"two runs, mean:           {between_runs.mean():8.0f}")
print(f"two consensus pictures:   {between_pictures:8.0f}")
print(f"two consensus embeddings: {between_consensus:8.0f}")
print(f"pairs of runs that are further apart than that: {np.mean(between_runs > between_consensus):.0%}")

# %%
# A single run is not stable: most pairs of runs are much further apart than two consensus embeddings. Some pairs are as
# near, because t-SNE found the same arrangement of the groups twice. To see *which* points and groups are stable,
# continue with :ref:`the check of an embedding <sphx_glr_gallery_plot_2_embedding_check.py>`.

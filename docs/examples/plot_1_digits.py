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
# equal. A consensus is first of all a set of distances, which its picture approximates; both are compared. So that the
# answer does not hang on one split of the runs, they are split into two halves ten times.

between_runs = embedding_distances(runs)[np.triu_indices(len(runs), 1)]
between_consensus, between_pictures = [], []
rng = np.random.default_rng(0)
for _ in range(10):
    first, second = (median_consensus(runs[half]) for half in np.split(rng.permutation(len(runs)), 2))
    between_consensus.append(np.linalg.norm(first.distance_matrix - second.distance_matrix))
    between_pictures.append(embedding_distances([first.embedding, second.embedding])[0, 1])

compared = {
    "two single runs": between_runs,
    "pictures of two\nconsensus embeddings": between_pictures,
    "distances of two\nconsensus embeddings": between_consensus,
}
figure, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
for row, (values, colour) in enumerate(zip(compared.values(), ["#777777", "#0072b2", "#d55e00"], strict=True)):
    ax.plot(values, -row + rng.uniform(-0.2, 0.2, len(values)), ".", color=colour, alpha=0.6)
    ax.plot([np.median(values)] * 2, [-row - 0.35, -row + 0.35], color="black")
ax.set_yticks([0, -1, -2], list(compared))
ax.set(xlim=(0, None), xlabel="distance between two embeddings (t-SNE units); lines: medians")
plt.show()

for name, values in compared.items():
    print(f"{name.replace(chr(10), ' ')}: median {np.median(values):.0f}")

# %%
# A single run is not stable. Some pairs of runs are near each other because t-SNE found the same arrangement of the
# groups twice; most are far apart. The distances of the consensus of ten runs are much closer to those of ten others.
# Their pictures need not be: in several of the ten splits, how many depends on the processor, they are far apart when
# the distances are not, since a picture in two dimensions shows only part of the distances. To see *which* points and
# groups are stable, continue with
# :ref:`the check of an embedding <sphx_glr_gallery_plot_2_embedding_check.py>`.

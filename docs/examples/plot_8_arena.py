"""
Which consensus should I use?
=============================

The arena runs ways to combine embeddings, and controls, on the same data sets and scores them for several aims. This
example reads its committed result, so it runs in a clone of the repository. :doc:`/arena` says how the result was made.
"""

# %%
# What it recommends
# ------------------

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

here = Path.cwd()
folders = (folder / "resources" / "paper" for folder in (here, *here.parents))
committed = next((folder for folder in folders if folder.is_dir()), None)
if committed is None:
    raise FileNotFoundError("Run this example in a clone of the repository: it reads results that are committed there.")
advice = pd.read_csv(committed / "arena_advice.tsv", sep="\t")
for row in advice.itertuples():
    print(f"{row._2}: {row.use.replace('_', ' ')}")

# %%
# How far are the methods apart?
# ------------------------------
#
# Means over the data sets. The controls are a run drawn at random, the run in the middle of all, and random points.

controls = ["random_run", "medoid_run", "random_embedding"]
scores = pd.read_csv(committed / "arena_scores.tsv", sep="\t").set_index("method")
scores = scores.sort_values("instability", ascending=False)
colours = ["#d55e00" if method in controls else "#0072b2" for method in scores.index]
panels = {
    "instability": "instability\n(0: other runs give the same result)",
    "neighbor recall": "neighbours of the data kept\n(share)",
    "label neighbors": "neighbours with the same label\n(share)",
}

figure, axes = plt.subplots(1, 3, figsize=(9, 4.2), layout="constrained", sharey=True)
for ax, (column, label) in zip(axes, panels.items(), strict=True):
    ax.hlines(range(len(scores)), 0, scores[column], color="#dddddd", zorder=0)
    ax.scatter(scores[column], range(len(scores)), color=colours)
    ax.set(xlabel=label, xlim=(0, None))
axes[0].set_yticks(range(len(scores)), [method.replace("_", " ") for method in scores.index])
axes[0].scatter([], [], color="#0072b2", label="combines runs")
axes[0].scatter([], [], color="#d55e00", label="control")
figure.legend(frameon=False, loc="outside upper right", ncols=2)
plt.show()

# %%
# All combinations but the pairwise mode are more stable than the run in the middle of all, and all are more stable than
# a run drawn at random. ``GeometricMedianConsensus``, the mean of the distances and ``MetaVisualization`` are the first
# three of every panel. ``StackedPCA`` needs the least time and memory, and keeps fewer neighbours of the data.

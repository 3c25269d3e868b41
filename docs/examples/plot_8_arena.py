"""
Which consensus should I use?
=============================

The arena runs ways to combine embeddings, and controls, on the same data sets and scores them for several aims. This
example reads its committed result. :doc:`/arena` says how it was made.
"""

# %%
# What it recommends
# ------------------

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

root = next(folder for folder in Path.cwd().resolve().parents if (folder / "CITATION.cff").is_file())
committed = root / "tests" / "regression" / "paper"
advice = pd.read_csv(committed / "arena_advice.tsv", sep="\t")
for row in advice.itertuples():
    print(f"{row._2}: {row.use.replace('_', ' ')}")

# %%
# How far are the methods apart?
# ------------------------------
#
# Two scores, means over the data sets. Up and to the left is better: the distances keep the neighbours of the data, and
# other runs give the same result.

scores = pd.read_csv(committed / "arena_scores.tsv", sep="\t").set_index("method")
controls = ["random_run", "medoid_run", "random_embedding"]

figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for kind, colour, marker in (("combines runs", "#0072b2", "o"), ("control", "#d55e00", "s")):
    some = scores[scores.index.isin(controls) == (kind == "control")]
    ax.scatter(some["instability"], some["neighbor recall"], color=colour, marker=marker, label=kind)
for method, row in scores.iterrows():
    ax.annotate(
        method.replace("_", " "),
        (row["instability"], row["neighbor recall"]),
        xytext=(5, 3),
        textcoords="offset points",
    )
ax.set(
    xscale="log",
    xlabel="instability (0: other runs give the same result)",
    ylabel="neighbours of the data kept (share)",
)
ax.legend(frameon=False)
plt.show()

# %%
# Any combination is more stable than a single run. ``GeometricMedianConsensus`` and the mean of the distances lead;
# ``StackedPCA`` is close and needs the least time and memory.

"""
What in my t-SNE picture can I trust?
=====================================

A picture shows points, groups, and distances between groups. This example checks which of these are in the data, and
which only in one run of t-SNE: ``check_embedding`` runs t-SNE 20 times and looks for what all runs agree on.
"""

# %%
# The check
# ---------

import matplotlib.pyplot as plt
import numpy as np
from consensus_embedding import check_embedding
from sklearn.datasets import load_digits

digits = load_digits()
X, digit = digits.data[:1000], digits.target[:1000]
check = check_embedding(X, n_embeddings=20, labels=digit, n_jobs=2, random_state=0)
print("\n".join(check.summary()))

# %%
# Which points?
# -------------
#
# The *instability* of a point is 0 if its neighbours in one run are as near in all other runs, and 1 if they are as far
# as random points.

COLOURS = {"stable": "#bbbbbb", "uncertain": "#e69f00", "unstable": "#0072b2"}
points = check.points

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for category, colour in COLOURS.items():
    some = points[points["category"] == category]
    axes[0].scatter(some["x"], some["y"], s=10, color=colour, label=f"{category} ({len(some)})")
for number in range(10):
    middle = points.loc[points["label"] == number, ["x", "y"]].median()
    axes[0].annotate(str(number), middle, ha="center", va="center", weight="bold")
axes[0].set(title="points of the consensus picture", xlabel="1", ylabel="2", aspect="equal", xticks=[], yticks=[])
axes[0].legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0, -0.06), ncols=3)

axes[1].hist(points["instability"], bins=40, color="#56b4e9")
axes[1].set(title="how stable are the points?", xlabel="instability", ylabel="points", yscale="log")
plt.show()

# %%
# The least stable images. They are digits that look like another one:

worst = points.sort_values("instability", ascending=False).head(8)
figure, axes = plt.subplots(1, 8, figsize=(9, 1.6), layout="constrained")
for ax, row in zip(axes, worst.itertuples(), strict=True):
    ax.imshow(digits.images[row.point], cmap="gray_r")
    ax.set_title(f"a {row.label}\n{row.instability:.2f}", fontsize=9)
    ax.axis("off")

# %%
# Which distances between groups?
# -------------------------------
#
# Groups that are near each other in one run need not be near in the next. ``label_pairs`` says for each pair of digits
# whether the distance is the same in every run.

pairs = check.label_pairs
table = np.full((10, 10), np.nan)
for row in pairs.itertuples():
    table[row.first, row.second] = table[row.second, row.first] = row.instability

figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
image = ax.imshow(table, cmap="cividis", vmin=0)
ax.set(title="instability of the distance between groups", xlabel="digit", ylabel="digit")
ax.set(xticks=range(10), yticks=range(10))
figure.colorbar(image, ax=ax, label="0: the same in every run")
plt.show()

print(pairs["category"].value_counts().to_string())

# %%
# How many runs are enough?
# -------------------------

curve = check.convergence.curve
print(curve.round(3).to_string(index=False))
print("enough runs:", check.convergence.n_enough)

# %%
# :doc:`/embedding_check` says how each number is measured and what it cannot see.

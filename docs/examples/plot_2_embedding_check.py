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

points = check.points

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
check.plot("label", axes[0])
check.plot("stability", axes[1])
plt.show()

# %%
# The same points in the first runs, each turned onto the consensus picture:

check.plot_runs(6)
plt.show()

# %%
# The least stable images, with the digit that they show and their instability:

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

check.plot_labels()
plt.show()

print(check.label_pairs["category"].value_counts().to_string())

# %%
# How many runs are enough?
# -------------------------

curve = check.convergence.curve
print(curve.round(3).to_string(index=False))
print("enough runs:", check.convergence.n_enough)

# %%
# :doc:`/embedding_check` says how each number is measured and what it cannot see.

"""
Which cells of my UMAP can I trust?
===================================

UMAP draws another picture from another random start. This example, for users of scanpy, lets scanpy draw 20 pictures of
the same cells, and colours their consensus by what all of them agree on. The cells come with scanpy: 700 blood cells
with labels of ten types.
"""

# %%
# From cells to stability
# -----------------------

import scanpy as sc
import seaborn as sns
from consensus_embedding import check_embedding

adata = sc.datasets.pbmc68k_reduced()
for k in range(20):
    sc.tl.umap(adata, init_pos="random", random_state=k, key_added=f"X_umap_{k}")
check = check_embedding(adata, embeddings=[f"X_umap_{k}" for k in range(20)], labels="bulk_labels", random_state=0)
adata.uns["bulk_labels_colors"] = list(sns.color_palette("colorblind").as_hex())
sc.pl.embedding(adata, "consensus", color=["bulk_labels", "stability"], ncols=1)

# %%
# Both panels show the consensus of the 20 pictures, ``obsm["X_consensus"]``: above by cell type, below by
# ``obs["stability"]``.
#
# - A **stable** cell has its neighbours near it in nearly every picture. You may say which island it is in.
# - An **unstable** cell is near some cells in one picture and far from them in another. Do not interpret its position.
#   Here these are a few single cells between islands, and the 13 cells of CD34+: they stay together, but 15 neighbours
#   of each cell are compared, so that some are outside their small island, and other ones in each picture.
# - An **uncertain** cell is between the two, or 20 pictures are too few to say which of them it is.
#
# Stable means that the pictures repeat. It does not mean that a cell type is right, or that other cells would show the
# same.

# %%
# Which islands are near each other?
# ----------------------------------
#
# That a cell is in one island in every picture does not fix where the island is. In the first pictures, each turned
# onto the consensus, the islands change places:

axes = check.plot_runs(3)

# %%
# ``label_pairs`` has the answer for each pair of cell types. Only of a stable pair may you say that the two types are
# near each other or far apart. A pair is "scattered" if a type has most of its cells among those of other types.

print(check.label_pairs["category"].value_counts().to_string())

# %%
# The whole answer in sentences:

print("\n".join(check.summary()))

# %%
# With your own data
# ------------------
#
# Run ``sc.pp.neighbors`` first, and give ``sc.tl.umap`` the settings of your figure, except for ``init_pos="random"``:
# with scanpy's default all pictures start nearly alike, and then resemble each other whatever the data.
#
# Without ``embeddings`` the library computes t-SNE, of ``obsm["X_pca"]`` or of the key that ``representation`` names.
# :doc:`/embedding_check` says how each number is measured and what it cannot see.

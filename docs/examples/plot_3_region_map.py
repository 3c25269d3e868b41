"""
Which regions of an image differ in texture?
============================================

Two tissues can be equally bright and still differ in texture. This example makes such an image, describes each pixel by
14 texture features, embeds the pixels by a consensus of many random feature subsets (*ConsEmbedMS* of Viswanath and
Madabhushi 2012), and cuts the result into two regions.
"""

# %%
# An image of two textures
# ------------------------
#
# Both textures are noise of the same mean and spread. Inside the disc it is smoother.

import matplotlib.pyplot as plt
import numpy as np
from consensus_embedding import ConsensusEmbedding, clustering_accuracy, haralick_features, replicated_kmeans
from scipy.ndimage import gaussian_filter
from sklearn.preprocessing import scale

rng = np.random.default_rng(0)
size = 80
rows, columns = np.mgrid[:size, :size]
disc = (rows - 40) ** 2 + (columns - 36) ** 2 < 22**2
fine, coarse = (scale(gaussian_filter(rng.standard_normal((size, size)), width).ravel()) for width in (0.7, 2.0))
image = np.where(disc, coarse.reshape(size, size), fine.reshape(size, size))

# %%
# Texture, consensus, regions
# ---------------------------
#
# ``subsampling="mean_shift"`` reduces the pixels to a few hundred objects first, so that large images stay fast.

mask = np.ones_like(disc)
features = scale(haralick_features(image, mask, window=9, levels=32, outside="excluded"))
model = ConsensusEmbedding(n_components=3, n_embeddings=100, subsampling="mean_shift", random_state=0)
embedding = model.fit_transform(features)
print(f"{len(features)} pixels, {features.shape[1]} features, {len(model.selected_)} embeddings combined")


def region_map(values):
    """Two clusters of the pixels as an image; region 1 is the one that the disc has most of."""
    labels = replicated_kmeans(values, 2, seed=0).reshape(size, size).astype(int)
    return labels if labels[disc].mean() > 0.5 else 1 - labels


maps = {"consensus embedding of texture": region_map(embedding), "intensity alone": region_map(image.reshape(-1, 1))}

# %%
# How many pixels are in the right region?
# ----------------------------------------

figure, axes = plt.subplots(1, 4, figsize=(10, 3.3), layout="constrained")
axes[0].imshow(image, cmap="gray")
axes[0].set_title("image")
axes[1].imshow(disc, cmap="cividis")
axes[1].set_title("true regions")
for ax, (name, labels) in zip(axes[2:], maps.items(), strict=True):
    accuracy = clustering_accuracy(labels.ravel(), disc.ravel())
    ax.imshow(labels, cmap="cividis")
    ax.set_title(f"{name}\n{accuracy:.0%} of the pixels right", fontsize=9)
    print(f"{name}: {accuracy:.2f}")
for ax in axes:
    ax.set(xticks=[], yticks=[], xlabel=f"{size} pixels")
plt.show()

# %%
# Use texture where tissues differ in texture. Where they differ in brightness, two clusters of the intensity are the
# better tool; see :doc:`/own_data`. Images of your own, with masks, need no code: ``config/own_images.yaml``.

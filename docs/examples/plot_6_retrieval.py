"""
Can new samples join an embedding without computing it again?
=============================================================

An archive of images is embedded once. New images come in and ask for the most similar ones. *OSE-SSL* (Sparks and
Madabhushi 2011) places new samples in a graph embedding, and uses the labels that some samples of the archive have.
This example compares it with the same method without labels (NM-GE) and with distances of the images themselves.
"""

# %%
# An archive, and new images
# --------------------------
#
# 600 images of digits are the archive; every second one is labelled. 200 others are new.

import matplotlib.pyplot as plt
import numpy as np
from consensus_embedding import NystroemGraphEmbedding, SemiSupervisedGraphEmbedding, nearest_items
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

digits = load_digits()
archive, new, archive_digit, new_digit = train_test_split(
    digits.data, digits.target, train_size=600, test_size=200, stratify=digits.target, random_state=0
)
labels = np.where(np.arange(len(archive)) % 2 == 0, archive_digit, -1)

# %%
# ``transform`` places the new images and leaves the archive as it is.

models = {
    "OSE-SSL (with labels)": SemiSupervisedGraphEmbedding(n_components=10).fit(archive, labels),
    "NM-GE (without labels)": NystroemGraphEmbedding(n_components=10).fit(archive),
}
places = {name: (model.transform(new), model.embedding_) for name, model in models.items()}
places["pixels, not embedded"] = new, archive

# %%
# How many of the nearest images show the same digit?
# ---------------------------------------------------

numbers = np.array([1, 2, 5, 10, 20, 50])
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for (name, (queries, database)), style in zip(places.items(), ("o-", "s--", "^:"), strict=True):
    items, _ = nearest_items(queries, database, numbers[-1])
    same = archive_digit[items] == new_digit[:, None]
    precision = [same[:, :number].mean() for number in numbers]
    ax.plot(numbers, precision, style, label=name)
    print(f"{name}: {precision[3]:.2f} of the nearest {numbers[3]}")
ax.axhline(0.1, color="#888888", lw=1, label="chance")
ax.set(xscale="log", xticks=numbers, xticklabels=numbers, ylim=(0, 1.02))
ax.set(xlabel="images retrieved", ylabel="share with the digit of the query")
ax.legend(frameon=False, fontsize=9, loc="lower left")
ax.minorticks_off()

# %%
# Four queries
# ------------
#
# The first column is the new image, the others are the nearest images of the archive in OSE-SSL.

items, _ = nearest_items(*places["OSE-SSL (with labels)"], 6)
figure, axes = plt.subplots(4, 7, figsize=(6, 3.8), layout="constrained")
for query, row in enumerate(axes):
    images = [new[query], *archive[items[query]]]
    titles = [f"new: {new_digit[query]}", *archive_digit[items[query]]]
    for ax, pixels, title in zip(row, images, titles, strict=True):
        ax.imshow(pixels.reshape(8, 8), cmap="gray_r")
        ax.set_title(title, fontsize=8)
        ax.axis("off")
plt.show()

# %%
# For the nearest one or two the pixels are better. From ten on the embeddings are, the more the further down the list:
# they follow the shape of the data. The labels add next to nothing here. When they do help is the
# question of :doc:`/results/sparks2011`.

"""
The picture of a check that README and the start page show: two runs of t-SNE, and the consensus of 20.

    python docs/_ext/check_picture.py

Run it again after a change of the check; the counts in its legend are those of README's example.
"""

from __future__ import annotations

from pathlib import Path

from consensus_embedding import use_portable_arithmetic

use_portable_arithmetic()

import matplotlib.pyplot as plt  # noqa: E402
from consensus_embedding import check_embedding  # noqa: E402
from sklearn.datasets import load_breast_cancer  # noqa: E402
from sklearn.preprocessing import scale  # noqa: E402

PICTURE = Path(__file__).parents[2] / "resources" / "readme" / "check.png"


def draw() -> plt.Figure:
    """The first two runs turned onto the consensus, and the consensus; one legend."""
    check = check_embedding(scale(load_breast_cancer().data), random_state=0, verbose=False)
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.6), layout="constrained")
    check.plot_runs(2, axes=axes[:2])
    check.plot(ax=axes[2]).get_legend().remove()
    for ax, title in zip(axes, ("one run of t-SNE", "another run", "consensus of 20 runs"), strict=True):
        ax.set(xlabel="", ylabel="")
        ax.set_title(title, fontsize=11)
        ax.set_box_aspect(0.75)
    # Legible also where the picture is as wide as a phone.
    plt.setp(figure.legends[0].get_texts(), fontsize=11)
    return figure


if __name__ == "__main__":
    draw().savefig(PICTURE, dpi=200)

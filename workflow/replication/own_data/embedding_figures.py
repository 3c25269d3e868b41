"""Figures of a check of an embedding, as its page and the files for print show them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from consensus_embedding.diagnostics import plots
from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck
from matplotlib.figure import Figure

from replication.shared.figures import panel_grid


def draw_pictures(check: EmbeddingCheck) -> Figure:
    """Consensus picture, by label if there are any, and by stability."""
    colours = ["label", "stability"] if len(check.label_groups) else ["stability"]
    width = 7.2 if len(colours) > 1 else 4.0
    figure, axes = panel_grid(1, len(colours), (width, 3.7))
    for ax, color in zip(axes[0], colours, strict=True):
        handles, few = plots.label_legend(check) if color == "label" else ([], True)
        plots.plot_points(check, color, ax, legend=few)
        ax.set_title(f"Coloured by {color}")
        if not few:
            # Below both pictures: a long list would take the room of one.
            longest = max(len(handle.get_label()) for handle in handles)
            figure.legend(
                handles=handles,
                loc="upper center",
                bbox_to_anchor=(0.5, -0.02),
                fontsize=6.5,
                ncols=int(np.clip(125 // (longest + 5), 1, 6)),
                handletextpad=0.2,
                columnspacing=0.8,
            )
    return figure


def _alone(plot: Callable) -> Callable[[EmbeddingCheck], Figure]:
    """A figure of one picture."""
    return lambda check: plot(check).figure


# Those with a caption in `contents.PARTS`.
FIGURES: dict[str, Callable[[EmbeddingCheck], Figure]] = {
    "pictures": draw_pictures,
    "label_groups": _alone(plots.plot_label_groups),
    "label_pairs": _alone(plots.plot_label_pairs),
    "convergence": _alone(plots.plot_convergence),
    "fidelity": _alone(plots.plot_fidelity),
}

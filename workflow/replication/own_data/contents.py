"""The tables and figures of a check of an embedding, for the step that makes them, their files and the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A table `<name>.tsv`, a figure that `embedding_figures.FIGURES[<name>]` draws, or both."""

    table: str = ""  # What the table is, in the list of files.
    title: str = ""  # Of the table on the page, if it is there.
    caption: str = ""  # Of the figure.
    needs: str = ""  # "labels", or "data" that the embeddings are compared with.


# In the order of the list of files on the page.
PARTS = {
    "points": Part(
        table="one row per point: its position, how stable it is, with intervals", title="Least stable points"
    ),
    "pictures": Part(
        caption="The consensus picture: one position per point from all runs, {by}coloured by stability. A point is "
        "stable if its neighbours in one run are near it in every other run. The axes have no unit and no meaning of "
        "their own."
    ),
    "label_groups": Part(
        table="one row per label: whether its points keep together",
        title="Labels, worst group first",
        caption="Does a label form a group? Share of the nearest neighbours with the same label; the tick is what "
        "shuffled labels would give. Number of points in brackets.{first}",
        needs="labels",
    ),
    "label_pairs": Part(
        table="one row per pair of labels: whether their distance is stable",
        title="Pairs of labels, least stable distance first",
        caption="Does the distance between two labels change from run to run? Dark: the same in every run. Bright: "
        "as if the labels changed places at random.{largest}",
        needs="labels",
    ),
    "convergence": Part(
        table="distance to the consensus by number of runs",
        caption="How far the consensus of few runs is from that of very many, relative to the size of the picture. "
        "Below the dotted line it is near enough.",
    ),
    "fidelity": Part(
        table="agreement with the data",
        title="Agreement with the data (1 = perfect)",
        caption="Agreement of the pictures with the data: neighbourhoods (trustworthiness, continuity, neighbour "
        "recall) and the order of all distances (distance correlation).",
        needs="data",
    ),
}

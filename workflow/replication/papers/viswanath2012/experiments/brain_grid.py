"""White against grey matter over noise and non-uniformity."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.viswanath2012.settings import ObjectKind
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import AtLeastOne, Distinct, Natural, Pair, Settings
from replication.shared.image_settings import of_brain, of_brain_value


class BrainGrid(Settings):
    """Experiment 1: white against grey matter."""

    objects: Distinct[ObjectKind] = Field(
        ("mean_shift", "k_means"),
        description="kinds of objects compared on the first draw of the noise; the first is the paper's",
    )
    maps: AtLeastOne[Pair[Natural]] = Field(
        ((1, 0), (3, 20), (7, 40)), description="noise and non-uniformity of the images whose region maps are drawn"
    )
    map_slice: Natural = Field(90, description="the slice of the region maps, one of brain.slices")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Images that the section brain lacks, and other objects than the paper's first."""
    grid, objects = config["brain_grid"], config["image_embedding"]["objects"]
    yield from of_brain(config, "brain_grid", map_slice="slices")
    for k, (noise, inhomogeneity) in enumerate(grid["maps"]):
        yield from of_brain_value(config, f"brain_grid.maps[{k}][0]", "noise", noise)
        yield from of_brain_value(config, f"brain_grid.maps[{k}][1]", "inhomogeneity", inhomogeneity)
    if grid["objects"][0] != objects:
        yield f"brain_grid.objects: expected image_embedding.objects = {objects} first, found {grid['objects'][0]}"


EXPERIMENT = Experiment(
    "brain_grid",
    settings=BrainGrid,
    check=check,
    title="White against grey matter over noise and non-uniformity",
    added="added_methods.score_brain",
    method_names="method_names.METHODS",
    text=(
        "Experiment 1 of Viswanath and Madabhushi 2012: white against grey matter on proton density slices of "
        "a brain phantom, over 18 combinations of noise and intensity non-uniformity. Features, MDS, graph "
        "embedding and consensus graph embedding are clustered on the same mean-shift objects; the verdicts "
        "are taken at the paper's own threshold theta = 0.15 x max. Controls show what the gain comes from. "
        "The table units has every subject and draw of the noise; subjects share the feature subsets of a "
        "draw, so an interval over units leaves out what another draw of subsets does to all of them."
    ),
    reads=("maps",),
    tables={
        "accuracy": "image_tables.accuracy_table",
        "tests": "image_tables.grid_tests",
        "controls": "image_tables.controls_table",
        "units": "image_tables.units_table",
    },
    figures={
        "trend": Figure(
            "image_figures.draw_trend",
            (
                "Fig. 3 of the paper: white matter accuracy against the combinations of noise and "
                "non-uniformity, mean and standard deviation over the slices. The dotted line is exploratory: "
                "a threshold that does select embeddings, with labels."
            ),
        ),
        "maps": Figure(
            "image_figures.draw_region_maps",
            (
                "Fig. 2 of the paper: the slice with the true outline of white matter, and the regions that "
                "each method finds, for three combinations of noise and non-uniformity. The line in each map is "
                "the true outline."
            ),
        ),
        "controls": Figure(
            "image_figures.draw_controls",
            (
                "Accuracy of the paper's methods and of the controls, averaged over the combinations, for "
                "mean-shift objects and k-means objects. Above the dashed line the paper's methods; below it "
                "selection by labels at a strict threshold, the same without labels, the same learnt on other "
                "slices, the same subsets without graph embedding, the best single embedding, and what needs "
                "no texture at all. Bars: standard deviation over the combinations."
            ),
        ),
    },
)

"""White against grey matter over noise and non-uniformity."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import of_brain, of_brain_value
from replication.papers.viswanath2012.settings import ImageSettings, ObjectKind
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import AtLeastOne, Distinct, Natural, Pair, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather


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
    """Images that the section brain lacks, and another kind of objects than the paper's first."""
    grid, kind = config["brain_grid"], config["image_embedding"]["objects"]
    yield from of_brain(config, "brain_grid", map_slice="slices")
    for k, (noise, inhomogeneity) in enumerate(grid["maps"]):
        yield from of_brain_value(config, f"brain_grid.maps[{k}][0]", "noise", noise)
        yield from of_brain_value(config, f"brain_grid.maps[{k}][1]", "inhomogeneity", inhomogeneity)
    if grid["objects"][0] != kind:
        yield f"brain_grid.objects: expected image_embedding.objects = {kind} first, found {grid['objects'][0]}"


def parts(study: Study) -> list[str]:
    """A part for each unit and noise level."""
    return [f"{unit}_pn{noise}" for unit in layout.units(study) for noise in study["brain"]["noise"]]


def map_files(study: Study) -> list[str]:
    """Maps of the noise levels that the figure shows."""
    shown = dict.fromkeys(noise for noise, _ in study["brain_grid"]["maps"])
    return [f"brain_grid/parts/{layout.main_unit(study)}_pn{noise}_maps.npz" for noise in shown]


def added_parts(study: Study) -> dict[str, tuple]:
    """What an added method is scored on."""
    brain = study.only("brain", "inhomogeneity", "slices")
    return {
        f"{unit}_pn{noise}": (
            {"slices": layout.embedded(unit, noise)},
            {"unit": unit, "noise": noise, "brain": brain, "settings": study["image_embedding"]},
        )
        for unit in layout.units(study)
        for noise in study["brain"]["noise"]
    }


def score(job: Job) -> Results:
    """Scores of every representation on the slices of one subject, draw and noise level."""
    import numpy as np

    from replication.data.brainweb import about_subject
    from replication.data.readers.volumes import read_volume
    from replication.papers.viswanath2012.brain_grid import CONDITIONS, learnt_strengths, region_map, score_combination
    from replication.papers.viswanath2012.image_slices import load_slices, slice_features
    from replication.papers.viswanath2012.method_names import PAPER_METHODS
    from replication.shared.tidy import Metrics

    brain = job.settings["brain"]
    settings = job.section("image_embedding", ImageSettings)
    subject, _, draw = job.wildcards.unit.rpartition("_")
    metrics = Metrics("brain_grid", **about_subject(subject), conditions=CONDITIONS)
    loaded = load_slices(job.inputs.slices)
    names = [*brain["calibration_slices"], *brain["slices"]]
    pictures = {}
    for k, kind in enumerate(dict.fromkeys(name.split("/")[0] for name in loaded)):
        for inhomogeneity, path in zip(brain["inhomogeneity"], job.inputs.images, strict=True):
            slices = {z: loaded[f"{kind}/{inhomogeneity}/{z}"] for z in names}
            calibration = [slices.pop(z) for z in brain["calibration_slices"]]
            images = read_volume(path).data
            image = {z: images[..., names.index(z)] for z in slices}
            # The pixels themselves are clustered once, whatever the kinds of objects.
            features = (
                None if k else {z: slice_features(image[z], embedded.mask, settings) for z, embedded in slices.items()}
            )
            maps = score_combination(
                metrics,
                slices,
                learnt_strengths(calibration),
                settings,
                features=features,
                seed=job.seed,
                objects=kind,
                noise=int(job.wildcards.noise),
                inhomogeneity=inhomogeneity,
                draw=int(draw),
            )
            job.say(f"{kind} objects, non-uniformity {inhomogeneity} %: {len(slices)} slices")
            if k == 0 and job.settings["map_slice"] in slices:
                z, embedded = job.settings["map_slice"], slices[job.settings["map_slice"]]
                pictures[f"{inhomogeneity}/image"] = image[z]
                pictures[f"{inhomogeneity}/truth"] = np.where(embedded.mask, 0, -1)
                pictures[f"{inhomogeneity}/truth"][embedded.mask] = embedded.positive_pixels
                pictures |= {f"{inhomogeneity}/{m}": region_map(embedded, maps[z][m]) for m in PAPER_METHODS}
    return {"scores": metrics, "maps": pictures}


EXPERIMENT = Experiment(
    "brain_grid",
    position=2,
    settings=BrainGrid,
    check=check,
    title="White against grey matter over noise and non-uniformity",
    added="user_methods.score_brain",
    method_names="method_names.METHODS",
    text=(
        "Experiment 1 of Viswanath and Madabhushi 2012: white against grey matter on proton density slices of "
        "a brain phantom, over 18 combinations of noise and intensity non-uniformity. Features, MDS, graph "
        "embedding and consensus graph embedding are clustered on the same mean-shift objects; the verdicts "
        "are taken at the paper's own threshold theta = 0.15 x max. Claims on which method is highest are judged in "
        "the experiment on grey levels and readings of theta. Controls show what the gain comes from. "
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
                "White matter accuracy of consensus GE minus that of each other method on the same slices, for "
                "every combination of noise and non-uniformity (Fig. 3 of the paper shows the accuracies; here "
                "the table accuracy does). Bars: 95 % t interval of the mean over the slices. Above the line "
                "the consensus is ahead; a bar that crosses it leaves that open."
            ),
        ),
        "maps": Figure(
            "image_figures.draw_region_maps",
            (
                "Fig. 2 of the paper: the slice with the true outline of white matter, and the regions that "
                "each method finds, for some combinations of noise and non-uniformity. The line in each map is "
                "the true outline."
            ),
        ),
        "controls": Figure(
            "image_figures.draw_controls",
            (
                "Accuracy of the paper's methods and of the controls, averaged over the combinations, for "
                "mean-shift objects and k-means objects. Above the dashed line the paper's methods; below it "
                "selection by labels at a strict threshold, the same without labels, the same learnt on other "
                "slices, the same subsets without graph embedding, the best single embedding and the one that "
                "other slices choose, the features of all pixels, a random embedding, and what needs no "
                "texture at all. Bars: standard deviation over the combinations."
            ),
        ),
    },
    files=lambda study: {"maps": map_files(study)},
    given=lambda study: {"combinations": study["brain_grid"]["maps"]},
    added_parts=added_parts,
    steps=(
        Step(
            name="score_brain_grid",
            run=score,
            does="Cluster the slices of {wildcards.unit}, noise {wildcards.noise} %, in every representation",
            makes={
                "scores": "brain_grid/parts/{unit}_pn{noise}.tsv",
                "maps": "brain_grid/parts/{unit}_pn{noise}_maps.npz",
            },
            reads=lambda study, at: {
                "slices": layout.embedded(at.unit, at.noise),
                "images": layout.images(study, at.unit, at.noise),
            },
            settings=lambda study, _: {
                "brain": study.only("brain", "inhomogeneity", "slices", "calibration_slices"),
                "image_embedding": study["image_embedding"],
                "map_slice": study["brain_grid"]["map_slice"],
            },
            wildcards=lambda study: {"unit": layout.units(study), "noise": r"\d+"},
            memory_mb=1500,
            takes=Seconds(1.2, 0.42, "brain.inhomogeneity*brain.slices"),
        ),
        gather("brain_grid", parts, "Gather the scores of all combinations", takes=Seconds(1.7)),
    ),
)

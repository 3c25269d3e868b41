"""Grey levels and readings of theta."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.settings import Levels, RegionSettings, ThetaReading
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather


class BrainReadings(Settings):
    """
    Experiment 1 over grey levels and over the readings of theta.

    On the paper's kind of objects and the first draw.
    The claims are judged at 128 levels, and not testable without.
    """

    levels: Distinct[Levels] = Field(
        (16, 32, 64, 128),
        description="numbers of grey levels, image_embedding.levels among them; the claims are judged at 128",
    )
    readings: Distinct[ThetaReading] = Field(
        ("literal", "within", "strongest", "chance_corrected"),
        description="readings of theta, see image_embedding.theta_reading; literal is among them",
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """The paper's reading is compared with the others."""
        if "literal" not in self.readings:
            yield "readings", f"expected literal among them, found {list(self.readings)}"


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """The grey levels of the other experiments on images are among those compared."""
    levels, known = config["image_embedding"]["levels"], config["brain_readings"]["levels"]
    if levels not in known:
        yield f"brain_readings.levels: expected image_embedding.levels = {levels} among them, found {known}"


def parts(study: Study) -> list[str]:
    """A part for each number of grey levels and noise level."""
    levels = study["brain_readings"]["levels"]
    return [f"levels{level}_pn{noise}" for level in levels for noise in study["brain"]["noise"]]


def reads(study: Study, at) -> dict:
    """Slices of the main unit: embedded already at image_embedding.levels, else the images."""
    unit = layout.main_unit(study)
    if int(at.levels) == study["image_embedding"]["levels"]:
        return {"slices": layout.embedded(unit, at.noise)}
    return {"images": layout.images(study, unit, at.noise), "labels": layout.labels(unit)}


def score(job: Job) -> Results:
    """Scores of the paper's four methods by reading of theta, at one number of grey levels and noise level."""
    from consensus_embedding.utils.seeds import stream_seed

    from replication.data.readers.volumes import read_volume
    from replication.papers.viswanath2012.brain_files import about_unit, slices_at
    from replication.papers.viswanath2012.brain_readings import CONDITIONS, score_combination
    from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice
    from replication.shared.tidy import Metrics

    brain, inputs = job.settings["brain"], job.inputs
    levels, noise = int(job.wildcards.levels), int(job.wildcards.noise)
    settings = job.section("image_embedding", RegionSettings, levels=levels)
    metrics = Metrics("brain_readings", **about_unit(job.settings["unit"]), conditions=CONDITIONS)
    first, seed = len(brain["calibration_slices"]), stream_seed(job.seed, "brain", 0)
    for k, inhomogeneity in enumerate(brain["inhomogeneity"]):
        if hasattr(inputs, "slices"):
            # image_embedding.levels is embedded already.
            slices = slices_at(inputs.slices, settings.objects, inhomogeneity, brain["slices"])
        else:
            image, labels = read_volume(inputs.images[k]).data, read_volume(inputs.labels).data
            slices = {
                z: embed_slice(image[..., i], labels[..., i] > 0, labels[..., i] == WHITE_MATTER, settings, seed=seed)
                for i, z in enumerate(brain["slices"], first)
            }
        score_combination(
            metrics, slices, settings, job.settings["readings"], levels=levels, noise=noise, inhomogeneity=inhomogeneity
        )
        job.say(f"{levels} grey levels, noise {noise} %, non-uniformity {inhomogeneity} %: {len(slices)} slices")
    return {"scores": metrics}


EXPERIMENT = Experiment(
    "brain_readings",
    position=3,
    settings=BrainReadings,
    check=check,
    title="Grey levels and readings of theta",
    text=(
        "Experiment 1 of Viswanath and Madabhushi 2012 again, over two details that the paper leaves open: the "
        "grey levels of the texture features, and what its threshold theta = 0.15 x max means. As printed it "
        "excludes nothing, since two clusters of two classes are never less accurate than one half. The other "
        "readings select: embeddings within 15 % of the best, the strongest 15 % of the embeddings, and those "
        "whose strength above chance (0.5) is more than 15 % of the best one's. All readings share the base "
        "embeddings."
    ),
    tables={"readings": "image_tables.readings_table"},
    figures={
        "readings": Figure(
            "image_figures.draw_readings",
            (
                "Left: combinations of noise and non-uniformity in which consensus GE has the highest mean "
                "accuracy of F, MDS, GE and consensus GE, by the number of grey levels and by what theta is "
                "taken to mean; lines are shifted sideways, since two are equal. Right: mean "
                "accuracies over all combinations and slices; bars: 95 % intervals over the slices."
            ),
        ),
    },
    steps=(
        Step(
            name="score_brain_readings",
            run=score,
            does="Readings of theta with {wildcards.levels} grey levels, noise {wildcards.noise} %",
            makes={"scores": "brain_readings/parts/levels{levels}_pn{noise}.tsv"},
            reads=reads,
            settings=lambda study, _: {
                "brain": study.only("brain", "inhomogeneity", "slices", "calibration_slices"),
                "image_embedding": study.of("image_embedding", RegionSettings),
                "readings": study["brain_readings"]["readings"],
                "unit": layout.main_unit(study),
            },
            wildcards={"levels": r"\d+", "noise": r"\d+"},
            memory_mb=1500,
            takes=Seconds(1.3, 0.77, "brain.inhomogeneity*brain.slices"),
        ),
        gather("brain_readings", parts, "Gather the scores of all grey levels", takes=Seconds(1.7)),
    ),
)

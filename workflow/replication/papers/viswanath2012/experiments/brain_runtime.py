"""Run times compared with the paper's."""

from typing import Annotated

from annotated_types import Ge
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import of_brain
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Integer, Natural, Percentage, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class BrainRuntime(Settings):
    """Run times, compared with the paper's."""

    slice: Natural = Field(90, description="the slice, one of brain.slices")
    noise: Percentage = Field(3, description="noise of the image, one of brain.noise")
    inhomogeneity: Percentage = Field(20, description="non-uniformity of the image, one of brain.inhomogeneity")
    n_pixels: Annotated[Integer, Ge(100)] = Field(
        5589, description="pixels embedded without subsampling; the paper's slice had 5589"
    )
    repetitions: Count = Field(3, description="timings of each step")


def reads(study: Study, _) -> dict:
    """The image that is timed, and its tissues."""
    unit, timed = layout.main_unit(study), study["brain_runtime"]
    return {"image": [layout.image(unit, timed["noise"], timed["inhomogeneity"])], "labels": layout.labels(unit)}


def run(job: Job) -> Results:
    """Run times compared with the paper's."""
    from replication.data.readers.volumes import read_volume
    from replication.papers.viswanath2012 import brain_runtime
    from replication.papers.viswanath2012.brain_files import about_unit
    from replication.papers.viswanath2012.image_slices import WHITE_MATTER

    brain = job.settings["brain"]
    k = [*brain["calibration_slices"], *brain["slices"]].index(job.settings["brain_runtime"]["slice"])
    labels = read_volume(job.inputs.labels).data[..., k]
    metrics = brain_runtime.run(
        read_volume(job.inputs.image[0]).data[..., k],
        labels > 0,
        labels == WHITE_MATTER,
        job.section("image_embedding", RegionSettings),
        n_pixels=job.settings["brain_runtime"]["n_pixels"],
        repetitions=job.settings["brain_runtime"]["repetitions"],
        about=about_unit(job.settings["unit"]),
        work=job,
    )
    return {"metrics": metrics}


EXPERIMENT = Experiment(
    "brain_runtime",
    position=8,
    settings=BrainRuntime,
    check=lambda config: of_brain(
        config, "brain_runtime", noise="noise", inhomogeneity="inhomogeneity", slice="slices"
    ),
    title="Run times compared with the paper's",
    text=(
        "Run times of the steps of consensus embedding and those of the paper, which were measured in "
        "MATLAB on two quad-core processors of 2007. The image has noise: without it identical pixels make "
        "the graphs dense, and CreateEmbed slow. Equal subsets of features are embedded once."
    ),
    tables={"runtime": "image_tables.runtime_table"},
    figures={
        "runtime": Figure(
            "image_figures.draw_runtime",
            "Seconds per step of ConsEmbedMS on one complete slice, texture features included.",
        ),
    },
    steps=(
        Step(
            name="run_brain_runtime",
            run=run,
            does="Time the steps of consensus embedding",
            makes={"metrics": "brain_runtime/metrics.tsv"},
            reads=reads,
            settings=lambda study, _: {
                "brain": study.only("brain", "slices", "calibration_slices"),
                "image_embedding": study.of("image_embedding", RegionSettings),
                "brain_runtime": study["brain_runtime"],
                "unit": layout.main_unit(study),
            },
            threads=2,
            memory_mb=6000,
            takes=Seconds(1.2, 0.027, "brain_runtime.n_pixels"),
        ),
    ),
)

"""Defaults picked on calibration slices."""

from itertools import product

from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import of_brain
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Part, Percentage, Settings, calibration_margin, options_of
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class BrainCalibration(Settings):
    """Picks the details that the paper leaves open, on the calibration slices."""

    noise: Distinct[Percentage] = Field((1, 5, 9), description="levels of brain.noise that are used")
    inhomogeneity: Distinct[Percentage] = Field((0, 40), description="levels of brain.inhomogeneity that are used")
    n_embeddings: Count = Field(40, description="base embeddings of each setting")
    margin: Part = calibration_margin("accuracy")
    options: options_of(ImageSettings) = Field(
        {
            "features": ("haralick14", "haralick13_intensity"),
            "window": (5, 3, 7, 9),
            "levels": (128, 256, 64, 32, 16, 8, 4),
            "outside": ("zero", "excluded", "image"),
            "scaling": ("zscore", "minmax", "robust", "none"),
            "max_objects": (300, 150, 450),
            "kernel": ("knn", "exponential", "gaussian", "local_scaling"),
            "sigma": (1.0, 0.3, 3.0),
            "self_affinity": (1.0, 0.0),
            "eigenvectors": ("rows", "none", "eigenvalue", "diffusion"),
            "subset_size": (4, 2, 3, 7),
            "normalization": ("max", "mean", "median", "rank"),
            "mds": ("classical", "smacof"),
        },
        description=(
            "key of image_embedding: its options, the start value first, in the order in which they are tried. "
            "The start value also stays if the best option is the smallest or largest of three or more numbers, "
            "because values beyond it were not tried"
        ),
    )


def reads(study: Study, _) -> dict:
    """Images of the main unit at the noise and non-uniformity of the calibration."""
    unit, options = layout.main_unit(study), study["brain_calibration"]
    levels = product(options["noise"], options["inhomogeneity"])
    return {"images": [layout.image(unit, *level) for level in levels], "labels": layout.labels(unit)}


def run(job: Job) -> Results:
    """Pick the details that the paper leaves open."""
    from itertools import product

    from replication.data.readers.volumes import read_volume
    from replication.papers.viswanath2012 import brain_calibration
    from replication.papers.viswanath2012.brain_files import about_unit
    from replication.papers.viswanath2012.image_slices import WHITE_MATTER

    parameters = job.section("brain_calibration", BrainCalibration)
    labels = read_volume(job.inputs.labels).data
    images = {}
    combinations = product(parameters.noise, parameters.inhomogeneity)
    for (noise, inhomogeneity), path in zip(combinations, job.inputs.images, strict=True):
        volume = read_volume(path).data
        # The calibration slices stand first in the stack.
        for k, z in enumerate(job.settings["brain"]["calibration_slices"]):
            images[noise, inhomogeneity, z] = (volume[..., k], labels[..., k] > 0, labels[..., k] == WHITE_MATTER)
    metrics, picks = brain_calibration.run(
        images,
        job.section("image_embedding", ImageSettings),
        parameters,
        about=about_unit(job.settings["unit"]),
        work=job,
    )
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "brain_calibration",
    position=1,
    settings=BrainCalibration,
    check=lambda config: of_brain(config, "brain_calibration", noise="noise", inhomogeneity="inhomogeneity"),
    title="Defaults picked on calibration slices",
    text=(
        "Details that Viswanath and Madabhushi 2012 leave open, picked on calibration slices that are not "
        "among the evaluation slices. The rule was fixed beforehand and favours no method: options are scored "
        "by the accuracy averaged over three votes (features and MDS together, GE, consensus GE), and a start value "
        "stays unless another option is better by more than the margin and, if it is a number, not an end of its grid."
    ),
    reads=("picks",),
    figures={
        "calibration": Figure(
            "image_figures.draw_calibration",
            (
                "White matter accuracy on the calibration slices for each option of each choice: the four "
                "methods of the paper at theta = 0.15 x max, the mean of the three votes (bar), and the option "
                "picked (star)."
            ),
        ),
    },
    present_seconds=3.7,
    steps=(
        Step(
            name="run_brain_calibration",
            run=run,
            does="Pick the details that the paper leaves open, on calibration slices",
            makes={"metrics": "brain_calibration/metrics.tsv", "picks": "brain_calibration/tables/picks.tsv"},
            reads=reads,
            settings=lambda study, _: {
                "brain": study.only("brain", "calibration_slices"),
                **study.sections("image_embedding", "brain_calibration"),
                "unit": layout.main_unit(study),
            },
            threads="workers",
            memory_mb=3000,
            minutes=60,
            soon=True,
            takes=Seconds(1.3, 24, "brain_calibration.noise*brain_calibration.inhomogeneity*brain.calibration_slices"),
        ),
    ),
)

"""Choices for spectra."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.tiwari2008 import layout
from replication.papers.tiwari2008.settings import SpectraSettings
from replication.platform.declarations import Experiment, Figure, Own
from replication.platform.settings import Part, Settings, calibration_margin, options_of
from replication.platform.steps import Job, Results, Seconds, Step


class SpectraCalibration(Settings):
    """Picks the details that the paper leaves open, on the training studies."""

    margin: Part = calibration_margin("balanced accuracy")
    options: options_of(SpectraSettings) = Field(
        {
            "kappas": ((3, 20), (3, 10), (5, 30)),
            "mode": ("half_sample", "kernel_density", "histogram"),
            "kmeans_runs": (50, 20, 200),
            "ica_components": (3, 2, 5),
            "baseline": ("none", "linear"),
        },
        description=(
            "key of spectra_embedding: its options, the start value first, in the order in which they are tried"
        ),
    )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Options are compared on at least two training studies."""
    n_training = layout.number_of_studies(config["spectra"], "n_training")
    if n_training < 2:
        yield (
            f"experiments: expected at least 2 training studies for spectra_calibration, found {n_training}; add some "
            "or leave it out"
        )


def run(job: Job) -> Results:
    """Picks the details that the paper leaves open, on the training studies."""
    from replication.data.readers.spectra import load_studies
    from replication.papers.tiwari2008 import spectra_calibration

    settings = job.section("spectra_embedding", SpectraSettings)
    metrics, picks = spectra_calibration.run(
        load_studies(job.inputs.training), settings, job.section("spectra_calibration", SpectraCalibration),
        dataset=job.settings["dataset"], source=job.settings["source"], work=job,
    )  # fmt: skip
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "spectra_calibration",
    position=2,
    settings=SpectraCalibration,
    check=check,
    title="Choices for spectra",
    text=(
        "Details that Tiwari, Rosen and Madabhushi 2008 leave open, picked on the training studies alone: no "
        "study of the other experiments is seen. The rule was fixed beforehand and weighs all methods alike: "
        "an option scores by the balanced accuracy against the boxes of each training study, with windows, "
        "thresholds and reference voxels learnt on the other training studies, averaged over the studies and "
        "over C-LLE, LLE, PCA, z-score and peak integration; a start value stays unless another option is "
        "better by more than the margin. The source says whether the spectra are simulated or your own."
    ),
    reads=("picks",),
    figures={
        "calibration": Figure(
            "spectra_figures.draw_calibration",
            (
                "Balanced accuracy against the boxes of the training studies for each option of each choice: "
                "every method, averaged over the studies, their mean (bar), and the option picked (star)."
            ),
        ),
    },
    own=Own(
        text=(
            "Settings picked on your training studies alone. A start value stays unless another option is better by "
            "more than the margin."
        ),
    ),
    own_only=layout.only_own,
    present_seconds=3.7,
    steps=(
        Step(
            name="run_spectra_calibration",
            run=run,
            does="Try the choices on the training studies",
            makes={"metrics": "spectra_calibration/metrics.tsv", "picks": "spectra_calibration/tables/picks.tsv"},
            reads=lambda study, _: {"training": layout.base_files(study)["training"]},
            settings=lambda study, _: layout.origin(study) | study.sections("spectra_embedding", "spectra_calibration"),
            threads="workers",
            takes=lambda study, _: Seconds(
                3, 0.29 * layout.number_of_studies(study["spectra"], "n_training"), "spectra_embedding.kmeans_runs"
            ),
        ),
    ),
)

"""Choices for extrapolation and retrieval."""

from pydantic import Field

from replication.data.settings import GlandSimulator
from replication.papers.sparks2011.layout import picking_settings
from replication.papers.sparks2011.settings import (
    ClassCounts,
    EmbeddedDigits,
    RollSettings,
    SizedGlands,
    enough_training,
)
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Inner, Part, Settings, Share, calibration_margin, options_of, some_of
from replication.platform.steps import Job, Results, Seconds, Step


class RetrievalCalibration(Settings):
    """Picks the details that the paper leaves open, on rolls, glands and images on which no claim is judged."""

    margin: Part = calibration_margin("AUPRC")
    draws: Count = Field(5, description="draws of each")
    training: Inner = Field(0.5, description="share of training objects")
    labelled: Share = Field(0.5, description="share of these that carry a label")
    counts: ClassCounts
    options: some_of(
        swiss_roll=options_of(RollSettings),
        glands=options_of(SizedGlands),
        digits=options_of(EmbeddedDigits),
    ) = Field(
        {
            "swiss_roll": {"sigma": (1.0, 0.25, 0.5, 2.0, 5.0, 10.0, 20.0), "n_components": (3, 2, 5)},
            "glands": {
                "sigma": (1.0, 0.1, 0.25, 0.5, 2.0, 5.0, 10.0, 20.0),
                "n_components": (3, 2, 5),
                "size": ("kept", "removed"),
            },
            "digits": {"sigma": (1.0, 0.1, 0.25, 0.5, 2.0, 5.0, 10.0, 20.0), "n_components": (3, 2, 5)},
        },
        description=(
            "data set, and key of its settings: its options, the start value first, in the order in which they "
            "are tried"
        ),
    )


def run(job: Job) -> Results:
    """Pick the details that Sparks 2011 leaves open."""
    from replication.papers.sparks2011.retrieval_calibration import made_sets
    from replication.papers.sparks2011.retrieval_calibration import run as run_calibration

    settings, parameters = job.settings, job.section("retrieval_calibration", RetrievalCalibration)
    metrics, picks = run_calibration(
        parameters,
        made_sets(settings["configured"], parameters.counts, job.section("glands", GlandSimulator)),
        settings["grid"],
        job,
    )
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "retrieval_calibration",
    position=2,
    settings=RetrievalCalibration,
    check=enough_training,
    title="Choices for extrapolation and retrieval",
    text=(
        "Details that Sparks and Madabhushi 2011 leave open, picked on rolls, glands and images on which "
        "no claim is judged; the noise on digits was set on the same images. The rule weighs the two methods "
        "that are compared alike: "
        "an option scores by the AUPRC of the extrapolated objects, averaged over classes, over the draws, "
        "and over NM-GE and OSE-SSL; a start value stays unless another option is better by more than the "
        "margin. A first rule counted GE and SSGE of all objects as well; it was changed after the first "
        "calibration, before any object of the other experiments was scored, since SSGE then picks for how "
        "well objects are placed by their own given labels. The source says whether the data are simulated or "
        "a public substitute."
    ),
    reads=("picks",),
    figures={
        "calibration": Figure(
            "retrieval_figures.draw_calibration",
            (
                "AUPRC of the extrapolated objects, averaged over classes, for each option of each choice on "
                "each data set: NM-GE and OSE-SSL, averaged over the draws, their mean (bar), and the option "
                "picked (star). The first option is the start value, which stays unless another is better by "
                "more than the margin."
            ),
        ),
    },
    present_seconds=3.7,
    steps=(
        Step(
            name="run_retrieval_calibration",
            run=run,
            does="Try the choices on rolls, glands and digits of their own",
            makes={"metrics": "retrieval_calibration/metrics.tsv", "picks": "retrieval_calibration/tables/picks.tsv"},
            settings=lambda study, _: {
                **picking_settings(study),
                "retrieval_calibration": study["retrieval_calibration"],
            },
            threads="workers",
            memory_mb=3000,
            takes=Seconds(3, 0.043, "retrieval_calibration.draws*retrieval_calibration.counts.grade_3"),
        ),
    ),
)

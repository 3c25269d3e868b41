"""Swiss roll."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replication.papers.sparks2011.layout import TABLE_NEEDED
from replication.papers.sparks2011.settings import EmbeddingDetails, OutOfSample, RollSettings, enough_training
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import variants_of
from replication.platform.steps import Job, Results, Seconds, Step


class SwissRollSettings(RollSettings):
    """Fig. 1(a) and (b)."""

    variants: variants_of(RollSettings, EmbeddingDetails, shares=Literal["query", "some", "all"]) = Field(
        (
            {"name": "three components", "n_components": 3},
            {"name": "five components", "n_components": 5},
            {"name": "sum of Nystroem as printed", "nystroem": "printed"},
            {"name": "similarity 1 outside the radius", "outside": "one", "shares": "some"},
            {"name": "classes across the width", "split": "width"},
            {"name": "eigenvectors times eigenvalues", "eigenvectors": "eigenvalue"},
            {"name": "radius 4", "radius": 4.0, "shares": "all"},
            {"name": "sigma 5 times the median", "sigma": 5.0},
            {"name": "sigma 10 times the median", "sigma": 10.0},
            {"name": "sigma 20 times the median", "sigma": 20.0},
        ),
        description=(
            "one changed detail each, at the shares of out_of_sample.query or, with shares: all (some), at all "
            "shares (at five of training objects and three of labels), so that claims can be judged on it too"
        ),
    )


PART = "swiss_roll/parts/draws_{draws}.tsv"


def score(job: Job) -> Results:
    """Extrapolate some draws."""
    from replication.papers.sparks2011 import swiss_roll

    draws = range(int(job.wildcards.start), int(job.wildcards.stop))
    return {"scores": swiss_roll.run(*_settings(job), draws=draws, work=job)}


def run(job: Job) -> Results:
    """Gather the scores of all draws, and the picture of the first."""
    import pandas as pd

    from replication.papers.sparks2011 import swiss_roll

    # As text: nothing is written in another way than the part did.
    parts = [pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False) for path in job.inputs.parts]
    return {"metrics": parts, "pictures": swiss_roll.pictures(*_settings(job), job.seed)}


def _settings(job: Job) -> tuple[SwissRollSettings, OutOfSample]:
    return job.section("swiss_roll", SwissRollSettings), job.section("out_of_sample", OutOfSample)


EXPERIMENT = Experiment(
    "swiss_roll",
    position=3,
    settings=SwissRollSettings,
    check=enough_training,
    title="Swiss roll",
    text=(
        "Fig. 1(a) and (b) of Sparks and Madabhushi 2011: objects on a Swiss roll, two classes by halves of "
        "the sheet. A share M of them is embedded (training), a share S of these carries a label, and all "
        "others are extrapolated: by NM-GE without labels, by OSE-SSL with the labels of the training "
        "objects; a new object has no label. GE and SSGE embed all objects, SSGE with S % of all of them "
        "labelled, which is the paper's reference.\n\n"
        "Silhouette index and AUPRC are the paper's Table 1, averaged over all objects as there, and over the "
        "extrapolated objects alone. Over all objects a part of every score of OSE-SSL is due to being given "
        "the labels of the objects that are scored. AUPRC is averaged over classes; with equal distances the "
        "irrelevant object comes first. Every draw has a roll, training objects and labels of its own.\n\n"
        "Controls: ranking by the dissimilarity itself, objects at random positions (chance), SSGE of all "
        "objects recomputed with exactly the labels that OSE-SSL has, and for the approximation error a "
        "matrix of zeros. Cut off at the radius the kernel is not positive definite, so that the inverse of the "
        "training similarities has huge entries: table errors does not say how wrong the embedding in few dimensions "
        "is.\n\n" + TABLE_NEEDED
    ),
    reads=("pictures",),
    tables={
        "compared": "retrieval_tables.compared",
        "curves": "retrieval_tables.curves",
        "needed": "retrieval_tables.needed",
        "errors": "retrieval_tables.errors",
        "variants": "retrieval_tables.variants",
        "graph": "retrieval_tables.graph",
    },
    figures={
        "curves": Figure(
            "retrieval_figures.draw_curves",
            (
                "Fig. 1(a) and (b) of the paper: silhouette index and AUPRC against the share M of training objects, "
                "by method and share S of labels. Orange squares: the extrapolated objects alone; blue dots: all "
                "objects. Dashed: all objects embedded together, by GE (no labels) or SSGE with the same S, which "
                "extrapolation is to reach. Dotted: objects at random positions. Lines are means over the draws, bands "
                "± SD. At M = 100 % nothing is extrapolated."
            ),
        ),
        "roll": Figure(
            "retrieval_pictures.draw_roll",
            (
                "One roll with half of its objects in training and half of these labelled. Left: the roll, "
                "and its plane with training objects (dots), extrapolated objects (rings) and known labels "
                "(black rings). Middle: without labels, GE of all objects above, NM-GE below. Right: with "
                "labels, SSGE of all objects above, OSE-SSL below. Colour: the two halves of the sheet. First "
                "two of the dimensions; their units have no meaning. Objects more than ten median deviations from the "
                "median are outside and counted in the title: at few objects the first dimensions can be those of a "
                "few that have no neighbours."
            ),
        ),
    },
    present_seconds=23.4,
    steps=(
        Step(
            name="score_swiss_roll",
            run=score,
            does="Extrapolate the Swiss roll: draws {wildcards.start} to {wildcards.stop}",
            makes={"scores": PART.format(draws="{start}-{stop}")},
            settings=("swiss_roll", "out_of_sample"),
            wildcards={"start": r"\d+", "stop": r"\d+"},
            minutes=60,
            takes=Seconds(3, 0.0002, "runs*out_of_sample.training*out_of_sample.labelled*swiss_roll.n_samples"),
        ),
        Step(
            name="run_swiss_roll",
            run=run,
            does="Gather the scores of all rolls, and draw the first",
            makes={"metrics": "swiss_roll/metrics.tsv", "pictures": "swiss_roll/pictures.npz"},
            reads=lambda study, _: {
                "parts": [
                    f"swiss_roll/parts/draws_{draws}.tsv" for draws in study.shares(study["out_of_sample"]["draws"])
                ]
            },
            settings=("swiss_roll", "out_of_sample"),
            takes=Seconds(5),
        ),
    ),
)

"""How hard the private glands are, and which roll."""

from pydantic import Field

from replication.data.settings import GlandSimulator
from replication.papers.sparks2011.layout import picking_settings
from replication.papers.sparks2011.settings import ClassCounts, Query
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Inner, NonNegative, Positive, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class RetrievalSubstitute(Settings):
    """
    Sets the radius of the roll, and how hard glands and digits are, by what the paper prints of NM-GE.

    On rolls and glands that no other experiment uses, and images of digits that only the calibration uses, too.
    The embeddings use no labels.
    """

    draws: Count = Field(5, description="draws of each")
    training: Distinct[Inner] = Field(
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        description="shares of training objects; the paper says that NM-GE needs 70 % on the Swiss roll",
    )
    counts: ClassCounts
    swiss_roll: Distinct[Positive] = Field(
        (1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 5), description="radii of the roll that are tried"
    )
    glands: Distinct[NonNegative] = Field(
        (0, 0.25, 0.5, 0.75, 1, 1.5, 2), description="separations of the classes of glands that are tried"
    )
    digits: Distinct[NonNegative] = Field(
        (0, 2, 4, 8, 16, 32, 64),
        description="standard deviations of the noise on the digits that are tried; pixels go from 0 to 16",
    )


def run(job: Job) -> Results:
    """Set the roll, and how hard glands and digits are, by the paper's baseline."""
    from replication.papers.sparks2011.retrieval_calibration import made_sets
    from replication.papers.sparks2011.retrieval_substitute import run as run_substitute
    from replication.platform.settings import settings_of

    settings, parameters = job.settings, job.section("retrieval_substitute", RetrievalSubstitute)
    metrics, picks = run_substitute(
        parameters,
        made_sets(settings["configured"], parameters.counts, job.section("glands", GlandSimulator)),
        settings["grid"],
        settings_of(Query, settings["query"], "out_of_sample.query"),
        job,
    )
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "retrieval_substitute",
    position=1,
    settings=RetrievalSubstitute,
    title="How hard the private glands are, and which roll",
    text=(
        "The glands of Sparks and Madabhushi 2011 are private, and the radius of its Swiss roll is not printed. "
        "Both are set by what the paper prints of its baseline, NM-GE: on the roll it needs 70 % of the objects to "
        "come near GE, on the glands its AUPRC is 0.3. Digits, a public substitute, get as much noise as that "
        "takes. No other experiment sees these rolls and glands; the calibration draws from the same images, on "
        "which no claim is judged. No label reaches an embedding. The table of targets has "
        "what is reached of the printed numbers. For classes of these sizes an AUPRC of 0.34 is chance, so "
        "substitutes with the paper's baseline have hardly any information on the classes."
    ),
    reads=("picks",),
    tables={"targets": "retrieval_tables.substitute_targets"},
    figures={
        "substitute": Figure(
            "retrieval_figures.draw_substitute",
            (
                "NM-GE at every setting: left, the share of training objects that it needs on the roll, by the "
                "radius; middle and right, its AUPRC by the separation of the classes of glands, and by the noise "
                "on digits, points the draws. Line: the printed number; star: the setting picked."
            ),
        ),
    },
    steps=(
        Step(
            name="run_retrieval_substitute",
            run=run,
            does="Set the radius of the roll and the difficulty of glands and digits by the paper's baseline",
            makes={"metrics": "retrieval_substitute/metrics.tsv", "picks": "retrieval_substitute/tables/picks.tsv"},
            settings=lambda study, _: {
                **picking_settings(study),
                **study.only("out_of_sample", "query"),
                "retrieval_substitute": study["retrieval_substitute"],
            },
            threads="workers",
            memory_mb=3000,
            takes=Seconds(3, 0.047, "retrieval_substitute.draws*retrieval_substitute.counts.grade_3"),
        ),
    ),
)

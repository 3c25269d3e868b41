"""Planted features."""

from collections.abc import Iterator
from typing import Annotated, Literal

from annotated_types import Ge
from pydantic import Field

from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Natural, NonNegative, Positive, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class PlantedStudy(Settings):
    """Simulated features with known ground truth."""

    draws: Count = Field(10, description="draws of each condition")
    structures: Distinct[Literal["shift", "parity", "curve"]] = Field(
        ("shift", "parity", "curve"),
        description="how the classes differ: shifted means, the parity of signs, or the position along a curve",
    )
    effects: Distinct[NonNegative] = Field(
        (1, 2, 4), description="sizes of the difference in standard deviations of the noise"
    )
    nuisance_scales: Distinct[Positive] = Field(
        (1, 3), description="standard deviations of the features that share a factor unrelated to the classes"
    )
    n_samples: Annotated[Integer, Ge(10)] = Field(100, description="training samples")
    n_validation: Annotated[Integer, Ge(10)] = Field(200, description="validation samples")
    n_features: Annotated[Integer, Ge(6)] = Field(100, description="features in all")
    n_informative: Count = Field(5, description="features that the classes differ in")
    n_redundant: Natural = Field(5, description="combinations of these")
    n_nuisance: Natural = Field(20, description="features that share a factor unrelated to the classes")

    def unfit(self) -> Iterator[tuple[str, str]]:
        """All that is planted has a place."""
        relevant = self.n_informative + self.n_redundant + self.n_nuisance
        if relevant > self.n_features:
            yield (
                "n_features",
                f"expected at least {relevant}, the sum of n_informative, n_redundant and n_nuisance, found "
                f"{self.n_features}",
            )


def run(job: Job) -> Results:
    """Rankings against a known truth."""
    from replication.papers.ginsburg2016 import planted_features

    parameters = job.section("planted_features", PlantedStudy)
    settings = job.section("feature_embedding", FeatureSettings)
    return {"metrics": planted_features.run(parameters, settings, job)}


EXPERIMENT = Experiment(
    "planted_features",
    position=6,
    settings=PlantedStudy,
    title="Planted features",
    text=(
        "Simulated features with known ground truth. Classes differ by a shift of "
        "means, by the parity of signs (at the corners of a hypercube, as in Madelon, whose corners have random "
        "labels), or by the position along a curve; other features share a "
        "strong factor that has nothing to do with the classes (nuisance). Every ranking is scored by the AUC "
        "of its scores against the truth, and compared with permutation importance of a random forest on "
        "held-out samples, which thus sees more labelled samples than the other rankings. FINE sees labels "
        "only through the embedding: what the embedding does not contain, it cannot rank."
    ),
    tables={"ranking": "fine_tables.ranking"},
    figures={
        "ranking": Figure(
            "fine_figures.draw_ranking",
            (
                "AUC of the ranking of features against which of them are planted, against the size of the "
                "effect, in standard deviations. A row per structure: the classes differ by a shift of means, by "
                "the parity of signs, or by the position along a curve. A column per standard deviation of the "
                "nuisance features, which do not depend on the classes. FINE "
                "solid, filters dashed and open, ranking by variance alone and at random dotted, permutation "
                "importance dash-dotted. Means ± SD over draws, set apart sideways. Simulated data; 0.5 is "
                "chance."
            ),
        ),
    },
    present_seconds=13.5,
    steps=(
        Step(
            name="run_planted_features",
            run=run,
            does="Rank simulated features with known ground truth",
            makes={"metrics": "planted_features/metrics.tsv"},
            settings=("feature_embedding", "planted_features"),
            threads="workers",
            takes=Seconds(
                3,
                0.007,
                "planted_features.structures*planted_features.effects*planted_features.nuisance_scales*"
                "planted_features.draws*planted_features.n_features",
            ),
        ),
    ),
)

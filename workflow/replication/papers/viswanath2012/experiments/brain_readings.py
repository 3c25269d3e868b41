"""Grey levels and readings of theta."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.viswanath2012.settings import Levels, ThetaReading
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Settings


class BrainReadings(Settings):
    """
    Experiment 1 over grey levels and over the readings of theta.

    On the paper's objects of the first draw.
    The claims are judged at image_embedding.levels, which must be among the levels.
    """

    levels: Distinct[Levels] = Field(
        (16, 32, 64, 128),
        description="numbers of grey levels, image_embedding.levels among them, where the claims are judged",
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
    """The claims are judged at the levels of image_embedding."""
    levels, known = config["image_embedding"]["levels"], config["brain_readings"]["levels"]
    if levels not in known:
        yield f"brain_readings.levels: expected image_embedding.levels = {levels} among them, found {known}"


EXPERIMENT = Experiment(
    "brain_readings",
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
)

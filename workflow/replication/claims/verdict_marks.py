"""How the report and the picture of the ledger show papers, parts of verdicts, and verdicts."""

from dataclasses import dataclass

from replication.catalogue.papers import PAPERS
from replication.claims.judging import SUBSTITUTE
from replication.shared.judgements import (
    CONTEXT,
    DIRECTION_ONLY,
    IN_PART,
    INCONCLUSIVE,
    MIXED,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    TRIVIALLY_TRUE,
)

TITLES = {name: paper.title for name, paper in PAPERS.items()}
PARTS = ("direction", "significance", "magnitude")


@dataclass(frozen=True)
class Mark:
    """How a verdict is shown: a sign, a colour (Okabe and Ito, or grey), and whether it is of a substitute."""

    sign: str
    colour: str
    substitute: bool = False


OF_DATA = {
    REPRODUCED: Mark("✓", "#0072B2"),
    DIRECTION_ONLY: Mark("↗", "#007A5E"),
    MIXED: Mark("◐", "#B07A00"),
    NOT_REPRODUCED: Mark("✗", "#C24A00"),
    INCONCLUSIVE: Mark("?", "#666666"),
    TRIVIALLY_TRUE: Mark("≡", "#666666"),
    CONTEXT: Mark("i", "#666666"),
    NOT_TESTABLE: Mark("–", "#8C8C8C"),
}
MARKS = OF_DATA | {
    SUBSTITUTE[verdict]: Mark(OF_DATA[verdict].sign, OF_DATA[verdict].colour, substitute=True)
    for verdict in (REPRODUCED, DIRECTION_ONLY, MIXED, NOT_REPRODUCED)
}
# Signs of parts.
PART_MARKS = OF_DATA | {IN_PART: Mark("◔", "#B07A00")}

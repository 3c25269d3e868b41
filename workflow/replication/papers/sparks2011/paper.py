"""Sparks and Madabhushi 2011: out-of-sample extrapolation and retrieval."""

from replication.platform.declarations import Answer, Clause, Family, Paper
from replication.platform.steps import Seconds

PAPER = Paper(
    title="Sparks and Madabhushi 2011",
    short_title="Sparks 2011",
    position=4,
    ledger_position=4,
    answer=Answer(
        topic="adding new objects to an embedding, with labels or without",
        question=(
            "Can new objects join an embedding without computing it again, and do the labels of some objects help?"
        ),
        sentences=(
            (
                Clause(
                    "from half the Swiss roll on, new objects are retrieved as if all were embedded",
                    "holds",
                    rows=("OS-05", "OS-05 on new data"),
                    short="new objects retrieved as well on rolls",
                    unless=Clause(
                        "but not with Eq. 4 as printed",
                        "does not hold",
                        rows=("OS-05 with CH-25",),
                        short="they join also with the printed equation",
                    ),
                ),
                Clause(
                    "on rolls labels do not help",
                    "does not hold",
                    rows=("OS-12-swiss",),
                    short="labels help on Swiss rolls",
                    unless=Clause(
                        "but with Eq. 4 as printed they raise the AUPRC",
                        "partly",
                        rows=("OS-12-swiss with CH-25",),
                        short="they help with the printed equation",
                    ),
                ),
            ),
            (
                Clause(
                    "labels improve retrieval by enough among all digits, of outlines with a wider kernel only",
                    "partly",
                    rows=("OS-09",),
                    unless=Clause("but not of new digits", "does not hold", rows=("OS-09 on new data",)),
                ),
                Clause(
                    "with the default kernel only silhouettes of digits gain 0.05 at every training share",
                    "partly",
                    rows=("OS-12-glands",),
                    short="labels help on both gland substitutes",
                ),
            ),
        ),
        figure="swiss_roll/figures/curves.png",
        paper_scale="resources/readme/swiss_roll_curves.png",
    ),
    families={
        "retrieval": Family(
            experiments=("swiss_roll", "gland_retrieval"),
            sections=("out_of_sample", "swiss_roll", "glands", "gland_retrieval"),
            position=5,
            needs=("swiss_roll",),
            takes=Seconds(4, 5.5, "multiverse.per_job"),
            # Fewer samples are farther apart: with this radius as many samples are within it as at full size.
            reduced={
                "out_of_sample": {"training": (0.2, 0.5, 0.8, 0.9), "labelled": (0.3, 0.5, 0.6, 0.9), "draws": 3},
                "swiss_roll": {"n_samples": 400, "radius": 3.9, "variants": ()},
                "glands": {
                    "n_points": 64,
                    "classes": {
                        "benign": {"n_glands": 16, "n_regions": 4},
                        "grade_3": {"n_glands": 80, "n_regions": 8},
                        "grade_4": {"n_glands": 10, "n_regions": 3},
                    },
                },
                "gland_retrieval": {
                    "sets": ("glands", "digits"),
                    "query_draws": 3,
                    "separation": (0.25,),
                    "variants": (),
                },
            },
        ),
    },
)

"""Ginsburg et al. 2016: the importance of features in embeddings."""

from replication.papers.ginsburg2016.layout import FEATURES
from replication.platform.declarations import Answer, Clause, Family, Paper
from replication.platform.steps import Seconds

PAPER = Paper(
    title="Ginsburg et al. 2016",
    short_title="Ginsburg 2016",
    position=5,
    ledger_position=5,
    answer=Answer(
        topic="finding the features behind an embedding, in pathology",
        question=(
            "Which features does a nonlinear embedding owe its classes to, and are the chosen features stable and "
            "accurate?"
        ),
        sentences=(
            (
                Clause(
                    "on substitutes of the pathology data FINE's features are stabler than those of simple filters",
                    "holds",
                    rows=("FI-10",),
                    short="features stabler than those of simple filters",
                    unless=Clause(
                        "but not once all features are standardised",
                        "does not hold",
                        rows=("FI-10 with CH-66",),
                        short="stabler also with standardised features",
                    ),
                ),
                Clause(
                    "they classify worse in all four pathology sets, beyond chance in none",
                    "undecided",
                    rows=("FI-12-pathology",),
                    short="more accurate in most pathology sets",
                ),
            ),
            (
                Clause(
                    "in most NIPS 2003 sets they are neither stabler nor more accurate",
                    "does not hold",
                    rows=("FI-12-nips",),
                    short="stabler and more accurate on benchmark data",
                ),
            ),
        ),
        figure="pathology/figures/panels.png",
        paper_scale="resources/readme/pathology_panels.png",
    ),
    families={
        "features": Family(
            experiments=("feature_selection",),
            sections=("features", "feature_embedding", "feature_selection"),
            position=6,
            takes=Seconds(3, 5.3, "multiverse.per_job"),
            # Sets with validation samples. Without forests and variants, whatever feature_selection says.
            reduced={
                "feature_embedding": {"n_neighbors": (3, 10)},
                "feature_selection": {"sets": ("madelon", "arcene"), "rounds": 6, "n_features": (5, 15, 100)},
            },
            files=lambda study: {"tables": [f"{FEATURES}/{name}.npz" for name in study["feature_selection"]["sets"]]},
        ),
    },
)

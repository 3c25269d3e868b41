"""Strength of the consensus."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "theory_strength",
    title="Strength of the consensus",
    text=(
        "Proposition 1 and Lemma 1 of Viswanath and Madabhushi 2012: does the strength of the consensus tend "
        "to 1 as strong, independent embeddings are added, and stay low if they are weak?"
    ),
    tables={"strength": "theory_tables.strength_table"},
    figures={
        "strength": Figure(
            "theory_figures.draw_strength",
            (
                "Strength of the consensus against the number of embeddings combined, for embeddings of "
                "several strengths and kinds of error."
            ),
        ),
    },
)

"""Tail of the median consensus."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "mce_tail",
    title="Tail of the median consensus",
    text=(
        "Theorem 3.1 of Tomo and Yoneoka 2025: the probability that a consensus of m runs deviates from the "
        "true embedding by epsilon or more falls exponentially with m. The reference consensus replaces "
        "the true embedding."
    ),
    tables={"tail": "mce_tables.tail_table"},
    figures={
        "tail": Figure(
            "mce_figures.draw_tail",
            (
                "Share of consensus embeddings that lie at least epsilon from the reference, against the "
                "number of runs combined, on a logarithmic scale, where an exponential law is a straight "
                "line. Each level epsilon is the median distance at one of the inner numbers of runs; the "
                "primary one was fixed beforehand. Levels end where no draw deviates."
            ),
        ),
    },
)

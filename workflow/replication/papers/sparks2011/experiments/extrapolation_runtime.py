"""Run time of extrapolation."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "extrapolation_runtime",
    title="Run time of extrapolation",
    text=(
        "What extrapolation is for (Sparks and Madabhushi 2011): the time of placing a new sample in an "
        "embedding of N samples by OSE-SSL, one alone and as one of 100, compared with computing the "
        "embedding of all samples again. Swiss roll, half of the samples labelled, on the machine that made "
        "this report."
    ),
    tables={"runtime": "retrieval_tables.runtime"},
    figures={
        "runtime": Figure(
            "retrieval_figures.draw_runtime",
            (
                "Seconds against the number N of embedded samples, both on logarithmic axes: placing one new "
                "sample, placing one of 100 at once, and computing the embedding of all samples again. Mean "
                "over the repetitions, bars their range."
            ),
        ),
    },
)

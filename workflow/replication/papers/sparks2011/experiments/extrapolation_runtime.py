"""Run time of extrapolation."""

from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Job, Step


def run(job: Job) -> None:
    """Time the extrapolation of a new sample, and the embedding computed again."""
    from replication.papers.sparks2011 import extrapolation_runtime
    from replication.platform.settings import from_section
    from replication.shared.tidy import write_table

    roll = from_section(extrapolation_runtime.TimedRoll, job.settings["swiss_roll"], "swiss_roll")
    parameters = job.settings["extrapolation_runtime"]
    metrics = extrapolation_runtime.run(parameters, roll, seed=job.seed, progress=job.say)
    write_table(metrics, job.outputs.metrics)


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
    steps=(
        Step(
            name="run_extrapolation_runtime",
            run=run,
            does="Time extrapolation against a new embedding",
            makes={"metrics": "extrapolation_runtime/metrics.tsv"},
            settings=lambda study, _: {
                "swiss_roll": study.only("swiss_roll", "split", "n_components", "sigma", "radius"),
                "extrapolation_runtime": study["extrapolation_runtime"],
            },
            threads="alone",
            memory_mb=6000,
            minutes=60,
        ),
    ),
)

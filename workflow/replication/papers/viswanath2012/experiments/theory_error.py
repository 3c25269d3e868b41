"""Error of the consensus distances."""

from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Job, Step


def run(job: Job) -> None:
    """Run the experiment."""
    from replication.papers.viswanath2012 import theory_error
    from replication.platform.settings import from_section
    from replication.shared.tidy import write_table

    parameters = from_section(theory_error.ErrorStudy, job.settings["theory_error"], "theory_error")
    metrics = theory_error.run(parameters=parameters, seed=job.seed, progress=job.say)
    write_table(metrics, job.outputs.metrics)


EXPERIMENT = Experiment(
    "theory_error",
    title="Error of the consensus distances",
    text=(
        "Proposition 2 of Viswanath and Madabhushi 2012: the error of the consensus distances against the "
        "mean error of the embeddings that are combined."
    ),
    tables={"error": "theory_tables.error_table"},
    figures={
        "error": Figure(
            "theory_figures.draw_error",
            (
                "Share of the repetitions in which the error of the consensus is at most the mean error of "
                "its embeddings, for the mean and the median, before and after scaling, by kind of error, "
                "with 95 % intervals by Wilson's formula."
            ),
        ),
    },
    steps=(
        Step(
            name="run_theory_error",
            run=run,
            does="Error of the consensus against that of its embeddings",
            makes={"metrics": "theory_error/metrics.tsv"},
            settings=("theory_error",),
        ),
    ),
)

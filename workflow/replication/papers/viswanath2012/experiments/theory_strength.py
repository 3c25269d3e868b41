"""Strength of the consensus."""

from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Job, Step


def run(job: Job) -> None:
    """Run the experiment."""
    from replication.papers.viswanath2012 import theory_strength
    from replication.platform.settings import from_section
    from replication.shared.tidy import write_table

    parameters = from_section(theory_strength.StrengthStudy, job.settings["theory_strength"], "theory_strength")
    metrics = theory_strength.run(parameters=parameters, seed=job.seed, progress=job.say)
    write_table(metrics, job.outputs.metrics)


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
    steps=(
        Step(
            name="run_theory_strength",
            run=run,
            does="Strength of the consensus against the number of embeddings",
            makes={"metrics": "theory_strength/metrics.tsv"},
            settings=("theory_strength",),
        ),
    ),
)

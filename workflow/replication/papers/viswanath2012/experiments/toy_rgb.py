"""The toy image of Fig. 1."""

from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Job, Step


def run(job: Job) -> None:
    """Run the experiment."""
    from replication.platform.job import save_arrays
    from replication.papers.viswanath2012 import toy_rgb
    from replication.platform.settings import from_section
    from replication.shared.tidy import write_table

    parameters = from_section(toy_rgb.ToyStudy, job.settings["toy_rgb"], "toy_rgb")
    metrics, pictures = toy_rgb.run(parameters=parameters, seed=job.seed, progress=job.say)
    write_table(metrics, job.outputs.metrics)
    save_arrays(job.outputs.pictures, **pictures)


EXPERIMENT = Experiment(
    "toy_rgb",
    title="The toy image of Fig. 1",
    text=(
        "Fig. 1 of Viswanath and Madabhushi 2012: a colour image whose two regions differ in red only, with "
        "noise on green and blue."
    ),
    reads=("pictures",),
    tables={"accuracy": "theory_tables.toy_table"},
    figures={
        "pictures": Figure(
            "theory_figures.draw_toy_pictures",
            (
                "The clean and the noisy image, and the regions that two clusters find in the colours, in one "
                "graph embedding of the three colours, and in the consensus of two one-dimensional graph "
                "embeddings."
            ),
        ),
        "accuracy": Figure(
            "theory_figures.draw_toy_accuracy",
            (
                "Accuracy of foreground against background over draws of the noise, against the size of the "
                "noise on green and blue. Of several graphs and sizes of the noise on red the first of each "
                "is shown; the table has all."
            ),
        ),
    },
    steps=(
        Step(
            name="run_toy_rgb",
            run=run,
            does="Consensus of one-dimensional embeddings on the toy image",
            makes={"metrics": "toy_rgb/metrics.tsv", "pictures": "toy_rgb/pictures.npz"},
            settings=("toy_rgb",),
        ),
    ),
)

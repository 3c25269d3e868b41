"""How hard the private glands are, and which roll."""

from replication.papers.sparks2011.layout import picking_settings
from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Job, Step


def run(job: Job) -> None:
    """Set the roll, and how hard glands and digits are, by the paper's baseline."""
    from replication.data.glands import GlandSimulator
    from replication.papers.sparks2011.retrieval_calibration import configured_settings
    from replication.papers.sparks2011.retrieval_grid import Query
    from replication.papers.sparks2011.retrieval_substitute import RetrievalSubstitute
    from replication.papers.sparks2011.retrieval_substitute import run as run_substitute
    from replication.platform.settings import from_section
    from replication.shared.tidy import write_table

    settings = job.settings
    metrics, picks = run_substitute(
        from_section(RetrievalSubstitute, settings["retrieval_substitute"], "retrieval_substitute"),
        configured_settings(settings["configured"]),
        from_section(GlandSimulator, settings["simulator"], "glands"),
        settings["grid"],
        from_section(Query, settings["query"], "out_of_sample.query"),
        seed=job.seed,
        n_jobs=job.threads,
        progress=job.say,
    )
    write_table(metrics, job.outputs.metrics)
    write_table(picks, job.outputs.picks)


EXPERIMENT = Experiment(
    "retrieval_substitute",
    title="How hard the private glands are, and which roll",
    text=(
        "The glands of Sparks and Madabhushi 2011 are private, and the radius of its Swiss roll is not printed. "
        "Both are set by what the paper prints of its baseline, NM-GE: on the roll it needs 70 % of the objects to "
        "come near GE, on the glands its AUPRC is 0.3. Digits, a public substitute, get as much noise as that "
        "takes. No other experiment sees these data, and no label reaches an embedding. The table of targets has "
        "what is reached of the printed numbers. For classes of these sizes an AUPRC of 0.34 is chance, so "
        "substitutes with the paper's baseline have hardly any information on the classes."
    ),
    reads=("picks",),
    run_tables=("picks",),
    tables={"targets": "retrieval_tables.substitute_targets"},
    figures={
        "substitute": Figure(
            "retrieval_figures.draw_substitute",
            (
                "NM-GE at every setting: left, the share of training objects that it needs on the roll, by the "
                "radius; middle and right, its AUPRC by the separation of the classes of glands, and by the noise "
                "on digits, points the draws. Line: the printed number; star: the setting picked."
            ),
        ),
    },
    calibrates=True,
    steps=(
        Step(
            name="run_retrieval_substitute",
            run=run,
            does="Set the radius of the roll and the difficulty of glands and digits by the paper's baseline",
            makes={"metrics": "retrieval_substitute/metrics.tsv", "picks": "retrieval_substitute/tables/picks.tsv"},
            settings=lambda study, _: {
                **picking_settings(study),
                **study.only("out_of_sample", "query"),
                "retrieval_substitute": study["retrieval_substitute"],
            },
            threads="workers",
            memory_mb=3000,
        ),
    ),
)

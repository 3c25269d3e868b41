"""Convergence of the median consensus."""

from typing import Annotated

from annotated_types import Ge
from pydantic import Field

from replication.papers.tomo2025.layout import median_settings, pool_files, pool_size
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Integer, Rising, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class ConvergenceStudy(Settings):
    """Distances to a large reference consensus, and between repetitions, against the number of runs combined."""

    reference_runs: Count = Field(1000, description="runs behind the reference consensus")
    repetitions: Annotated[Integer, Ge(2)] = Field(
        5, description="consensus embeddings of each number of runs; distances between them need two"
    )
    n_embeddings: Rising[Count] = Field((1, 2, 10, 20, 50, 100), description="numbers of runs combined")
    band_draws: Count = Field(
        2000,
        description=(
            "how often the set of all repetitions is drawn again, from runs outside the reference, for the 5-95 % "
            "bands. The bands are corrected for the finite pool; those of distances between repetitions if there "
            "are at least four repetitions"
        ),
    )


def run(job: Job) -> Results:
    """Measure distances against the number of runs combined."""
    import numpy as np

    from replication.data.digits import about_digits
    from replication.papers.tomo2025 import mce_convergence

    settings = job.settings
    about = about_digits(settings["n_samples"])
    if "normalize" in settings:
        # Not the distances that the paper prints.
        about["dataset"] += f"_{settings['normalize']}"
    metrics, pictures = mce_convergence.run(
        np.load(job.inputs.pool)["embeddings"],
        np.load(job.inputs.gram),
        parameters=job.section("mce_convergence", ConvergenceStudy),
        solver=settings["solver"],
        mds=settings["mds"],
        about=about,
        work=job,
    )
    return {"metrics": metrics, "pictures": pictures}


def _unit(study: Study) -> list[str]:
    """The setting that scales the runs, if it does."""
    return ["normalize"] if study["median_consensus"]["normalize"] != "none" else []


EXPERIMENT = Experiment(
    "mce_convergence",
    position=2,
    settings=ConvergenceStudy,
    title="Convergence of the median consensus",
    text=(
        "Section 5 of Tomo and Yoneoka 2025: t-SNE runs of the digits from random starts are combined by "
        "their geometric median. How far is a consensus of m runs from one of very many runs, and how "
        "far apart are repetitions?"
    ),
    reads=("pictures",),
    tables={"distances": "mce_tables.convergence_table"},
    figures={
        "distances": Figure(
            "mce_figures.draw_distances",
            (
                "Fig. 3 of the paper: both distances against the number of runs combined. Points and error "
                "bars: mean and standard deviation over the repetitions (each from runs of its own, none in "
                "the reference), of distances between them over all pairs. Band: 5-95 % of the mean over redrawn sets "
                "of repetitions, corrected for their sharing the runs of one pool. Squares: the paper's values, where "
                "the data and the unit are the paper's. Triangles: the same distances measured on the MDS pictures."
            ),
        ),
        "reference": Figure(
            "mce_figures.draw_reference",
            (
                "Fig. 1 of the paper: picture of the reference consensus by multidimensional scaling, one "
                "point per image, coloured by digit."
            ),
        ),
        "repetitions": Figure(
            "mce_figures.draw_repetitions",
            (
                "Fig. 2 of the paper: repetitions at each number of runs combined, aligned with the reference "
                "by rotation, reflection and shift; the same scale in every panel."
            ),
        ),
    },
    given=lambda study: {
        "n_samples": study["digits"]["n_samples"],
        "reference_runs": pool_size(study)[0],
        "claims": study.claims_of(["mce_convergence"]),
        **study.only("median_consensus", "normalize"),
    },
    steps=(
        Step(
            name="run_mce_convergence",
            run=run,
            does="Distances to the reference and between repetitions, against the number of runs",
            makes={"metrics": "mce_convergence/metrics.tsv", "pictures": "mce_convergence/pictures.npz"},
            reads=lambda study, _: pool_files(study),
            settings=lambda study, _: {
                **median_settings(study),
                **study.only("median_consensus", "mds", *_unit(study)),
                "mce_convergence": study["mce_convergence"],
            },
            threads="workers",
            memory_mb=4000,
            minutes=60,
            takes=Seconds(1.3, 38, power=1.15),
        ),
    ),
)

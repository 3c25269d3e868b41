"""Our t-SNE and scikit-learn's."""

from collections.abc import Iterator
from typing import Annotated

from annotated_types import Ge
from pydantic import Field

from replication.papers.tomo2025.layout import equivalence_runs, median_settings, runs_files
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Integer, Natural, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class TsneEquivalence(Settings):
    """Do our two t-SNE kernels and scikit-learn's give the same loss, size and consensus from the same starts?"""

    n_runs: Annotated[Integer, Ge(3)] = Field(
        30, description="runs of each implementation; scikit-learn's with its default approximation"
    )
    n_fine_runs: Natural = Field(
        4, description="runs of scikit-learn's with almost no approximation, several times slower; 0 leaves them out"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Three groups of runs are compared with each other."""
        if self.n_fine_runs not in (0, *range(3, self.n_runs + 1)):
            yield "n_fine_runs", f"expected 0, or from 3 to n_runs = {self.n_runs}, found {self.n_fine_runs}"


def run(job: Job) -> Results:
    """Compare both kernels of our t-SNE with scikit-learn's, from the same starts."""
    from pathlib import Path

    import numpy as np

    from replication.data.digits import about_digits
    from replication.papers.tomo2025 import tsne_equivalence

    chunks: dict[str, list] = {}
    for path in job.inputs.runs:
        chunks.setdefault(Path(path).parent.name, []).append(np.load(path))
    runs = {
        name: tuple(np.concatenate([part[key] for part in parts]) for key in ("embeddings", "kl_divergences"))
        for name, parts in chunks.items()
    }
    job.say(", ".join(f"{len(losses)} runs {name}" for name, (_, losses) in runs.items()))
    about = about_digits(job.settings["n_samples"])
    metrics = tsne_equivalence.run(runs, solver=job.settings["solver"], about=about, work=job)
    return {"metrics": metrics}


def _runs(study: Study) -> list[str]:
    # Scikit-learn's runs take several times longer, so fewer go into a job.
    per_job = max(1, study["tsne"]["runs_per_job"] // 10)
    return [path for name, n_runs in equivalence_runs(study).items() for path in runs_files(name, n_runs, per_job)]


EXPERIMENT = Experiment(
    "tsne_equivalence",
    position=1,
    settings=TsneEquivalence,
    title="Our t-SNE and scikit-learn's",
    text=(
        "Scikit-learn's t-SNE treats groups of distant points as one (Barnes-Hut), by default coarsely (angle "
        "0.5). Ours has two kernels: one sums the repulsive forces over all pairs, the other approximates them as "
        "scikit-learn does. All start at the same points. Do our Barnes-Hut kernel and scikit-learn's reach "
        "the same loss, the same size of the picture and the same consensus, within margins fixed beforehand? Does "
        "the exact kernel? And if not, does the difference go away when scikit-learn's approximation "
        "is refined (angle 0.1)?"
    ),
    tables={
        "equivalence": "mce_tables.equivalence_table",
        "differences": "mce_tables.difference_table",
    },
    figures={
        "equivalence": Figure(
            "mce_figures.draw_equivalence",
            (
                "Above: loss (by the exact formula) and size of each run, with mean and standard deviation. "
                "Below, left: our Barnes-Hut runs minus scikit-learn's from the same start, with mean and 95 % "
                "interval; grey: the margins within which the mean counts as equivalent. Right: distance "
                "between the consensus embeddings of the runs that two implementations share; grey: the mean distance "
                "when the names of the two are swapped at random within the pairs of runs of one start, and "
                "the permutation p value; white: the mean distance between the consensus embeddings of two "
                "halves of the runs of the implementation named first, which is the margin."
            ),
        ),
    },
    steps=(
        Step(
            name="run_tsne_equivalence",
            run=run,
            does="Compare both kernels of our t-SNE with scikit-learn's",
            makes={"metrics": "tsne_equivalence/metrics.tsv"},
            reads=lambda study, _: {"runs": _runs(study)},
            settings=lambda study, _: median_settings(study),
            threads="workers",
            minutes=20,
            takes=Seconds(1.3, 0.59, "tsne_equivalence.n_runs"),
        ),
    ),
)

"""Stability of C-LLE."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.papers.tiwari2008 import layout
from replication.papers.tiwari2008.settings import SpectraSettings
from replication.platform.declarations import Experiment, Figure, Own, Stages
from replication.platform.settings import Count, Integer, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class SpectraStability(Settings):
    """How much LLE and C-LLE vary with noise, kappa and clustering."""

    noise_draws: Annotated[Integer, Ge(2)] = Field(
        5, description="draws of the noise on the same studies; a spread needs two"
    )
    kappa_groups: Annotated[Integer, Ge(2)] = Field(
        3, description="blocks of neighbouring kappas, each with a C-LLE of its own"
    )
    kappa_splits: Count = Field(10, description="random splits of the kappas into as many groups")
    clustering_repetitions: Annotated[Integer, Ge(2)] = Field(5, description="repetitions of the clustering")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Each group of kappas has at least two."""
    low, high = config["spectra_embedding"]["kappas"]
    groups = config["spectra_stability"]["kappa_groups"]
    if high - low + 1 < 2 * groups:
        yield (
            f"spectra_stability.kappa_groups: expected at most {(high - low + 1) // 2}, two kappas of "
            f"spectra_embedding.kappas = [{low}, {high}] a group, found {groups}"
        )


def reads(study: Study, _) -> dict:
    """The studies under all draws of the noise, and the training studies."""
    names = [layout.base(study), *layout.noise_draws(study)]
    return {
        "draws": [layout.spectra(name)["evaluation"] for name in names],
        "training": layout.base_files(study)["training"],
    }


def run(job: Job) -> Results:
    """How much LLE and C-LLE move with kappa, noise and the starts of the clustering."""
    from replication.data.readers.spectra import load_studies
    from replication.papers.tiwari2008 import spectra_stability
    from replication.papers.tiwari2008.spectra_studies import learn

    draws = [load_studies(path) for path in job.inputs.draws]
    # The main condition has more studies than the further draws of the noise.
    draws = [draw[: min(map(len, draws))] for draw in draws]
    settings = job.section("spectra_embedding", SpectraSettings)
    learned = learn(load_studies(job.inputs.training), settings, job.seed)
    metrics = spectra_stability.run(
        draws, learned, settings, job.settings["spectra_stability"],
        dataset=job.settings["dataset"], source=job.settings["source"], work=job,
    )  # fmt: skip
    return {"metrics": metrics}


EXPERIMENT = Experiment(
    "spectra_stability",
    position=5,
    settings=SpectraStability,
    check=check,
    title="Stability of C-LLE",
    text=(
        "How much LLE and C-LLE move with what should not matter: the choice of κ, the draw of the noise, and "
        "the starts of k-means (Tiwari, Rosen and Madabhushi 2008, Fig. 2(a) to (c): C-LLE “appears to reduce "
        "the variance and instability”). A consensus over all κ has no κ to vary. So LLE at single κ is "
        "compared with consensus embeddings of disjoint groups of κ; along the other axes C-LLE combines all "
        "κ, and LLE is taken at each κ and averaged.\n\n"
        "Per study the SD of each score, and the distance between embeddings: the Frobenius distance of their "
        "distance matrices, each divided by its norm, which knows neither rotation nor scale (0: the same; at "
        "most √2). The table has the mean over studies and the paired difference from LLE with its 95 % "
        "interval; below 0 a method is steadier than LLE."
    ),
    tables={"stability": "spectra_tables.stability"},
    figures={
        "kappa": Figure(
            "spectra_figures.draw_kappa",
            (
                "Sensitivity and specificity of LLE against κ: each study (grey) and the mean over the "
                "studies whose neighbourhood graph is one piece at that κ, and C-LLE of all κ (line: mean, "
                "band: SD over studies), above against the boxes, below against the cancer voxels."
            ),
        ),
        "spread": Figure(
            "spectra_figures.draw_spread",
            (
                "Above: SD of sensitivity, specificity and balanced accuracy by method and by what is varied. "
                "Below: distance of the embeddings. Mean ± SD over studies; less is steadier. PCA has no κ; "
                "the clustering leaves the embedding as it is."
            ),
        ),
    },
    own=Own(
        text=(
            "How much LLE and C-LLE move with what should not matter: the choice of κ and the starts of k-means. Per"
            " study the SD of each score, and the distance between embeddings (0: the same; at most √2). The table "
            "has the mean over studies and the paired difference from LLE with its 95 % interval; below 0 a method "
            "is steadier than LLE."
        ),
        captions={
            "kappa": (
                "Sensitivity and specificity of LLE against κ: each study (grey) and the mean over the studies whose "
                "neighbourhood graph is one piece at that κ, and C-LLE of all κ (line: mean, band: SD over studies), "
                "against the boxes or the cancer voxels, as far as you named them."
            ),
            "spread": (
                "SD of sensitivity, specificity and balanced accuracy (where you named boxes or cancer voxels), and "
                "distance of the embeddings, by method and by what is varied. Mean ± SD over studies; less is "
                "steadier. PCA has no κ; the clustering leaves the embedding as it is."
            ),
        },
    ),
    own_only=layout.only_own,
    stages=Stages("spectra.n_repeated", (18, 50, 150)),
    steps=(
        Step(
            name="run_spectra_stability",
            run=run,
            does="Spread over kappa, noise and the starts of k-means",
            makes={"metrics": "spectra_stability/metrics.tsv"},
            reads=reads,
            settings=lambda study, _: layout.origin(study) | study.sections("spectra_embedding", "spectra_stability"),
            threads="workers",
            takes=lambda study, _: Seconds(
                3, 0.057 * layout.number_of_studies(study["spectra"], "n_repeated"), "spectra_embedding.kmeans_runs"
            ),
        ),
    ),
)

"""Median consensus over other sources of instability."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

from annotated_types import Ge
from pydantic import Field

from replication.papers.tomo2025.layout import median_settings
from replication.papers.tomo2025.settings import TSNESettings, below_samples
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Inner, Integer, Perplexity, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class MceExtensions(Settings):
    """Consensus over other sources of instability than the random start."""

    kinds: Distinct[Literal["perplexity", "multiscale", "umap", "imputation"]] = Field(
        ("perplexity", "multiscale", "umap", "imputation"),
        description=(
            "perplexity: t-SNE at several perplexities; multiscale: multiscale t-SNE over all of them, which is "
            "not combined but compared; umap: UMAP from random starts; imputation: t-SNE of multiply imputed data"
        ),
    )
    n_embeddings: Count = Field(
        12,
        description=(
            "runs combined. The authors' code of December 2025, on other data: 20 runs at each perplexity, 50 "
            "imputations, UMAP with its defaults"
        ),
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(
        6, description="sets of runs; claims are judged on the pairs 0-1, 2-3 and 4-5 of them"
    )
    perplexities: Distinct[Perplexity] = Field(
        (10, 30, 90, 270),
        description=(
            "values that the runs of kind perplexity cycle through, and that multiscale t-SNE combines, here and "
            "in consensus_comparison"
        ),
    )
    missing_share: Inner = Field(
        0.1, description="kind imputation: share of pixels removed at random before multiple imputation"
    )
    normalize: Literal["none", "unit_norm"] = Field(
        "unit_norm", description="unit_norm or none: runs of several perplexities differ in scale (CH-74)"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Multiscale t-SNE is compared with the consensus over the perplexities."""
        if "multiscale" in self.kinds and "perplexity" not in self.kinds:
            yield "kinds", f"expected perplexity beside multiscale, found {list(self.kinds)}"


RUNS = "mce_extensions/runs/{kind}_{repetition}.npz"


def embed(job: Job) -> Results:
    """Make the runs of one kind and repetition."""
    from replication.data.digits import digits_name, read_digits
    from replication.papers.tomo2025.mce_extensions import extension_runs

    settings = job.settings
    X, _ = read_digits(settings["n_samples"])
    embeddings = extension_runs(
        job.wildcards.kind,
        X,
        int(job.wildcards.repetition),
        **settings["mce_extensions"],
        tsne=job.section("tsne", TSNESettings),
        seed=job.seed,
        dataset=digits_name(settings["n_samples"]),
        progress=job.progress(settings["mce_extensions"]["n_embeddings"], "runs"),
    )
    return {"runs": {"embeddings": embeddings}}


def run(job: Job) -> Results:
    """Combine the runs over other sources of instability."""
    import numpy as np

    from replication.data.digits import about_digits, read_digits
    from replication.papers.tomo2025 import mce_extensions

    settings = job.settings
    X, _ = read_digits(settings["n_samples"])
    extensions = settings["mce_extensions"]
    paths, repetitions = list(job.inputs.runs), extensions["repetitions"]
    runs = {
        kind: [np.load(path)["embeddings"] for path in paths[k * repetitions : (k + 1) * repetitions]]
        for k, kind in enumerate(extensions["kinds"])
    }
    metrics = mce_extensions.run(
        X,
        runs,
        solver=settings["solver"],
        n_neighbors=settings["n_neighbors"],
        n_perplexities=len(extensions["perplexities"]),
        normalize=extensions["normalize"],
        mds=settings["mds"],
        about=about_digits(settings["n_samples"]),
        work=job,
    )
    return {"metrics": metrics}


def _runs(study: Study) -> list[str]:
    section = study["mce_extensions"]
    chosen = product(section["kinds"], range(section["repetitions"]))
    return [RUNS.format(kind=kind, repetition=repetition) for kind, repetition in chosen]


EXPERIMENT = Experiment(
    "mce_extensions",
    position=5,
    settings=MceExtensions,
    check=lambda config: below_samples(
        config, "mce_extensions.perplexities", max(config["mce_extensions"]["perplexities"])
    ),
    title="Median consensus over other sources of instability",
    text=(
        "The extensions that the paper's discussion names: consensus over t-SNE runs at several perplexities, "
        "over UMAP runs, and over t-SNE runs of multiply imputed data with values missing completely at "
        "random. The competitor that it names for several perplexities is multiscale t-SNE: one run on affinities "
        "that are means over the perplexities. Runs are brought to unit norm before they are combined and compared."
    ),
    tables={"extensions": "mce_tables.extensions_table"},
    figures={
        "extensions": Figure(
            "mce_figures.draw_extensions",
            (
                "Left: distance between repetitions of the consensus, as a share of that between single runs (of the "
                "same perplexity). "
                "Right: share of each point's nearest neighbours in the complete data that are kept, by the "
                "consensus distances and by their picture, by single runs, and over perplexities by multiscale t-SNE. "
                "The horizontal axis says what differs between the runs: the perplexity of t-SNE, the random start of "
                "UMAP, or the imputed values; the starts of t-SNE differ too. Points and bars: mean and standard "
                "deviation over the repetitions, on the left over all pairs of them."
            ),
        ),
    },
    steps=(
        Step(
            name="embed_extension",
            title="{kind} {repetition}",
            run=embed,
            does="Runs over {wildcards.kind}, repetition {wildcards.repetition}",
            makes={"runs": RUNS},
            settings=lambda study, _: {
                "n_samples": study["digits"]["n_samples"],
                "tsne": study.of("tsne", TSNESettings),
                "mce_extensions": study.without("mce_extensions", "kinds", "repetitions", "normalize"),
            },
            wildcards={"kind": ("perplexity", "multiscale", "umap", "imputation"), "repetition": r"\d+"},
            memory_mb=3000,
            minutes=60,
            takes=lambda _, at: {
                "perplexity": Seconds(1.2, 1.3, "mce_extensions.n_embeddings", power=1.35),
                "multiscale": Seconds(1.2, 1.2, "mce_extensions.n_embeddings", power=1.35),
                "umap": Seconds(1.3, 3, "mce_extensions.n_embeddings", power=1),
                "imputation": Seconds(1.3, 3.4, "mce_extensions.n_embeddings", power=0.55),
            }[at.kind],
        ),
        Step(
            name="run_mce_extensions",
            run=run,
            does="Median consensus over perplexities, UMAP runs, imputed data",
            makes={"metrics": "mce_extensions/metrics.tsv"},
            reads=lambda study, _: {"runs": _runs(study)},
            settings=lambda study, _: {
                **median_settings(study),
                **study.only("median_consensus", "mds"),
                **study.only("consensus_comparison", "n_neighbors"),
                "mce_extensions": study["mce_extensions"],
            },
            threads="workers",
            memory_mb=3000,
            takes=Seconds(1.2, 4.3, "mce_extensions.repetitions", power=2),
        ),
    ),
)

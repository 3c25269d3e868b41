"""Ways to combine the same runs."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.papers.tomo2025.layout import pool_files, pool_size
from replication.papers.tomo2025.settings import TSNESettings, below_samples
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Integer, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class ConsensusComparison(Settings):
    """Other ways to combine the same runs."""

    n_embeddings: Count = Field(50, description="runs combined")
    repetitions: Annotated[Integer, Ge(2)] = Field(5, description="sets of runs; distances between them need two")
    n_neighbors: Count = Field(10, description="neighbours counted in the neighbourhood preservation")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Neighbours and perplexities that the digits are too few for."""
    largest = max(config["mce_extensions"]["perplexities"])
    yield from below_samples(config, "mce_extensions.perplexities", largest)
    n_neighbors = config["consensus_comparison"]["n_neighbors"]
    yield from below_samples(config, "consensus_comparison.n_neighbors", n_neighbors)


def run(job: Job) -> Results:
    """Combine the same runs in other ways."""
    import numpy as np
    from consensus_embedding.manifold.distance_matrices import normalize_embeddings
    from consensus_embedding.utils.seeds import stream_seed

    from replication.data.digits import about_digits, digits_name, read_digits
    from replication.papers.tomo2025 import consensus_comparison
    from replication.papers.tomo2025.mce_extensions import multiscale_runs
    from replication.papers.tomo2025.pools import embed_runs

    settings = job.settings
    n_samples, comparison = settings["n_samples"], settings["consensus_comparison"]
    mds, normalize = (settings["median_consensus"][key] for key in ("mds", "normalize"))
    X, labels = read_digits(n_samples)
    tsne = job.section("tsne", TSNESettings)
    job.say("t-SNE from the principal components, and multiscale t-SNE")
    seeds = [stream_seed(job.seed, digits_name(n_samples), "multiscale", r) for r in range(comparison["repetitions"])]
    pca_runs, _ = embed_runs(X, [0], tsne, init="pca")
    multiscale = multiscale_runs(X, settings["perplexities"], seeds, tsne)
    pool = np.load(job.inputs.pool)
    metrics = consensus_comparison.run(
        X,
        labels,
        pool["embeddings"],
        pool["kl_divergences"],
        np.load(job.inputs.gram),
        normalize_embeddings(pca_runs, normalize)[0],
        normalize_embeddings(multiscale, normalize),
        reference_runs=settings["reference_runs"],
        **comparison,
        solver={key: settings["median_consensus"][key] for key in ("tolerance", "max_iter")},
        mds=mds,
        about=about_digits(n_samples),
        work=job,
    )
    return {"metrics": metrics}


def _shared_settings(study: Study) -> Mapping[str, Any]:
    """What both the experiment and the score of an added method read."""
    return {
        "n_samples": study["digits"]["n_samples"],
        "median_consensus": study["median_consensus"],
        "reference_runs": pool_size(study)[0],
    }


EXPERIMENT = Experiment(
    "consensus_comparison",
    position=4,
    settings=ConsensusComparison,
    check=check,
    title="Ways to combine the same runs",
    added="user_methods.score_comparison",
    method_names="method_names.COMBINATIONS",
    text=(
        "The same runs combined in other ways, with controls: a single run, the medoid, the run of lowest "
        "loss, a run started from the principal components, a run of multiscale t-SNE, and random points."
    ),
    tables={"comparison": "mce_tables.comparison_table"},
    figures={
        "comparison": Figure(
            "mce_figures.draw_comparison",
            (
                "Mean and standard deviation over repetitions on identical pools of runs, of distances between "
                "repetitions over all pairs. The reference is "
                "itself a geometric median, so the second panel favours the methods near it. The run started "
                "from the principal components is deterministic: its repetitions are the same by "
                "construction. Random points show the level of chance of the two scores; their distances are "
                "off the scale and left out."
            ),
        ),
    },
    given=lambda study: study.only("median_consensus", "normalize"),
    added_parts=lambda study: {
        "runs": (pool_files(study), {**_shared_settings(study), "parameters": study["consensus_comparison"]})
    },
    steps=(
        Step(
            name="run_consensus_comparison",
            run=run,
            does="Combine the same runs in other ways",
            makes={"metrics": "consensus_comparison/metrics.tsv"},
            reads=lambda study, _: pool_files(study),
            settings=lambda study, _: {
                **_shared_settings(study),
                "consensus_comparison": study["consensus_comparison"],
                "tsne": study.of("tsne", TSNESettings),
                # Those that multiscale t-SNE joins.
                "perplexities": study["mce_extensions"]["perplexities"],
            },
            threads="workers",
            memory_mb=4000,
            minutes=60,
            takes=Seconds(1.3, 7.7, "consensus_comparison.repetitions", power=1.4),
        ),
    ),
)

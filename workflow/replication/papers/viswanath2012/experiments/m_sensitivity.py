"""Number of base embeddings."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Len
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.settings import PoolScoreSettings, subsets_of_genes
from replication.platform.declarations import Experiment, Figure, Own
from replication.platform.settings import Count, Rising, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class MSensitivity(Settings):
    """Tables 6 and 7: numbers M of base embeddings."""

    n_embeddings: Annotated[Rising[Count], Len(2)] = Field((200, 500, 1000), description="numbers M of base embeddings")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Subsets that do not cover the genes."""
    fewest = config["m_sensitivity"]["n_embeddings"][0]
    lines = subsets_of_genes(config, "m_sensitivity.n_embeddings", fewest)
    yield from (line for line in lines if "enough" in line)


def run(job: Job) -> Results:
    """The consensus over numbers of base embeddings."""
    from replication.data.readers.expression import load_split
    from replication.papers.viswanath2012 import m_sensitivity
    from replication.papers.viswanath2012.gene_splits import load_pools
    from replication.shared.tidy import Metrics

    tables = []
    settings = job.section("gene_embedding", PoolScoreSettings)
    progress = job.progress(len(job.settings["pools"]), "pools")
    for (name, reduction), path in zip(job.settings["pools"], job.inputs.pools, strict=True):
        metrics = Metrics("m_sensitivity", name, job.settings["sources"][name], m_sensitivity.CONDITIONS)
        split = load_split(job.inputs.splits[job.settings["names"].index(name)])
        truth = split.test.classes == split.classes[1]
        m_sensitivity.score_pools(
            metrics, load_pools(path), reduction, truth, settings, job.settings["m_sensitivity"]["n_embeddings"]
        )
        tables.append(metrics.table())
        progress(len(tables))
    return {"metrics": tables}


EXPERIMENT = Experiment(
    "m_sensitivity",
    position=16,
    settings=MSensitivity,
    check=check,
    title="Number of base embeddings",
    text=(
        "Tables 6 and 7 of Viswanath and Madabhushi 2012: does the number M of base embeddings matter? "
        "Consensus PCA and consensus GE on the data of Experiment 4, with embeddings selected with labels (S) "
        "or without (US) at the paper's threshold (theta = 0.15 x max unless configured otherwise). In a draw "
        "the embeddings of a smaller M are the first of those of a larger one. The title of each panel says "
        "whether data are the paper's originals, the user's own or simulated."
    ),
    tables={"consensus_pca": "gene_tables.consensus_pca_table", "consensus_ge": "gene_tables.consensus_ge_table"},
    figures={
        "m_sensitivity": Figure(
            "gene_figures.draw_m_sensitivity",
            (
                "Accuracy on the test samples against the number of base embeddings M; mean and SD over draws "
                "of the gene subsets. Filled: selected with labels; open: without. The title of a panel says "
                "whether its data are the paper's originals, the user's own or simulated."
            ),
        ),
    },
    own=Own(
        text=(
            "Does the number M of base embeddings matter? Accuracy of consensus PCA and consensus GE on the test "
            "samples of your tables. In a draw the embeddings of a smaller M are the first of those of a larger one."
        ),
    ),
    own_only=layout.only_own_genes,
    steps=(
        Step(
            name="run_m_sensitivity",
            run=run,
            does="Consensus over numbers of base embeddings",
            makes={"metrics": "m_sensitivity/metrics.tsv"},
            reads=lambda study, _: {
                "splits": layout.all_genes(study),
                "pools": [layout.gene_pool(name, reduction) for name, reduction in layout.gene_pools(study)],
            },
            settings=lambda study, _: {
                "names": list(layout.gene_sets(study)),
                "sources": layout.gene_sources(study),
                "pools": layout.gene_pools(study),
                "gene_embedding": study.of("gene_embedding", PoolScoreSettings),
                "m_sensitivity": study["m_sensitivity"],
            },
            takes=lambda study, _: Seconds(1.3, 0.33 * layout.all_longer(study), "genes.repetitions"),
        ),
    ),
)

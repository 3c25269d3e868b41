"""Tomo and Yoneoka 2025: the median consensus embedding of t-SNE runs."""

from replication.platform.declarations import Answer, Clause, Family, Paper
from replication.platform.steps import Seconds

PAPER = Paper(
    title="Tomo and Yoneoka 2025",
    short_title="Tomo 2025",
    position=1,
    ledger_position=2,
    answer=Answer(
        topic="the median of several t-SNE runs",
        question="Does the median consensus of several t-SNE runs give a picture that changes less from run to run?",
        sentences=(
            (
                Clause(
                    "its distances do, on the digits: the more runs, the less two results differ",
                    "holds",
                    rows=("MC-07",),
                    short="distances repeat better with more runs",
                    unless=Clause(
                        "but whether the picture drawn from them does turns on the line that is fitted",
                        "partly",
                        rows=("MC-18 over all choices",),
                        short="the picture repeats better too",
                    ),
                ),
            ),
            (
                Clause(
                    "over several perplexities or UMAP runs the distances vary less than single runs too",
                    "holds",
                    rows=("MC-11", "MC-12"),
                    short="distances of UMAP repeat better too",
                ),
            ),
        ),
        figure="mce_convergence/figures/distances.png",
        paper_scale="resources/readme/distances.png",
    ),
    families={
        "digits": Family(
            experiments=("mce_convergence", "mce_tail"),
            sections=("digits", "tsne", "median_consensus", "mce_convergence", "mce_tail"),
            position=4,
            takes=Seconds(15, 0.1, "multiverse.per_job"),
            reduced={
                "digits": {"n_samples": 200},
                "tsne": {"perplexity": 30, "max_iter": 500},
                "mce_convergence": {
                    "reference_runs": 100,
                    "repetitions": 3,
                    "n_embeddings": (1, 2, 10, 20, 50, 100),
                    "band_draws": 20,
                },
                "mce_tail": {"n_embeddings": (1, 2, 4, 8, 12), "draws": 100, "sub_pools": 5},
            },
        ),
    },
)

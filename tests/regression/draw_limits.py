"""
How far do the numbers of the digits move when t-SNE makes other runs? Write the limits of test_drift.py anew.

    .venv/bin/python tests/regression/draw_limits.py --seeds 200 --workers 2      50 minutes

t-SNE is chaotic: on a processor that rounds in another way, all runs are others. So the limits come from other runs:
the experiments on digits are repeated at the size of the quick study from other seeds. Beyond the 90th percentile the
tail of a number is taken to fall off exponentially, and the same below the 10th. A limit is where this leaves a chance
of FALSE_ALARM / (2 x numbers), so that all numbers together raise a false alarm in less than one of 10,000 runs. The
scale of the tail is twice its mean excess, since single numbers had heavier tails, and at least a thousandth of the
number, since some move in steps and rarely. Both were added after 168 seeds had been left out in turn: without them 3
of 40,000 numbers were beyond the limits of the other seeds. What comes near zero is taken on a plain scale below. The
limits that are committed come from 111 seeds; none of 32,000 numbers was beyond those of the other seeds. The limits of
the pictures in mce_extensions were drawn later and alone, from seeds 1 to 111; those of the AIC and of the power law
over sub-pools in mce_tail later again, from seeds 1 to 24.
"""

import argparse
import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]

from consensus_embedding.utils.arithmetic import set_portable

set_portable(os.environ)

import numpy as np
import pandas as pd
from consensus_embedding.manifold.distance_matrices import distance_gram
from consensus_embedding.manifold.tsne import joint_probabilities, pca_start, tsne_runs
from consensus_embedding.utils.seeds import stream_seed
from replication.catalogue.configuration import read_configuration
from replication.data.digits import digits_name, digits_source, read_digits
from replication.papers.tomo2025 import (
    consensus_comparison,
    mce_convergence,
    mce_extensions,
    mce_tail,
    tsne_equivalence,
)
from replication.papers.tomo2025.layout import pool_size
from replication.papers.tomo2025.pools import TSNESettings, embed_runs, run_seeds
from replication.platform.steps import Work
from replication.shared.tidy import write_table
from threadpoolctl import threadpool_limits
from update import summarize

LIMITS = Path(__file__).parent / "tsne_limits"
FALSE_ALARM = 1e-4
TAIL = 0.1
STEP = 1e-3
# Share of the median of a number; one that falls below it in some run may be zero in another.
NEAR_ZERO = 0.25
VALUES = ["n", "mean", "sd"]


def study(seed: int) -> dict[str, pd.DataFrame]:
    """Experiment -> summary, of the experiments on digits of the quick study, from another seed."""
    config = read_configuration("quick.yaml")
    n_samples = config["digits"]["n_samples"]
    X, labels = read_digits(n_samples)
    about = {"dataset": digits_name(n_samples), "source": digits_source(n_samples)}
    tsne = TSNESettings.model_validate({key: value for key, value in config["tsne"].items() if key != "runs_per_job"})
    solver = {key: config["median_consensus"][key] for key in ("tolerance", "max_iter")}
    mds = config["median_consensus"]["mds"]
    how = {"solver": solver, "about": about, "work": Work(seed=seed)}

    def runs(n: int, implementation: str) -> tuple[np.ndarray, np.ndarray]:
        seeds = run_seeds(seed, about["dataset"], range(n))
        return embed_runs(X, seeds, tsne.replace(implementation=implementation))

    reference, outside = pool_size(config)
    pool, losses = runs(reference + outside, tsne.implementation)
    gram = distance_gram(pool)
    equivalence, extensions = config["tsne_equivalence"], config["mce_extensions"]
    n_runs, n_fine = equivalence["n_runs"], equivalence["n_fine_runs"]
    sizes = {"exact": n_runs, "barnes_hut": n_runs, "scikit-learn": n_runs, "scikit-learn-fine": n_fine}
    each = {implementation: runs(n, implementation) for implementation, n in sizes.items()}
    sources = {
        kind: [
            mce_extensions.extension_runs(
                kind, X, k, n_embeddings=extensions["n_embeddings"], perplexities=extensions["perplexities"],
                missing_share=extensions["missing_share"], tsne=tsne, seed=seed, dataset=about["dataset"],
            )
            for k in range(extensions["repetitions"])
        ]
        for kind in extensions["kinds"]
    }  # fmt: skip
    from_pca = rounded_otherwise(X, tsne, seed)
    comparison = config["consensus_comparison"]
    multiscale = mce_extensions.multiscale_runs(
        X, extensions["perplexities"],
        [stream_seed(seed, about["dataset"], "multiscale", r) for r in range(comparison["repetitions"])], tsne,
    )  # fmt: skip
    n_neighbors = config["consensus_comparison"]["n_neighbors"]
    convergence, _ = mce_convergence.run(
        pool, gram, parameters=mce_convergence.ConvergenceStudy.model_validate(config["mce_convergence"]),
        mds=mds, **how,
    )  # fmt: skip
    tables = [
        tsne_equivalence.run(each, **how),
        convergence,
        mce_tail.run(gram, reference_runs=reference, **config["mce_tail"], **how),
        consensus_comparison.run(
            X, labels, pool, losses, gram, from_pca[0], multiscale, reference_runs=reference,
            **config["consensus_comparison"], mds=mds, **how,
        ),
        mce_extensions.run(
            X, sources, n_neighbors=n_neighbors, n_perplexities=len(extensions["perplexities"]),
            normalize=extensions["normalize"], mds=mds, **how,
        ),
    ]  # fmt: skip
    return {table["experiment"].iloc[0]: summarize(table) for table in tables}


def rounded_otherwise(X: np.ndarray, tsne: TSNESettings, seed: int) -> np.ndarray:
    """
    Runs from the principal components, which no seed changes: the start differs in its last digits.

    Other seeds say nothing of how far such a run moves on another processor. Any difference of this size grows into
    another run, as that of the processors does.
    """
    noise = np.random.default_rng(seed).uniform(-1, 1, size=(len(X), 2))
    start = (pca_start(X) * (1 + 1e-6 * noise)).astype(np.float32)
    options = {name: getattr(tsne, name) for name in ("learning_rate", "early_exaggeration", "max_iter")}
    affinities = joint_probabilities(X, tsne.perplexity)
    return tsne_runs(affinities, [start], method=tsne.implementation, **options)[0]


def draw(seed: int) -> dict[str, pd.DataFrame]:
    """The same, on one core and without warnings of single runs."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return study(seed)


def limits(drawn: pd.DataFrame, chance: float) -> pd.DataFrame:
    """
    Lowest and highest mean of each number that a chance allows.

    Parameters
    ----------
    drawn : DataFrame
        Summaries of an experiment, of many seeds.
    chance : float
        That a number is above its limit, or below the other one.

    Returns
    -------
    DataFrame
        A row for each number, with low, high and how many seeds they come from.
    """
    keys = [name for name in drawn.columns if name not in VALUES]
    drawn = drawn[drawn["metric"] != "seconds"]
    grouped = drawn.groupby(keys, sort=False, dropna=False)["mean"]
    rows = grouped.agg(
        low=lambda values: low_end(values.to_numpy(), chance),
        high=lambda values: tail_end(values.to_numpy(), chance, STEP * values.abs().max()),
        seeds="size",
    )
    return rows.reset_index()


def low_end(values: np.ndarray, chance: float) -> float:
    """The same below; what never comes near zero, on a scale of logarithms, so that its limit is positive too."""
    if (values > NEAR_ZERO * np.median(values)).all() and (values > 0).all():
        return float(np.exp(-tail_end(-np.log(values), chance, STEP)))
    return -tail_end(-values, chance, STEP * np.abs(values).max())


def tail_end(values: np.ndarray, chance: float, least: float) -> float:
    """Where an exponential tail, of at least some scale, has this chance left; never within the values."""
    start = np.quantile(values, 1 - TAIL)
    excess = values[values > start] - start
    # What was zero in all runs, as a probability, need not be in the next.
    scale = max(2 * excess.mean() if len(excess) else 0.0, least or STEP)
    return float(max(values.max(), start + scale * np.log(TAIL / chance)))


def write_limits(summaries: dict[str, list[pd.DataFrame]]) -> None:
    """Write the limits of all experiments, a file each."""
    n_numbers = sum((tables[0]["metric"] != "seconds").sum() for tables in summaries.values())
    LIMITS.mkdir(exist_ok=True)
    for name, tables in summaries.items():
        write_table(limits(pd.concat(tables), FALSE_ALARM / (2 * n_numbers)), LIMITS / f"{name}.tsv")
        print(f"wrote {(LIMITS / name).relative_to(ROOT)}.tsv")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    summaries: dict[str, list[pd.DataFrame]] = {}
    with ProcessPoolExecutor(arguments.workers) as processes:
        for k, tables in enumerate(processes.map(draw, range(1, arguments.seeds + 1)), start=1):
            for name, table in tables.items():
                summaries.setdefault(name, []).append(table)
            print(f"{k} of {arguments.seeds} seeds", flush=True)
    write_limits(summaries)

"""The experiments mce_convergence and mce_tail on few digits, for one universe of choices (MC-07 to MC-10)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import pandas as pd
from consensus_embedding.manifold.distance_matrices import distance_gram, normalize_embeddings

from replication.data.digits import about_digits, digits_name, read_digits
from replication.papers.tomo2025 import mce_convergence, mce_tail
from replication.papers.tomo2025.pools import TSNESettings, embed_runs, run_seeds
from replication.platform.settings import settings_of
from replication.platform.steps import Work


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """Convergence and tail of the median consensus."""
    convergence = settings_of(mce_convergence.ConvergenceStudy, config["mce_convergence"], "mce_convergence")
    section = {key: value for key, value in config["tsne"].items() if key != "runs_per_job"}
    tsne = settings_of(TSNESettings, section, "tsne")
    tail, n_samples = config["mce_tail"], config["digits"]["n_samples"]
    outside = max(
        convergence.repetitions * sum(convergence.n_embeddings), tail["sub_pools"] * max(tail["n_embeddings"])
    )
    normalize = config["median_consensus"]["normalize"]
    embeddings, gram = _pool(n_samples, convergence.reference_runs + outside, tsne, normalize, seed)
    solver = {key: config["median_consensus"][key] for key in ("tolerance", "max_iter")}
    how = {"solver": solver, "about": about_digits(n_samples), "work": Work(seed=seed)}
    metrics, _ = mce_convergence.run(
        embeddings, gram, parameters=convergence, mds=config["median_consensus"]["mds"], **how
    )
    of_tail = mce_tail.run(gram, reference_runs=convergence.reference_runs, **tail, **how)
    return {"mce_convergence": metrics, "mce_tail": of_tail}


# Most universes differ in what comes after t-SNE, so that the runs are kept for the next.
@lru_cache(maxsize=8)
def _pool(n_samples: int, n_runs: int, tsne: TSNESettings, normalize: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The runs and their Gram matrix."""
    embeddings = normalize_embeddings(_runs(n_samples, n_runs, tsne, seed), normalize)
    return embeddings, distance_gram(embeddings)


@lru_cache(maxsize=8)
def _runs(n_samples: int, n_runs: int, tsne: TSNESettings, seed: int) -> np.ndarray:
    """Runs with the same starts whatever the settings of t-SNE."""
    X, _ = read_digits(n_samples)
    seeds = run_seeds(seed, digits_name(n_samples), range(n_runs))
    return embed_runs(X, seeds, tsne)[0]

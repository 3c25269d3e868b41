"""The t-SNE runs that the experiments share: how many there are, and where they lie. Light: the rules read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.platform.study import Study, chunks


def pool_size(study: Study | Mapping[str, Any]) -> tuple[int, int]:
    """
    Runs of the pool that the chosen experiments need.

    Runs 0 .. reference - 1 make the reference consensus; the next `outside` runs everything else.
    """
    convergence, tail = study["mce_convergence"], study["mce_tail"]
    comparison = study["consensus_comparison"]
    needs = {
        "mce_convergence": convergence["repetitions"] * sum(convergence["n_embeddings"]),
        "mce_tail": tail["sub_pools"] * max(tail["n_embeddings"]),
        "consensus_comparison": comparison["repetitions"] * comparison["n_embeddings"],
    }
    chosen = [runs for experiment, runs in needs.items() if experiment in study["experiments"]]
    return convergence["reference_runs"], max(chosen, default=0)


def runs_files(implementation: str, n_runs: int, per_job: int) -> list[str]:
    """Files with the runs of an implementation."""
    return [f"embeddings/{implementation}/runs_{chunk}.npz" for chunk in chunks(n_runs, per_job)]


def pool_files(study: Study) -> dict[str, str]:
    """The runs of the pool, and the inner products of their distances."""
    folder = f"embeddings/{study['tsne']['implementation']}"
    return {"pool": f"{folder}/pool.npz", "gram": f"{folder}/gram.npy"}


def equivalence_runs(study: Study) -> dict[str, int]:
    """Implementation -> runs that are compared."""
    sizes = study["tsne_equivalence"]
    equal = dict.fromkeys(("exact", "barnes_hut", "scikit-learn"), sizes["n_runs"])
    return equal | {"scikit-learn-fine": sizes["n_fine_runs"]}


def median_settings(study: Study) -> dict[str, Any]:
    """What every median consensus of the digits reads."""
    return {
        "n_samples": study["digits"]["n_samples"],
        "solver": study.only("median_consensus", "tolerance", "max_iter"),
    }

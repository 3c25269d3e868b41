"""What this paper offers to the arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replication.papers.tomo2025.settings import TSNESettings
from replication.platform.arena_offers import ArenaData, ArenaRuns
from replication.platform.steps import Seconds
from replication.platform.study import Study


def _digits(study: Study) -> dict[str, dict[str, Any]]:
    return {"digits": {"max_points": min(study["consensus_arena"]["max_points"], study["digits"]["n_samples"])}}


def _settings(study: Study) -> dict[str, Any]:
    options = study.only("consensus_arena", "perplexities", "missing_share")
    return {"tsne": study.of("tsne", TSNESettings), "options": options}


def _check(config: Mapping[str, Any]) -> Iterator[str]:
    n_neighbors, n_samples = config["consensus_arena"]["n_neighbors"], config["digits"]["n_samples"]
    if 2 * n_neighbors >= n_samples:
        yield (
            f"consensus_arena.n_neighbors: expected less than half of digits.n_samples = {n_samples}, "
            f"found {n_neighbors}"
        )


DATA = {"digits": ArenaData(sets=_digits, load="arena_inputs.digits_data", check=_check)}


def _runs(fixed: float, each: float, **given: Any) -> ArenaRuns:
    takes = Seconds(fixed, each, "consensus_arena.repetitions*consensus_arena.n_embeddings")
    return ArenaRuns("arena_inputs.pools_of_runs", _settings, takes=takes, **given)


RUNS = {
    "tsne": _runs(3, 0.4, elsewhere=True),
    "umap": _runs(5, 0.5, elsewhere=True),
    "perplexity": _runs(3, 0.4),
    "imputation": _runs(3, 4.1),
}

"""What this paper offers to the arena."""

from __future__ import annotations

from typing import Any

from replication.platform.arena_offers import ArenaData, ArenaRuns
from replication.platform.study import Study


def _digits(study: Study) -> dict[str, dict[str, Any]]:
    return {"digits": {"max_points": min(study["consensus_arena"]["max_points"], study["digits"]["n_samples"])}}


def _settings(study: Study) -> dict[str, Any]:
    options = study.only("consensus_arena", "perplexities", "missing_share")
    return {"tsne": study.without("tsne", "runs_per_job"), "options": options}


DATA = {"digits": ArenaData(sets=_digits, load="arena_inputs.digits_data")}
_RUNS = ArenaRuns("arena_inputs.pools_of_runs", _settings)
RUNS = dict.fromkeys(("tsne", "umap", "perplexity", "imputation"), _RUNS)

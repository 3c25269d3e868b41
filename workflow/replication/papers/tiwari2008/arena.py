"""What this paper offers to the arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replication.papers.tiwari2008.layout import base_files, origin
from replication.platform.arena_offers import ArenaData, ArenaRuns
from replication.platform.steps import Seconds
from replication.platform.study import Study


def _studies(study: Study) -> dict[str, dict[str, Any]]:
    numbers = range(study["consensus_arena"]["n_studies"])
    return {f"study_{k}": {"study": k, "source": origin(study)["source"]} for k in numbers}


def _check(config: Mapping[str, Any]) -> Iterator[str]:
    arena, spectra = config["consensus_arena"], config["spectra"]
    own = [item["role"] for item in spectra["own"]]
    known = own.count("evaluation") if own else spectra["n_studies"]
    if arena["inputs"].get("kappa") and arena["n_studies"] > known:
        yield f"consensus_arena.n_studies: expected at most {known}, the studies, found {arena['n_studies']}"


DATA = {
    "spectra": ArenaData(
        sets=_studies,
        reads=lambda study, name: {"studies": base_files(study)["evaluation"]},
        settings=lambda study: {"spectra_embedding": study["spectra_embedding"]},
        runs={
            "kappa": ArenaRuns(
                "arena_inputs.kappas_of_study",
                lambda study: study.only("consensus_arena", "kappas"),
                takes=Seconds(2, 0.05, "consensus_arena.repetitions*consensus_arena.n_embeddings"),
            )
        },
        check=_check,
    )
}

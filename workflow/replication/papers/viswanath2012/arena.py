"""What this paper offers to the arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import N_TEXTURES, of_brain
from replication.platform.arena_offers import ArenaData, ArenaRuns
from replication.platform.steps import Files, Seconds
from replication.platform.study import Study


def _genes(study: Study) -> dict[str, dict[str, Any]]:
    return {name: {"source": source} for name, source in layout.gene_sources(study).items()}


def _slices(study: Study) -> dict[str, dict[str, Any]]:
    brain = study["brain"]
    ours = [*brain["calibration_slices"], *brain["slices"]]
    source = "original" if brain["source"] == "brainweb" else "public-substitute"
    return {
        f"slice_{z}": {"z": z, "position": ours.index(z), "source": source}
        for z in study["consensus_arena"]["slices"]
        if z in ours
    }


def _slice_files(study: Study, name: str) -> Files:
    arena, unit = study["consensus_arena"], layout.main_unit(study)
    return {"image": layout.image(unit, arena["noise"], arena["inhomogeneity"]), "labels": layout.labels(unit)}


def _uncovered(config: Mapping[str, Any], data: str, size: int, n_features: int) -> Iterator[str]:
    arena = config["consensus_arena"]
    total = arena["repetitions"] * arena["n_embeddings"]
    if data in arena["inputs"].get("subsets", ()) and total * size < n_features:
        yield (
            f"consensus_arena.n_embeddings: expected enough subsets of {size} features of {data} to cover all "
            f"{n_features}, found {total}, repetitions times n_embeddings"
        )


def _check_genes(config: Mapping[str, Any]) -> Iterator[str]:
    genes = config["gene_embedding"]
    yield from _uncovered(config, "genes", genes["subset_size"], genes["n_genes"])


def _check_slices(config: Mapping[str, Any]) -> Iterator[str]:
    yield from of_brain(config, "consensus_arena", slices="slices", noise="noise", inhomogeneity="inhomogeneity")
    yield from _uncovered(config, "slices", config["image_embedding"]["subset_size"], N_TEXTURES)


_SUBSETS = Seconds(2, 0.05, "consensus_arena.repetitions*consensus_arena.n_embeddings")
DATA = {
    "genes": ArenaData(
        sets=_genes,
        reads=lambda study, name: {"split": layout.genes(name)},
        settings=lambda study: {"gene_embedding": layout.gene_embedding(study)},
        load="arena_inputs.load_genes",
        runs={"subsets": ArenaRuns("arena_inputs.gene_subsets", takes=_SUBSETS)},
        check=_check_genes,
    ),
    "slices": ArenaData(
        sets=_slices,
        reads=_slice_files,
        settings=lambda study: {"image_embedding": layout.slice_embedding(study)},
        runs={"subsets": ArenaRuns("arena_inputs.slice_subsets", takes=_SUBSETS)},
        check=_check_slices,
    ),
}

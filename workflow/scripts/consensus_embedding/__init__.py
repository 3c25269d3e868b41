"""
Consensus embeddings: stable low-dimensional embeddings from many unstable ones.

Every public name can be imported from here; modules are loaded when first used.
"""

from importlib import import_module

_EXPORTS = {
    "ExactTSNE": "embeddings.tsne",
    "MedianConsensus": "median_consensus_embedding",
    "MedianConsensusEmbedding": "median_consensus_embedding",
    "classical_mds": "scaling",
    "embedding_distances": "stability",
    "geometric_median": "median_consensus_embedding",
    "median_consensus": "median_consensus_embedding",
    "neighborhood_preservation": "stability",
    "procrustes_align": "stability",
    "smacof": "scaling",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)


def __dir__() -> list[str]:
    return __all__

"""
The sections image_embedding and gene_embedding of the configuration, complete and in the parts that single jobs read.

config/config.yaml explains the keys. A rule hands over no key that its job does not read, so that a change
of it does not rerun the job; each class has the keys of such a job.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GraphSettings:
    """Graph embedding of a subset of features, or of all."""

    kernel: str
    n_neighbors: int
    sigma: float
    self_affinity: float
    eigenvectors: str
    n_components: int

    @property
    def graph_options(self) -> dict[str, object]:
        """Arguments of `graph_embedding`, except the number of components."""
        return {
            "kernel": self.kernel,
            "n_neighbors": self.n_neighbors,
            "sigma": self.sigma,
            "self_affinity": self.self_affinity,
            "scaling": self.eigenvectors,
        }


@dataclass(frozen=True, kw_only=True)
class CombinationSettings:
    """How selected embeddings are combined."""

    n_components: int
    normalization: str
    mds: str

    @property
    def combination(self) -> dict[str, object]:
        """Arguments of `combine_embeddings`."""
        return {"n_components": self.n_components, "normalization": self.normalization, "mds": self.mds}


@dataclass(frozen=True, kw_only=True)
class TextureSettings:
    """Texture features of the pixels, and the kind of objects that represent them."""

    features: str
    implementation: str
    window: int
    levels: int
    outside: str
    scaling: str
    objects: str


@dataclass(frozen=True, kw_only=True)
class SliceSettings(TextureSettings, GraphSettings):
    """From a slice to its base embeddings and their strengths."""

    max_objects: int
    n_embeddings: int
    subset_size: int
    kmeans_starts: int
    clustering: str = "k_means"


@dataclass(frozen=True, kw_only=True)
class SliceConsensusSettings(SliceSettings, CombinationSettings):
    """From a slice to a consensus of embeddings that are selected otherwise than by theta."""


@dataclass(frozen=True, kw_only=True)
class RegionSettings(SliceConsensusSettings):
    """From a slice to the consensus of the embeddings stronger than theta."""

    theta: float
    theta_reading: str = "literal"
    strength: str = "accuracy"


@dataclass(frozen=True, kw_only=True)
class ImageSettings(RegionSettings):
    """The section image_embedding."""

    exploratory_theta: float


@dataclass(frozen=True, kw_only=True)
class PoolSettings(GraphSettings):
    """From a table of genes to its base embeddings and their strengths."""

    n_genes: int
    pruning: str
    transform: str
    standardization: str
    subset_size: int
    linkage: str

    @property
    def preparation(self) -> dict[str, object]:
        """Arguments of `prepare_genes`."""
        return {
            "n_genes": self.n_genes,
            "pruning": self.pruning,
            "transform": self.transform,
            "standardization": self.standardization,
        }


@dataclass(frozen=True, kw_only=True)
class GeneConsensusSettings(PoolSettings, CombinationSettings):
    """From a table of genes to a consensus of embeddings that are selected otherwise than by theta."""

    n_embeddings: int


@dataclass(frozen=True, kw_only=True)
class PoolScoreSettings(CombinationSettings):
    """From a pool of base embeddings of genes to the scores of its consensus."""

    linkage: str
    theta: float
    theta_reading: str = "literal"


@dataclass(frozen=True, kw_only=True)
class GeneSettings(GeneConsensusSettings, PoolScoreSettings):
    """The section gene_embedding."""

    knn_neighbors: int
    label_weights: str
    exploratory_theta: float

"""
Consensus embeddings: stable low-dimensional embeddings from many unstable ones.

Every public name can be imported from here; modules are loaded when first used.
"""

import sys
from importlib import import_module

_EXPORTS = {
    "BarnesHutTSNE": "manifold.tsne",
    "CoAssociationConsensus": "consensus.alternatives",
    "ConsensusEmbedding": "consensus.consensus_embedding",
    "ConsensusLLE": "consensus.consensus_lle",
    "Cost": "consensus.cost",
    "EmbeddingCheck": "diagnostics.embedding_check",
    "ExactTSNE": "manifold.tsne",
    "FourierTSNE": "manifold.tsne",
    "FeatureImportanceInEmbeddings": "features.importance_selector",
    "GeometricMedianConsensus": "consensus.combining",
    "GraphEmbedding": "manifold.graph_embedding",
    "Indscal": "consensus.alternatives",
    "KernelEmbedding": "manifold.kernel_embedding",
    "MedianConsensus": "consensus.median_consensus_embedding",
    "MedianConsensusEmbedding": "consensus.median_consensus_embedding",
    "MedoidRun": "consensus.combining",
    "MetaVisualization": "consensus.alternatives",
    "NystroemGraphEmbedding": "manifold.out_of_sample",
    "PairwiseConsensus": "consensus.combining",
    "ProcrustesMean": "consensus.alternatives",
    "RandomEmbedding": "consensus.combining",
    "RandomRun": "consensus.combining",
    "SemiSupervisedGraphEmbedding": "manifold.out_of_sample",
    "SimilarityNetworkFusion": "consensus.alternatives",
    "StackedPCA": "consensus.alternatives",
    "aggregate_score": "features.feature_importance",
    "approximation_error": "manifold.nystroem",
    "check_base_embedding": "consensus.check_consensus",
    "check_consensus": "consensus.check_consensus",
    "check_cost": "consensus.cost",
    "check_embedding": "diagnostics.embedding_check",
    "choose_embedding": "manifold.residual_variance",
    "class_triplet_accuracy": "consensus.strength",
    "classical_mds": "manifold.mds",
    "cluster_scores": "clustering.clustering",
    "clustering_accuracy": "clustering.clustering",
    "combine_embeddings": "consensus.subset_embeddings",
    "consensus_clusters": "consensus.consensus_clustering",
    "dissimilarity_affinity": "manifold.graphs",
    "embed_subsets": "consensus.subset_embeddings",
    "embedding_distances": "consensus.stability",
    "embedding_strength": "consensus.strength",
    "expected_jaccard": "features.selection_stability",
    "feature_subsets": "consensus.subset_embeddings",
    "fine_scores": "features.feature_importance",
    "fisher_scores": "features.feature_filters",
    "geometric_median": "consensus.geometric_median",
    "gini_scores": "features.feature_filters",
    "half_sample_mode": "consensus.modes",
    "haralick_features": "features.texture",
    "hierarchical_clusters": "clustering.hierarchical_clustering",
    "hierarchical_clusters_many": "clustering.hierarchical_clustering",
    "jackknife_jaccard": "features.selection_stability",
    "knn_ensemble": "features.nearest_neighbors",
    "kuncheva_index": "features.selection_stability",
    "lle_embeddings": "manifold.lle",
    "locally_linear_embedding": "manifold.lle",
    "mean_jaccard": "features.selection_stability",
    "mean_shift_objects": "clustering.mean_shift",
    "median_consensus": "consensus.median_consensus_embedding",
    "nearest_items": "diagnostics.retrieval",
    "neighborhood_preservation": "consensus.stability",
    "normalize_embeddings": "manifold.distance_matrices",
    "normalized_scores": "features.feature_importance",
    "nystroem_extension": "manifold.nystroem",
    "precision_recall_areas": "diagnostics.retrieval",
    "procrustes_align": "consensus.stability",
    "r_squared_index": "clustering.clustering",
    "replicated_kmeans": "clustering.clustering",
    "residual_variances": "manifold.residual_variance",
    "retrieval_scores": "diagnostics.retrieval",
    "run_embeddings": "consensus.runs",
    "select_embeddings": "consensus.subset_embeddings",
    "smacof": "manifold.mds",
    "t_scores": "features.feature_filters",
    "texture_features": "features.texture",
    "top_features": "features.feature_importance",
    "use_portable_arithmetic": "utils.arithmetic",
    "validate_embeddings": "manifold.distance_matrices",
    "vip_scores": "features.feature_importance",
    "vote_labels": "diagnostics.retrieval",
}

# What only the study reads files and features with is in its own package.
_OF_THE_STUDY = {
    "SpectraStudy": "readers.spectra",
    "learn_peak_windows": "domains.peak_integration",
    "peak_areas": "domains.peak_integration",
    "prepare_genes": "domains.gene_preparation",
    "read_expression": "readers.expression_table",
    "read_items": "readers.item_table",
    "read_own_study": "readers.spectra",
    "read_split": "readers.expression",
    "shape_distances": "domains.shape_distance",
    "t_statistics": "domains.gene_preparation",
    "z_scores": "domains.peak_integration",
    "zakian_ratio": "domains.peak_integration",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name in _OF_THE_STUDY:
        place = f"replication.data.{_OF_THE_STUDY[name]}"
        raise AttributeError(f"{name} belongs to the study: import it from {place}, with a checkout of the repository")
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Here and not on import of the package, as most jobs of the study import its modules themselves.
    import_module(f"{__name__}.utils.compiled_loops").keep_compiled_loops_somewhere()
    value = getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    if "numba" in sys.modules:
        # Here, so that the jobs of the study, which import the modules themselves, do not wait for it.
        import_module(f"{__name__}.utils.compile_notice")
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _version() -> str:
    """Version of the installed package; in a checkout that is not installed, the one in its pyproject.toml."""
    # Imported here since every job imports this package, and few ask for its version.
    import tomllib
    from importlib.metadata import PackageNotFoundError, version
    from pathlib import Path

    try:
        return version("consensus-embedding")
    except PackageNotFoundError:
        project = Path(__file__).parents[2] / "pyproject.toml"
        return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]

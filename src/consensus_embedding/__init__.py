"""
Consensus embeddings: stable low-dimensional embeddings from many unstable ones.

Every public name can be imported from here; modules are loaded when first used.
"""

from importlib import import_module

_EXPORTS = {
    "BarnesHutTSNE": "manifold.tsne",
    "CoAssociationConsensus": "consensus.rivals",
    "ConsensusEmbedding": "consensus.consensus_embedding",
    "ConsensusLLE": "consensus.consensus_lle",
    "EmbeddingCheck": "diagnostics.embedding_check",
    "ExactTSNE": "manifold.tsne",
    "FeatureImportanceInEmbeddings": "features.importance_selector",
    "GeometricMedianConsensus": "consensus.combining",
    "GraphEmbedding": "manifold.graph_embedding",
    "Indscal": "consensus.rivals",
    "KernelEmbedding": "manifold.kernel_embedding",
    "MedianConsensus": "consensus.median_consensus_embedding",
    "MedianConsensusEmbedding": "consensus.median_consensus_embedding",
    "MedoidRun": "consensus.combining",
    "MetaVisualization": "consensus.rivals",
    "NystroemGraphEmbedding": "manifold.out_of_sample",
    "PairwiseConsensus": "consensus.combining",
    "ProcrustesMean": "consensus.rivals",
    "RandomEmbedding": "consensus.combining",
    "RandomRun": "consensus.combining",
    "SemiSupervisedGraphEmbedding": "manifold.out_of_sample",
    "SimilarityNetworkFusion": "consensus.rivals",
    "SpectraStudy": "readers.spectra",
    "StackedPCA": "consensus.rivals",
    "aggregate_score": "features.feature_importance",
    "approximation_error": "manifold.nystroem",
    "calc_cons_embed": "consensus.consensus_steps",
    "check_base_embedding": "consensus.check_consensus",
    "check_consensus": "consensus.check_consensus",
    "check_embedding": "diagnostics.embedding_check",
    "check_embeddings": "manifold.distance_matrices",
    "choose_embedding": "manifold.residual_variance",
    "class_triplet_accuracy": "consensus.strength",
    "classical_mds": "manifold.scaling",
    "cluster_scores": "clustering.clustering",
    "clustering_accuracy": "clustering.clustering",
    "consensus_clusters": "consensus.consensus_clustering",
    "create_embed": "consensus.consensus_steps",
    "dissimilarity_affinity": "manifold.dissimilarity_graph",
    "embedding_distances": "consensus.stability",
    "embedding_strength": "consensus.strength",
    "expected_jaccard": "features.selection_stability",
    "feature_subsets": "consensus.consensus_steps",
    "fine_scores": "features.feature_importance",
    "fisher_scores": "features.feature_filters",
    "geometric_median": "consensus.geometric_median",
    "gini_scores": "features.feature_filters",
    "half_sample_mode": "consensus.modes",
    "haralick_features": "domains.texture",
    "hierarchical_clusters": "clustering.hierarchical_clustering",
    "hierarchical_clusters_many": "clustering.hierarchical_clustering",
    "jackknife_jaccard": "features.selection_stability",
    "knn_ensemble": "features.nearest_neighbors",
    "kuncheva_index": "features.selection_stability",
    "learn_peak_windows": "domains.peak_integration",
    "lle_embeddings": "manifold.lle",
    "locally_linear_embedding": "manifold.lle",
    "mean_jaccard": "features.selection_stability",
    "mean_shift_objects": "clustering.mean_shift",
    "median_consensus": "consensus.median_consensus_embedding",
    "nearest_items": "domains.retrieval",
    "neighborhood_preservation": "consensus.stability",
    "normalize_embeddings": "manifold.distance_matrices",
    "normalized_scores": "features.feature_importance",
    "nystroem_extension": "manifold.nystroem",
    "peak_areas": "domains.peak_integration",
    "precision_recall_areas": "domains.retrieval",
    "prepare_genes": "domains.gene_preparation",
    "procrustes_align": "consensus.stability",
    "r_squared_index": "clustering.clustering",
    "read_expression": "readers.expression",
    "read_items": "readers.item_table",
    "read_own_study": "readers.spectra",
    "read_split": "readers.expression",
    "replicated_kmeans": "clustering.clustering",
    "residual_variances": "manifold.residual_variance",
    "retrieval_scores": "domains.retrieval",
    "run_embeddings": "consensus.runs",
    "sel_embed": "consensus.consensus_steps",
    "shape_distances": "domains.shape_distance",
    "smacof": "manifold.scaling",
    "t_scores": "features.feature_filters",
    "t_statistics": "domains.gene_preparation",
    "texture_features": "domains.texture",
    "top_features": "features.feature_importance",
    "use_portable_arithmetic": "utils.arithmetic",
    "vip_scores": "features.feature_importance",
    "vote_labels": "domains.retrieval",
    "z_scores": "domains.peak_integration",
    "zakian_ratio": "domains.peak_integration",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)


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

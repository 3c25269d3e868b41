"""
Consensus embeddings: stable low-dimensional embeddings from many unstable ones.

Every public name can be imported from here; modules are loaded when first used.
"""

from importlib import import_module

_EXPORTS = {
    "ConsensusEmbedding": "consensus_embedding",
    "ConsensusLLE": "consensus_lle",
    "ExactTSNE": "embeddings.tsne",
    "FeatureImportanceInEmbeddings": "feature_importance",
    "GraphEmbedding": "embeddings.graph_embedding",
    "KernelEmbedding": "embeddings.kernel_embedding",
    "MedianConsensus": "median_consensus_embedding",
    "MedianConsensusEmbedding": "median_consensus_embedding",
    "NystroemGraphEmbedding": "out_of_sample",
    "SemiSupervisedGraphEmbedding": "out_of_sample",
    "SpectraStudy": "datasets.spectra",
    "aggregate_score": "feature_importance",
    "approximation_error": "nystroem",
    "calc_cons_embed": "consensus_steps",
    "choose_embedding": "residual_variance",
    "class_triplet_accuracy": "strength",
    "classical_mds": "scaling",
    "cluster_scores": "clustering",
    "clustering_accuracy": "clustering",
    "consensus_clusters": "consensus_clustering",
    "create_embed": "consensus_steps",
    "dissimilarity_affinity": "dissimilarity_graph",
    "embedding_distances": "stability",
    "embedding_strength": "strength",
    "expected_jaccard": "selection_stability",
    "feature_subsets": "consensus_steps",
    "fine_scores": "feature_importance",
    "fisher_scores": "feature_filters",
    "geometric_median": "median_consensus_embedding",
    "gini_scores": "feature_filters",
    "half_sample_mode": "modes",
    "haralick_features": "texture",
    "hierarchical_clusters": "hierarchical_clustering",
    "hierarchical_clusters_many": "hierarchical_clustering",
    "jackknife_jaccard": "selection_stability",
    "knn_ensemble": "nearest_neighbors",
    "kuncheva_index": "selection_stability",
    "learn_peak_windows": "peak_integration",
    "lle_embeddings": "embeddings.lle",
    "locally_linear_embedding": "embeddings.lle",
    "mean_jaccard": "selection_stability",
    "mean_shift_objects": "mean_shift",
    "median_consensus": "median_consensus_embedding",
    "nearest_items": "retrieval",
    "neighborhood_preservation": "stability",
    "normalized_scores": "feature_importance",
    "nystroem_extension": "nystroem",
    "peak_areas": "peak_integration",
    "precision_recall_areas": "retrieval",
    "prepare_genes": "gene_preparation",
    "procrustes_align": "stability",
    "r_squared_index": "clustering",
    "read_expression": "datasets.expression",
    "read_items": "datasets.item_table",
    "read_own_study": "datasets.spectra",
    "read_split": "datasets.expression",
    "replicated_kmeans": "clustering",
    "residual_variances": "residual_variance",
    "retrieval_scores": "retrieval",
    "sel_embed": "consensus_steps",
    "shape_distances": "shape_distance",
    "smacof": "scaling",
    "t_scores": "feature_filters",
    "t_statistics": "gene_preparation",
    "texture_features": "texture",
    "top_features": "feature_importance",
    "use_portable_arithmetic": "arithmetic",
    "vip_scores": "feature_importance",
    "z_scores": "peak_integration",
    "zakian_ratio": "peak_integration",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)


def __dir__() -> list[str]:
    return __all__

"""Methods of the experiments, as the metrics name them, in words; apart, since tables and figures need no more."""

# Experiments on images (viswanath2012).
PAPER_METHODS = {
    "features": "features (F)",
    "mds": "MDS",
    "graph_embedding": "GE",
    "consensus": "consensus GE",
}
CONTROLS = {
    "consensus_strict": "consensus GE, strict threshold",
    "consensus_strict_unlabelled": "consensus GE, strict, without labels (R²)",
    "consensus_strict_learnt": "consensus GE, strict, learnt on other slices",
    "raw_strict": "consensus of the same subsets, no GE",
    "best_single": "best single embedding, same labels",
    "best_single_learnt": "best single embedding, learnt on other slices",
    "intensity": "raw intensity",
    "features_of_pixels": "features of all pixels",
    "random": "random embedding",
}
METHODS = PAPER_METHODS | CONTROLS
DETECTORS = {
    "graph_embedding": "GE",
    "consensus": "consensus GE",
    "consensus_strict": "consensus GE, strict threshold",
    "best_single_learnt": "best single embedding of the training slices",
    "intensity": "raw intensity",
    "nothing": "no pixel is cancer",
}

# Experiments on gene expression (viswanath2012).
REDUCTIONS = {"graph_embedding": "ge", "pca": "pca"}
# Strength of an embedding -> its short name: with labels (S) and without (US), as in the paper.
STRENGTHS = {"supervised": "s", "unsupervised": "us"}
GENE_PAPER_METHODS = {
    "consensus_pca_s": "consensus PCA, S",
    "consensus_ge_s": "consensus GE, S",
    "consensus_pca_us": "consensus PCA, US",
    "consensus_ge_us": "consensus GE, US",
    "ssage": "SSAGE",
    "knn_ensemble": "kNN ensemble of features (F)",
}
# The two that carry over from the training to the test split, both splits measured by the training split: scaled each
# by itself, the splits are shifted against each other where the shares of the classes differ.
BASELINES_SCALED = {
    "ssage_scaled": "SSAGE, scaled by training",
    "knn_ensemble_scaled": "kNN ensemble, scaled by training",
}
SINGLE_METHODS = {"graph_embedding": "GE", "pca": "PCA"}
GENE_METHODS = {
    **GENE_PAPER_METHODS,
    **BASELINES_SCALED,
    **SINGLE_METHODS,
    "consensus_pca_s_strict": "consensus PCA, S, strict",
    "consensus_ge_s_strict": "consensus GE, S, strict",
    "consensus_pca_us_strict": "consensus PCA, US, strict",
    "consensus_ge_us_strict": "consensus GE, US, strict",
    "best_trained_pca": "best single PCA by training labels",
    "best_trained_ge": "best single GE by training labels",
    "best_single_pca": "best single PCA by test labels",
    "best_single_ge": "best single GE by test labels",
    "consensus_subsets": "consensus of the same subsets, no DR",
    "features": "features, clustered",
    "ssage_test_only": "SSAGE, test samples clustered alone",
    "random_genes": "random genes, clustered",
    "random_embedding": "random embedding, clustered",
    "majority": "majority class of the test split",
}
# Methods without draws of subsets: the same in every repetition.
FIXED = ("ssage", "ssage_scaled", "ssage_test_only", "features", *SINGLE_METHODS, "majority")
# The representations of the paper's Fig. 6, in its order.
VIEWS = ("ssage", "consensus_pca_s", "consensus_ge_s", "consensus_pca_us", "consensus_ge_us")

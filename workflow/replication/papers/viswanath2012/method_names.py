"""Methods of the experiments, as the metrics name them, in words; apart, since tables and figures need no more."""

# Experiments on images (viswanath2012).
PAPER_METHODS = {
    "features": "features (F)",
    "mds": "MDS",
    "graph_embedding": "GE",
    "consensus": "consensus GE",
}
# The consensus under other readings of theta = 0.15 x max.
READINGS = {
    "literal": "as printed",
    "within": "within theta of the best",
    "strongest": "strongest share theta",
    "chance_corrected": "theta above chance",
    "absolute": "above theta itself",
}
# The readings of theta = 0.15 that exclude embeddings. Claims are judged by them in addition to the printed one.
SELECTING = ("within", "strongest", "chance_corrected")


def method_of_reading(reading: str) -> str:
    """Name of the consensus under a reading of theta; that of the reading as printed is the paper's."""
    return "consensus" if reading == "literal" else f"consensus_{reading}"


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
# The paper's four methods, then the controls.
METHODS = PAPER_METHODS | CONTROLS
# Under a reading that selects, by the votes of training slices or by the mean strength in them.
SELECTED = {method_of_reading(reading): f"consensus GE, {READINGS[reading]}" for reading in SELECTING}
BY_MEAN = {f"{method}_by_mean": f"{name}, by mean strength" for method, name in SELECTED.items()}
DETECTORS = {
    "graph_embedding": "GE",
    "consensus": "consensus GE",
    "consensus_strict": "consensus GE, strict threshold",
    **SELECTED,
    **BY_MEAN,
    "best_single_learnt": "best single embedding of the training slices",
    "intensity": "raw intensity",
    "nothing": "no pixel is cancer",
}

# The toy image, and the measures of theory_monotone.
TOY_METHODS = {
    "k_means": "k-means of RGB",
    "graph_embedding": "GE of RGB",
    "consensus": "consensus of R-G and R-B",
    "consensus_all_pairs": "consensus of all pairs",
    "consensus_features": "consensus of R-G and R-B, no GE",
    "red_green": "GE of R-G alone",
    "red_blue": "GE of R-B alone",
    "green_blue": "GE of G-B alone",
}
MEASURES = {
    "strength": "strength",
    "class_triplet_accuracy": "class triplets",
    "clustering_accuracy": "two clusters",
    "r_squared_index": "R² index",
}

# Experiments on gene expression (viswanath2012).
REDUCTIONS = {"graph_embedding": "ge", "pca": "pca"}
# Strength of an embedding -> its short name: with labels (S) and without (US), as in the paper.
STRENGTHS = {"supervised": "s", "unsupervised": "us"}
SINGLE_METHODS = {"graph_embedding": "GE", "pca": "PCA"}
# Short name and name of each reduction, in the order of the paper's tables.
_SHORT = {short: SINGLE_METHODS[reduction] for reduction, short in reversed(REDUCTIONS.items())}
_CONSENSUS = {
    f"consensus_{short}_{mark}": f"consensus {name}, {mark.upper()}"
    for mark in STRENGTHS.values()
    for short, name in _SHORT.items()
}
GENE_PAPER_METHODS = {
    **_CONSENSUS,
    "ssage": "SSAGE",
    "knn_ensemble": "kNN ensemble of features (F)",
}
# The two that carry over from the training to the test split, both splits measured by the training split: scaled each
# by itself, the splits are shifted against each other where the shares of the classes differ.
BASELINES_SCALED = {
    "ssage_scaled": "SSAGE, scaled by training",
    "knn_ensemble_scaled": "kNN ensemble, scaled by training",
}
GENE_METHODS = {
    **GENE_PAPER_METHODS,
    **BASELINES_SCALED,
    **SINGLE_METHODS,
    **{f"{method}_strict": f"{name}, strict" for method, name in _CONSENSUS.items()},
    **{f"best_trained_{short}": f"best single {name} by training labels" for short, name in _SHORT.items()},
    **{f"best_single_{short}": f"best single {name} by test labels" for short, name in _SHORT.items()},
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

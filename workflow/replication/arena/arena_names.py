"""Names of the methods of the arena, and those that the rule treats in a way of their own."""

CONTROL, SINGLE, MEDOID = "random_embedding", "random_run", "medoid_run"
# As metrics and tables call them, and as the figure does.
METHOD_NAMES = {
    "geometric_median": "geometric median (MCE)",
    "mean": "mean of distances",
    "pairwise_median": "pairwise median",
    "pairwise_mode": "pairwise mode (C-LLE)",
    "procrustes_mean": "Procrustes mean",
    "stacked_pca": "stacked PCA",
    "indscal": "INDSCAL",
    "co_association": "co-association",
    "network_fusion": "network fusion (SNF)",
    "meta_visualization": "meta-visualization",
    MEDOID: "medoid run",
    SINGLE: "random run",
    CONTROL: "random embedding",
}

"""Ways to combine runs, as the metrics name them, in words."""

from __future__ import annotations

# Ways to combine runs (tomo2025).
COMBINATIONS = {
    "geometric_median": "geometric median (MCE)",
    "mean": "arithmetic mean",
    "pairwise_median": "median per pair",
    "pairwise_mode": "mode per pair",
    "medoid": "medoid run",
    "lowest_kl": "run of lowest loss",
    "single": "single run",
    "pca_start": "single run, PCA start",
    "multiscale": "single run, multiscale t-SNE",
    "random": "random points",
}

"""Made-up metrics of the experiments on genes in which every published claim holds; changes move what they name."""

from itertools import product

import numpy as np
import pandas as pd
from replication.papers.viswanath2012 import (
    gene_expression,
    intrinsic_dimension,
    m_sensitivity,
    theory_monotone,
    theta_sensitivity,
)
from replication.shared.tidy import Metrics

SETS = ["leukemia", "lung", "breast", "prostate"]
UNCHANGED = {}
THETAS, NUMBERS = (0.15, 0.5, 0.8, 0.9, 0.95), (1, 2, 5, 10, 20, 50, 100)
DRAWS = np.array([-0.01, 0.0, 0.01])
# Mean accuracy of each method: SSAGE and the ensemble of neighbours below every consensus, singles between.
LEVELS = {
    "ssage": 0.60,
    "ssage_scaled": 0.61,
    "knn_ensemble": 0.65,
    "knn_ensemble_scaled": 0.66,
    "graph_embedding": 0.70,
    "pca": 0.72,
    "best_single_ge": 0.75,
    "best_single_pca": 0.76,
    "consensus_ge_s": 0.80,
    "consensus_pca_s": 0.80,
    "consensus_ge_us": 0.805,
    "consensus_pca_us": 0.805,
}
CONSENSUS = [method for method in LEVELS if method.startswith("consensus")]


def expression(names, source, changes, draws):
    tables = []
    for name in names:
        metrics = Metrics("gene_expression", name, source, gene_expression.CONDITIONS)
        for variant, (method, level) in product(("main", "log transform"), LEVELS.items()):
            level = changes.get((name, method), level)
            # Under another variant, or of one class alone, everything is the other way round.
            level = level if variant == "main" else 1 - level
            for r in range(draws):
                spread = (2 if method.endswith("_us") else 1) * DRAWS[r % 3] * (method in CONSENSUS)
                metrics.add(method, "accuracy", level + spread, r, variant=variant)
                metrics.add(method, "silhouette", level / 2 + spread, r, variant=variant)
                metrics.add(method, "false_positive_rate", 1 - level + spread, r, variant=variant)
                metrics.add(method, "false_negative_rate", level + spread, r, variant=variant)
                for one in ("ADCA", "Mesothelioma"):
                    metrics.add(method, "silhouette", 1 - level, r, **{"variant": variant, "class": one})
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def sensitivity(names=SETS, source="original", changes=UNCHANGED, draws=3, sizes=(200, 500, 1000)):
    tables = []
    for k, name in enumerate(names):
        metrics = Metrics("m_sensitivity", name, source, m_sensitivity.CONDITIONS)
        for method, m, r in product(CONSENSUS, sizes, range(draws)):
            # GE wins every second data set.
            win = 0.05 * (1 if (k % 2 == 0) == ("ge" in method) else -1)
            win = changes["ge wins"] * ("ge" in method) if "ge wins" in changes else win
            moved = changes.get("over M", 0.0001) * m / 1000 + changes.get("selection", 0.001) * ("_us" in method)
            value = 0.8 + 0.01 * k + win + moved + DRAWS[r % 3]
            metrics.add(method, "accuracy", value, r, n_embeddings=m)
            metrics.add(method, "balanced_accuracy", value - 0.05, r, n_embeddings=m)
            metrics.add(method, "n_selected", m - 10 * ("_us" in method) - r, r, n_embeddings=m)
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def scatter(changes, draw):
    """What a draw adds to correlations and slopes: a little, or as much as there is the other way."""
    return changes.get("scatter", 0.001) * (-1) ** draw


def image_thresholds():
    """Rows of images of theta_sensitivity."""
    metrics = Metrics("theta_sensitivity", "brainweb", "original", theta_sensitivity.CONDITIONS)
    for noise in (1, 9):
        at = {"kind": "images", "noise": noise, "inhomogeneity": 0, "slice": 60, "draw": 0}
        metrics.add("graph_embedding", "accuracy", 0.9, **at)
        for r in range(2):
            for theta in (0.15, 0.9):
                metrics.add("consensus", "accuracy", theta + 0.01 * r, r, theta=theta, **at)
                metrics.add("consensus", "n_selected", 10 - r, r, theta=theta, **at)
            for k in (1, 10):
                metrics.add("consensus_of_k", "accuracy", 0.6 + 0.01 * k, r, n_selected=k, **at)
    return metrics.table()


def gene_thresholds(names=SETS, source="original", changes=UNCHANGED, draws=3):
    """Rows of genes of theta_sensitivity."""
    tables = []
    for (k, name), reduction in product(enumerate(names), ("graph_embedding", "pca")):
        metrics = Metrics("theta_sensitivity", name, source, theta_sensitivity.CONDITIONS)
        at = {"kind": "genes", "reduction": reduction}
        # No two are alike, so that tables and figures can be seen to tell them apart.
        level = 0.7 + 0.01 * k + 0.005 * (reduction == "pca")
        metrics.add("single", "accuracy", level, **at)
        for r in range(draws):
            for theta, strength in product(THETAS, ("supervised", "unsupervised")):
                value = level + 0.1 + 0.002 * (strength == "supervised") + DRAWS[r % 3]
                value += changes.get(("over theta", strength), 0.0001) * theta
                here = {**at, "strength": strength, "theta": theta}
                metrics.add("consensus", "accuracy", value, r, **here)
                metrics.add("consensus", "balanced_accuracy", value - 0.04, r, **here)
                metrics.add("consensus", "n_selected", round(1000 * (1 - max(theta - 0.5, 0) * 2)) - r, r, **here)
            slope = changes.get((name, "gain"), 0.02) + 0.002 * (reduction == "pca") + scatter(changes, r)
            for n in NUMBERS:
                # The spread at both ends, least at 10, leaves the slope as it is.
                spread = changes.get("spread", 0.5) * DRAWS[r % 3] * abs(np.log10(n / 10))
                value = level + slope * np.log(n) + spread
                metrics.add("consensus_of_k", "accuracy", value, r, n_selected=n, **at)
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def thresholds(*given):
    return pd.concat([image_thresholds(), gene_thresholds(*given)], ignore_index=True)


def monotone(names, source="original", changes=UNCHANGED, draws=3):
    tables = []
    rows = [("simulated_objects", "simulated", "noise", -0.9), ("brainweb", "original", "real", -0.8)]
    rows += [(name, source, "genes", changes.get((name, "spearman"), 0.95)) for name in names]
    for name, origin, series, value in rows:
        metrics = Metrics("theory_monotone", name, origin, theory_monotone.CONDITIONS)
        repetitions = enumerate(("graph_embedding", "pca") if series == "genes" else (0, 1, 2))
        for (k, repetition), r in product(repetitions, range(draws)):
            at = {"series": series, "compared_with": "clustering_accuracy", "draw": r}
            metrics.add("strength", "spearman", value + 0.02 * k + scatter(changes, r), repetition, **at)
            metrics.add("class_triplet_accuracy", "spearman", -0.5, repetition, **at)
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def dimensions(names, source="original", changes=UNCHANGED, draws=3):
    metrics = Metrics("intrinsic_dimension", "brainweb", "original", intrinsic_dimension.CONDITIONS)
    for space, noise, z in product(("pixels", "objects"), (1, 9), (60, 90)):
        at = {"space": space, "noise": noise, "inhomogeneity": 0, "slice": z}
        metrics.add("levina_bickel", "intrinsic_dimension", 8 + 0.1 * noise + 0.01 * z, **at)
    tables = [metrics.table()]
    for name in names:
        metrics = Metrics("intrinsic_dimension", name, source, intrinsic_dimension.CONDITIONS)
        metrics.add("levina_bickel", "intrinsic_dimension", changes.get((name, "d"), 4.5), space="genes")
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


MAKERS = {
    "gene_expression": expression,
    "m_sensitivity": sensitivity,
    "theta_sensitivity": thresholds,
    "theory_monotone": monotone,
    "intrinsic_dimension": dimensions,
}

"""Where it is known which features matter: does FINE rank them first, and as permutation importance does?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from consensus_embedding.features.feature_importance import top_features
from consensus_embedding.utils.seeds import stream, stream_seed
from joblib import delayed
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from replication.data.planted_features import simulate_planted_features
from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016.experiments.planted_features import PlantedStudy
from replication.papers.ginsburg2016.feature_classifiers import areas_under_curve, standardization
from replication.papers.ginsburg2016.feature_rounds import feature_scores
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

EXPERIMENT = "planted_features"
CONDITIONS = ["structure", "effect", "nuisance", "n_samples"]
_TREES = 100
_SHUFFLES = 5


def run(parameters: PlantedStudy, settings: FeatureSettings, work: Work = QUIET) -> pd.DataFrame:
    """Score every ranking against the truth, and against permutation importance."""
    plan = [
        {"structure": structure, "effect": effect, "nuisance": nuisance}
        for structure in parameters.structures
        for effect in parameters.effects
        for nuisance in parameters.nuisance_scales
    ]
    jobs = [
        delayed(_score_draw)(parameters, settings, cell, work.seed, draw)
        for cell in plan
        for draw in range(parameters.draws)
    ]
    metrics = Metrics(EXPERIMENT, "planted", "simulated", CONDITIONS)
    for k, rows in enumerate(results_of(jobs, work.threads, work.progress(len(jobs), "data sets"))):
        cell, draw = plan[k // parameters.draws], k % parameters.draws
        for method, metric, value in rows:
            metrics.add(method, metric, value, draw, n_samples=parameters.n_samples, **cell)
    return metrics.table()


def rankings(table: FeatureSet, settings: FeatureSettings, seed: int) -> dict[str, np.ndarray]:
    """Scores of the features by every method, the higher the more important."""
    X, y = table.training_part()
    shift, scale = standardization(X) if settings.scaling == "standard" else (0.0, 1.0)
    # Of the features in their units: standardised, all have the variance 1.
    variance, X = X.var(axis=0), (X - shift) / scale
    others, truth = table.validation_part()
    scores = feature_scores(X, y, settings)
    scores["variance"] = variance
    scores["random"] = stream(seed, "random ranking").random(X.shape[1])
    forest = RandomForestClassifier(_TREES, random_state=seed).fit(X, y)
    scores["permutation"] = permutation_importances(
        forest, (others - shift) / scale, truth, stream(seed, "permutation"), n_shuffles=_SHUFFLES
    )
    return scores


def permutation_importances(
    forest: RandomForestClassifier, X: np.ndarray, y: np.ndarray, generator: np.random.Generator, *, n_shuffles: int
) -> np.ndarray:
    """
    Mean loss of area under the ROC curve when the values of a feature are shuffled (Breiman 2001).

    As `sklearn.inspection.permutation_importance`, which asks the forest once per feature and shuffle; here it is asked
    once per shuffle.
    """
    n, m = X.shape
    positive = y == 1
    losses = np.zeros(m)
    base = areas_under_curve(forest.predict_proba(X)[None, :, 1], positive)[0]
    for _ in range(n_shuffles):
        copies = np.repeat(X[None], m, axis=0)
        for feature in range(m):
            copies[feature, :, feature] = X[generator.permutation(n), feature]
        scores = forest.predict_proba(copies.reshape(-1, m))[:, 1].reshape(m, n)
        losses += base - areas_under_curve(scores, positive)
    return losses / n_shuffles


def _score_draw(
    parameters: PlantedStudy, settings: FeatureSettings, cell: Mapping, seed: int, draw: int
) -> list[tuple[str, str, float]]:
    sizes = ("n_samples", "n_validation", "n_features", "n_informative", "n_redundant", "n_nuisance")
    plan = parameters.only(*sizes)
    plan |= {"structure": cell["structure"], "effect": cell["effect"], "nuisance_scale": cell["nuisance"]}
    table = simulate_planted_features(plan, seed, draw)
    by_method = rankings(table, settings, stream_seed(seed, EXPERIMENT, *cell.values(), draw))
    n_relevant = int(table.truth.sum())
    rows = []
    for method, scores in by_method.items():
        # An infinite score, of a feature that parts the classes without any spread, stays the highest.
        finite = np.nan_to_num(scores, posinf=np.finfo(float).max)
        rows.append((method, "ranking_auc", float(roc_auc_score(table.truth, finite))))
        rows.append((method, "precision", float(table.truth[top_features(scores, n_relevant)].mean())))
        # Nothing correlates with an importance of 0 throughout, as of a forest that has learnt nothing.
        if method != "permutation" and np.ptp(by_method["permutation"]) > 0:
            rows.append((method, "correlation", float(spearmanr(finite, by_method["permutation"]).statistic)))
    return rows

"""Made-up metrics of the experiments on FINE, in the form in which they are written."""

import itertools

import numpy as np
import pandas as pd
from consensus_embedding import kuncheva_index, mean_jaccard
from fine_world import DIMENSIONS, PATHOLOGY
from replication.papers.ginsburg2016 import feature_rounds, planted_features, survival
from replication.papers.ginsburg2016.fine_metrics import AUC_ONE_FACTOR, CONTROLS, EMBEDDINGS, FILTERS, FINE
from replication.shared.tidy import Metrics

CLASSIFIERS = ("logistic_regression", "svm", "random_forest")
COUNTS = (1, 2, 5, 10, 20, 30)
VARIANTS = ("form of the score as printed", "smallest residual variance", "all samples in each round")
N_FEATURES = 60
# Noise of the scores by method: the more, the less stable. Random draws rank anew each round.
NOISE = dict(zip((*FINE, *FILTERS, *CONTROLS), (0.1, 0.3, 0.5, 0.8, 1.2, 2.0, 0.6, 0.05, 1e6), strict=True))
# Level of the AUC, and mean h by reduction.
LEVELS = dict(zip((*FINE, *FILTERS, *CONTROLS, *EMBEDDINGS), 0.5 + 0.02 * np.arange(13)[::-1], strict=True))
SOURCES = dict.fromkeys(DIMENSIONS, "original") | {"gisette": "original with validation set halved"}


def rankings(rng, base, noise, rounds):
    """Features by score, best first, a row per round."""
    return np.argsort(-(base + noise * rng.normal(size=(rounds, len(base)))), axis=1, kind="stable")


def add_selection(metrics, rng, at, rounds, counts, noise=1.0, lift=0.0):
    """AUC and stability of all methods under one condition; variants have no controls and no round left out."""
    base = 2 * rng.normal(size=N_FEATURES)
    for method in (*FINE, *FILTERS, *(() if at["variant"] else CONTROLS)):
        found = rankings(rng, base, noise * NOISE[method], rounds)
        for k in [5] if method in CONTROLS else counts:
            here = {**at, "n_features": k}
            subsets = found[:, :k]
            metrics.add(method, "jaccard", mean_jaccard(subsets), **here)
            metrics.add(method, "kuncheva", kuncheva_index(subsets, N_FEATURES), **here)
            metrics.add(method, "jaccard_chance", k / (2 * N_FEATURES - k), **here)
            if k == 5 and not at["variant"]:
                for r in range(rounds) if rounds > 2 else ():
                    metrics.add(method, "jaccard_left_out", mean_jaccard(np.delete(subsets, r, axis=0)), r, **here)
                if method not in CONTROLS:
                    votes = np.bincount(subsets.ravel(), minlength=N_FEATURES)
                    for j in [j for j in np.argsort(-votes, kind="stable")[:10] if votes[j]]:
                        metrics.add(method, "votes", votes[j], feature=f"feature {j + 1}", **here)
            add_auc(metrics, rng, method, rounds, here, lift + 0.02 * np.log(k))


def add_auc(metrics, rng, method, rounds, at, lift):
    for c, classifier in enumerate(CLASSIFIERS[: 2 if at["variant"] else 3]):
        values = LEVELS[method] + lift + 0.02 * c + rng.normal(0, 0.02, rounds)
        for r, value in enumerate(np.clip(values, 0, 1)):
            metrics.add(method, "auc", value, r, classifier=classifier, **at)


def add_embeddings(metrics, rng, at, rounds, dimensions, lift=0.0):
    """AUC of the embedding vectors and the parameters that were chosen."""
    for method, h in zip(EMBEDDINGS, dimensions, strict=True):
        add_auc(metrics, rng, method, rounds, at, lift)
        for r in range(rounds):
            metrics.add(method, "n_components", max(1, round(h * rng.lognormal(0, 0.3))), r, **at)
            metrics.add(method, "residual_variance", rng.uniform(0.02, 0.2), r, **at)
            if method != "embedding_pca":
                metrics.add(method, "n_neighbors", int(rng.integers(3, 31)), r, **at)
                metrics.add(method, "n_disconnected", int(rng.integers(0, 5)), r, **at)
            if method == "embedding_le":
                metrics.add(method, "alpha", rng.choice([0.1, 1, 10]), r, **at)


def one_set(experiment, name, source, rounds=6, cohorts=None, counts=COUNTS, variants=VARIANTS, seed=0):
    """One data set of feature_selection, or of pathology where cohorts are told."""
    metrics = Metrics(experiment, name, source, feature_rounds.CONDITIONS)
    rng = np.random.default_rng([seed, len(name), ord(name[-1])])
    dimensions = DIMENSIONS.get(name, (5, 5, 6, 12))
    for cohort in [""] if cohorts is None else range(cohorts):
        for k, variant in enumerate(("", *variants)):
            at = {"cohort": cohort, "variant": variant}
            changed = {"noise": (1, 2, 0.5, 1e-9)[k], "lift": (0, -0.03, 0.02, 0)[k]}
            # Variants are run with fewer rounds.
            n = max(2, rounds // 2) if variant else rounds
            add_selection(metrics, rng, at, n, [5] if variant else counts, **changed)
            add_embeddings(metrics, rng, at, n, dimensions, changed["lift"])
    table = metrics.table()
    vectors = table[table["method"].isin(EMBEDDINGS) & (table["metric"] == "auc") & (table["variant"] == "")]
    other = vectors.assign(metric=AUC_ONE_FACTOR, value=vectors["value"] + 0.01)
    return pd.concat([table, other], ignore_index=True)


def selection_metrics(datasets=SOURCES, **options):
    tables = [one_set("feature_selection", name, source, **options) for name, source in dict(datasets).items()]
    return pd.concat(tables, ignore_index=True)


def pathology_metrics(datasets=PATHOLOGY, cohorts=3, **options):
    tables = [one_set("pathology", name, source, cohorts=cohorts, **options) for name, source in dict(datasets).items()]
    return pd.concat(tables, ignore_index=True)


def add_curves(metrics, times, events, high, at, method):
    """Curves of both groups of one partition."""
    for group, inside in (("low", ~high), ("high", high)):
        here = {**at, "group": group}
        for time, values in survival.kaplan_meier(times[inside], events[inside]).iterrows():
            for metric, value in values.dropna().items():
                metrics.add(method, metric, value, 0, months=time, **here)
        metrics.add(method, "n_events", int(events[inside].sum()), 0, **here)
        ended, counts = np.unique(times[inside & ~events], return_counts=True)
        for time, value in zip(ended, counts, strict=True):
            metrics.add(method, "censored", int(value), 0, months=time, **here)


def survival_metrics(partitions=20, cohorts=("all", "44"), name="prognostic", source="public-substitute", seed=1):
    """The first methods tell the groups apart, the control does not; without cross-fitting all do better."""
    rng = np.random.default_rng(seed)
    metrics = Metrics("survival", name, source, survival.CONDITIONS)
    metrics.add("all", "n_samples", 198)
    metrics.add("all", "n_events", 47)
    for cohort, (k, method) in itertools.product(cohorts, enumerate((*FINE, *FILTERS, "random"))):
        n = 198 if cohort == "all" else int(cohort)
        for fit, partition in itertools.product(("cross-fitted", "same patients"), range(partitions)):
            at = {"fit": fit, "cohort": cohort}
            strength = 0 if method == "random" else 3 - 0.3 * k + (fit == "same patients") - (n < 100)
            metrics.add(method, "log_rank_p", 10 ** -max(strength * rng.uniform(0.2, 1.2), 0), partition, **at)
            metrics.add(method, "risk_difference", 0.06 * strength + rng.normal(0, 0.03), partition, **at)
            metrics.add(method, "auc", 0.5 + 0.04 * strength + rng.normal(0, 0.01), partition, **at)
            metrics.add(method, "n_low", n // 2, partition, **at)
            metrics.add(method, "n_high", n - n // 2, partition, **at)
            if partition == 0:
                high = np.arange(n) >= n // 2
                times = rng.exponential(np.where(high, 60, 140)).round() + 1
                limit = rng.uniform(20, 125, n).round()
                add_curves(metrics, np.minimum(times, limit), times <= limit, high, at, method)
    return metrics.table()


def planted_metrics(structures=("shift", "parity", "curve"), effects=(0.5, 1, 2, 4), nuisances=(1, 10), samples=(100,),
                    draws=5):  # fmt: skip
    """Ranks get better with the effect; parity is seen by permutation importance alone."""
    rng = np.random.default_rng(3)
    metrics = Metrics("planted_features", "planted", "simulated", planted_features.CONDITIONS)
    methods = (*FINE, *FILTERS, *CONTROLS, "permutation")
    for structure, effect, nuisance, n, (k, method) in itertools.product(
        structures, effects, nuisances, samples, enumerate(methods)
    ):
        at = {"structure": structure, "effect": effect, "nuisance": nuisance, "n_samples": n}
        blind = method in CONTROLS or (structure == "parity" and method != "permutation")
        reach = 0 if blind else (0.5 - 0.02 * k) * (1 - np.exp(-effect))
        for draw in range(draws):
            area = float(np.clip(0.5 + reach + rng.normal(0, 0.02), 0, 1))
            metrics.add(method, "ranking_auc", area, draw, **at)
            metrics.add(method, "precision", max(2 * area - 1, 0.05), draw, **at)
            if method != "permutation":
                metrics.add(method, "correlation", 2 * area - 1.1, draw, **at)
    return metrics.table()

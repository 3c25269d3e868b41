"""Made-up metrics of the experiments on FINE in which every published claim holds, and in which a hook moves values."""

import itertools

import pandas as pd
from replication.papers.ginsburg2016.fine_metrics import CLASSIFIERS, CONTROLS, EMBEDDINGS, FILTERS, FINE, REDUCTIONS
from replication.shared.tidy import Metrics

CONDITIONS = ["variant", "cohort", "classifier", "n_features", "feature"]
SETS = {"madelon": "original", "arcene": "original", "dexter": "original", "gisette": "original"}
PATHOLOGY = dict.fromkeys(("s1", "s2", "s3", "s4"), "public-substitute")
COUNTS = (1, 5, 20, 300)
# As printed: the Jaccard index of FINE (PCA, Isomap, LE, LLE) and of t-test, Fisher score and Gini index.
JACCARD = {
    "madelon": (0.065, 0.06, 0.07, 0.22, 0.04, 0.04, 0.04),
    "arcene": (1.0,) * 7,
    "dexter": (0.05, 0.04, 0.03, 0.02, 0.13, 0.01, 0.39),
    "gisette": (0.1, 0.1, 0.99, 0.1, 0.43, 0.1, 0.43),
    "s1": (0.5, 0.28, 0.28, 0.34, 0.2, 0.2, 0.2),
    "s2": (0.91, 0.8, 0.7, 0.6, 0.2, 0.2, 0.2),
    "s3": (0.7, 0.7, 0.7, 0.7, 0.2, 0.2, 0.2),
    "s4": (0.22, 0.15, 0.16, 0.22, 0.05, 0.3, 0.05),
}
# Agreement with the other FINE: PCA, Isomap, LE, LLE.
AGREEMENT = (0.6, 0.1, 0.6, 0.6)
# The AUC of the same, and of the embedding vectors.
AUC = {
    "madelon": (0.6, 0.6, 0.6, 0.6, 0.55, 0.55, 0.55, 0.5, 0.5, 0.5, 0.5),
    "arcene": (0.5, 0.65, 0.65, 0.65, 0.74, 0.65, 0.74, 0.78, 0.6, 0.6, 0.6),
    "dexter": (0.53, 0.53, 0.53, 0.53, 0.53, 0.53, 0.9, 0.6, 0.6, 0.6, 0.6),
    "gisette": (0.94, 0.94, 0.94, 0.94, 0.92, 0.92, 0.92, 0.8, 0.8, 0.8, 0.8),
    "s1": (0.81, 0.81, 0.81, 0.81, 0.8, 0.8, 0.8, 0.7, 0.7, 0.7, 0.7),
    "s2": (0.75, 0.75, 0.75, 0.75, 0.65, 0.65, 0.65, 0.7, 0.7, 0.7, 0.7),
    "s3": (0.6, 0.6, 0.6, 0.6, 0.59, 0.59, 0.59, 0.6, 0.6, 0.6, 0.6),
    "s4": (0.6, 0.6, 0.6, 0.6, 0.61, 0.61, 0.61, 0.6, 0.6, 0.6, 0.6),
}
DIMENSIONS = {"madelon": (36, 4, 24, 1), "arcene": (15, 5, 40, 1), "dexter": (6, 2, 7, 19), "gisette": (6, 2, 14, 47)}
METHODS = (*FINE, *FILTERS, *EMBEDDINGS)


def unchanged(metric, dataset, method, at, value):
    return value


def moved(by, metric, methods, sets, **where):
    """Change that adds to a metric of methods on data sets where conditions hold; None leaves the rows out."""

    def change(found, dataset, method, at, value):
        met = all(at.get(key) in values for key, values in where.items())
        if found != metric or method not in methods or dataset not in sets or not met or value is None:
            return value
        return None if by is None else value + by

    return change


def together(*changes):
    def change(metric, dataset, method, at, value):
        for one in changes:
            value = one(metric, dataset, method, at, value)
        return value

    return change


def jitter(k, method, size=0.002):
    """Deviations over units with mean 0 over any four in a row, of another pattern for each method."""
    order = (*METHODS, *CONTROLS).index(method)
    return size * ((1.0, -1.0, 0.5, -0.5)[(k + order) % 4] + 0.1 * (1.0, 1.0, -1.0, -1.0)[(k + order // 4) % 4])


class World:
    """Rows of one data set; change(metric, dataset, method, at, value) moves what is to be moved, None leaves out."""

    def __init__(self, experiment, dataset, source, change):
        self.metrics = Metrics(experiment, dataset, source, CONDITIONS)
        self.dataset, self.change = dataset, change

    def add(self, method, metric, value, repetition="", **at):
        at = {"variant": "", "cohort": "", **at}
        moved = self.change(metric, self.dataset, method, {**at, "repetition": repetition}, value)
        if moved is not None:
            self.metrics.add(method, metric, moved, repetition, **at)

    def add_auc(self, repetition, k, base, counts, **at):
        for method, (c, classifier) in itertools.product(METHODS, enumerate(CLASSIFIERS)):
            for count in ("",) if method in EMBEDDINGS else counts:
                value = base[METHODS.index(method)] + 0.005 * (c - 1) - (0.01 if count in (1, 300) else 0)
                where = {"classifier": classifier, "n_features": count, **at}
                self.add(method, "auc", value + jitter(k, method), repetition, **where)

    def add_embeddings(self, repetition, dimensions, **at):
        for name, h in zip(REDUCTIONS, dimensions, strict=True):
            self.add(f"embedding_{name}", "n_components", h, repetition, **at)
            self.add(f"fine_{name}", "score_sum", 1.0, repetition, **at)
            self.add(f"fine_{name}", "share_of_five", 0.3, repetition, **at)


def selection(change=unchanged, sets=SETS, rounds=4, counts=COUNTS, shared=0.05):
    """Metrics of feature_selection."""
    tables = []
    for name, source in sets.items():
        world = World("feature_selection", name, source, change)
        like = name if name in JACCARD else "madelon"
        world.add("all", "n_round", 100)
        world.add("all", "shared", shared)
        for method, value in zip((*FINE, *FILTERS), JACCARD[like], strict=True):
            for count in counts:
                world.add(method, "jaccard", value if count == 5 else 0.5, n_features=count)
                world.add(method, "jaccard_chance", 0.01, n_features=count)
            world.add(method, "jaccard", 1.0, n_features=5, variant="all samples")
            for k in range(rounds):
                world.add(method, "jaccard_left_out", value + jitter(k, method, 0.001), k, n_features=5)
        world.add("variance", "jaccard", 1.0, n_features=5)
        for rank, name in enumerate(sorted(REDUCTIONS, key=lambda name: JACCARD[like][METHODS.index(f"fine_{name}")])):
            world.add(f"embedding_{name}", "embedding_stability", 0.5 + 0.1 * rank)
        for first, second in itertools.combinations((*FINE, *FILTERS), 2):
            world.add(f"{first}-{second}", "agreement_pair", 0.1, n_features=5)
        for k in range(rounds):
            world.add_auc(k, k, AUC[like], counts)
            world.add_embeddings(k, DIMENSIONS[like])
            for method in (*FINE, *FILTERS, *CONTROLS):
                redundant = 0.1 if method == "random" else 0.5
                world.add(method, "redundancy", redundant + 0.02 * list(JACCARD).index(like), k, n_features=5)
        tables.append(world.metrics.table())
    return pd.concat(tables, ignore_index=True)


def pathology(change=unchanged, sets=PATHOLOGY, cohorts=4, rounds=2, counts=(3, 5), shared=0.1):
    """Metrics of pathology."""
    tables = []
    for name, source in sets.items():
        world = World("pathology", name, source, change)
        like = name if name in JACCARD else "s1"
        world.add("all", "shared", shared)
        for cohort in range(cohorts):
            for (method, value), count in itertools.product(zip((*FINE, *FILTERS), JACCARD[like], strict=True), counts):
                value = value + jitter(cohort, method) if count == 5 else 0.5
                world.add(method, "jaccard", value, n_features=count, cohort=cohort)
            for method, reduction, value in zip(FINE, REDUCTIONS, AGREEMENT, strict=True):
                value = value + jitter(cohort, method)
                world.add(method, "agreement_fine", value, n_features=5, cohort=cohort)
                world.add(f"embedding_{reduction}", "n_components", 5, 0, cohort=cohort)
            for k in range(rounds):
                world.add_auc(k, cohort + k, AUC[like], counts, cohort=cohort)
        tables.append(world.metrics.table())
    return pd.concat(tables, ignore_index=True)


def survival(change=unchanged, cohorts=("all", "44"), partitions=4, name="prognostic", source="public-substitute"):
    """Metrics of survival."""
    metrics = Metrics("survival", name, source, ["fit", "cohort", "group", "months"])
    for fit, cohort, method, k in itertools.product(
        ("cross-fitted", "same patients"), cohorts, (*FINE, *FILTERS, "random"), range(partitions)
    ):
        at = {"fit": fit, "cohort": cohort}
        good = method in FINE
        p = (0.02 if good else 0.5) * (0.1 if fit == "same patients" else 1) * (1 + k / 10)
        for metric, value in (("log_rank_p", p), ("risk_difference", (0.1 if good else -0.1) + k / 100)):
            moved = change(metric, name, method, {**at, "repetition": k}, value)
            if moved is not None:
                metrics.add(method, metric, moved, k, **at)
    return metrics.table()


def metrics(change=unchanged, sets=SETS, others=PATHOLOGY):
    """Metrics of the three experiments."""
    return {
        "feature_selection": selection(change, sets),
        "pathology": pathology(change, others),
        "survival": survival(change),
    }

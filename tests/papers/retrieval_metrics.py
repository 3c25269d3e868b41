"""Made-up metrics and pictures of the experiments on out-of-sample embedding, in the form in which they are written."""

import itertools

import numpy as np
import pandas as pd
from replication.papers.sparks2011 import extrapolation_runtime
from replication.papers.sparks2011.retrieval_grid import CONDITIONS
from replication.shared.tidy import Metrics

SHARES = [k / 10 for k in range(1, 11)]
# Shares of training objects and of labels of a small study, and the cell where classes are told apart.
QUICK = ([0.3, 0.5, 0.8, 1.0], [0.3, 0.6, 0.9])
QUERY = (0.8, 0.6)
SCORES = ("si", "si_sums", "auprc", "auprc_queries")
SIZES = {"benign": 93, "grade_3": 748, "grade_4": 47}
# Source, sizes of the classes, and what the unsupervised embedding, all labels and the dissimilarity itself reach (SI
# and AUPRC).
SETS = {
    "swiss_roll": ("simulated", {"first half": 1000, "second half": 1000}, (0.12, 0.62), (0.78, 0.97), (0.05, 0.58)),
    "glands": ("simulated", SIZES, (0.1, 0.42), (0.55, 0.7), (0.12, 0.47)),
    "digits": ("public-substitute", {"one digit": 93, "other digits": 748, "rare digit": 47}, (0.2, 0.5), (0.6, 0.8),
               (0.15, 0.62)),
    "own_leaves": ("own", {"oak": 40, "elm": 25}, (0.1, 0.6), (0.5, 0.9), (0.1, 0.65)),
}  # fmt: skip
VARIANTS = {
    "swiss_roll": ("two components", "sum of Nystroem as printed", "similarity 1 outside the radius",
                   "eigenvectors times eigenvalues"),
    "glands": ("two components", "sum of Nystroem as printed", "a quarter of sigma", "size removed"),
    "digits": ("two components", "sum of Nystroem as printed"),
    "own_leaves": (),
}  # fmt: skip


def level(dataset, method, training, labelled, objects):
    """SI and AUPRC: labels lift training objects most; extrapolation nears the full embedding as training grows."""
    _, sizes, bare, full, raw = SETS[dataset]
    bare, full = np.array(bare), np.array(full)
    if method == "random":
        return np.array([-0.02, 1 / len(sizes)])
    if method == "dissimilarity":
        return np.array(raw)
    if method in ("ge", "nm_ge"):
        return bare - (0.15 * np.exp(-training / 0.25) if method == "nm_ge" and training < 1 else 0)
    if method == "ssge":
        return bare + (full - bare) * labelled
    if method == "recomputed":
        return bare + (full - bare) * labelled * training
    if objects == "all":
        inside, outside = (level(dataset, method, training, labelled, of) for of in ("training", "extrapolated"))
        return training * inside + (1 - training) * outside
    reached = bare + (full - bare) * labelled * (1 - 0.6 * np.exp(-training / 0.2) * (training < 1))
    return reached if objects == "training" else reached - 0.12


def groups(training):
    return ("all", "training") if training == 1 else ("all", "extrapolated", "training")


def add_scores(metrics, method, scores, draw, at):
    """Silhouette and AUPRC; where one class is large, averages over queries are higher."""
    si, area = scores
    sizes = np.array(list(SETS[metrics.fixed["dataset"]][1].values()))
    chance = ((sizes / sizes.sum()) ** 2).sum()
    of_queries = area + (chance - 1 / len(sizes)) * (1 - area) / (1 - 1 / len(sizes))
    for metric, value in zip(SCORES, (si, 0.8 * si, area, of_queries), strict=True):
        metrics.add(method, metric, value, draw, **at)


def add_cell(metrics, rng, draw, training, shares, at, lift=0.0):
    """Scores of all methods at one share of training objects, and errors of approximation."""
    dataset = metrics.fixed["dataset"]
    cases = [(method, "") for method in ("ge", "dissimilarity", "random", "nm_ge")]
    cases += itertools.product(("ssge", "ose_ssl", "recomputed"), shares)
    # Embeddings of all objects are the same at every share of training objects.
    of_draw = np.random.default_rng([draw, len(dataset)])
    fixed = ("ge", "dissimilarity", "random", "ssge")
    drawn = {case: (of_draw if case[0] in fixed else rng).normal(0, [0.012, 0.008]) for case in cases}
    for method, labelled in cases:
        # Of all objects extrapolation is the same as embedding.
        as_full = {"nm_ge": "ge", "ose_ssl": "ssge", "recomputed": "ssge"} if training == 1 else {}
        same = as_full.get(method, method)
        for objects in groups(training):
            scores = level(dataset, same, training, labelled, objects) + drawn[same, labelled]
            scores = scores + lift * (method in ("ose_ssl", "nm_ge"))
            add_scores(metrics, method, scores, draw, {**at, "training": training, "labelled": labelled,
                                                       "objects": objects})  # fmt: skip
    if training < 1:
        n = sum(SETS[dataset][1].values())
        for method, labelled in [case for case in cases if case[0] in ("nm_ge", "ose_ssl")]:
            here = {**at, "training": training, "labelled": labelled}
            relative = 0.02 + 0.5 * np.exp(-training / 0.2) + 0.05 * (labelled or 0) + rng.normal(0, 0.002)
            metrics.add(method, "error_relative", relative, draw, **here)
            l1_norm = n * training * (1 + 0.2 * (labelled or 0))
            for kind, zero in (("entries", 0.8 * (1 - training) / n), ("l1", 0.3 * (1 - training) / l1_norm)):
                metrics.add(method, f"error_{kind}", relative * zero, draw, **here)
                metrics.add("zero", f"error_{kind}", zero, draw, **here)
        pieces = 5 if training < 0.2 and dataset == "swiss_roll" else 1
        metrics.add("training_graph", "pieces", pieces, draw, **at, training=training)
        metrics.add("training_graph", "largest_piece", 0.4 if pieces > 1 else 1.0, draw, **at, training=training)
        metrics.add("training_graph", "isolated", 3 * (pieces - 1), draw, **at, training=training)


def add_query(metrics, rng, draw, at):
    """Counts among the first five and AUPRC by class, at the query cell."""
    dataset = metrics.fixed["dataset"]
    sizes = SETS[dataset][1]
    at = {**at, "training": QUERY[0], "objects": "extrapolated"}
    for name, size in sizes.items():
        share = size / sum(sizes.values())
        metrics.add("random", "same_of_first", 5 * share, draw, label=name, **at)
        metrics.add("random", "auprc", share + rng.normal(0, 0.002), draw, label=name, **at)
        for method, gain in (("dissimilarity", 0.2), ("nm_ge", 0.12), ("ose_ssl", 0.3)):
            here = {**at, "labelled": QUERY[1] if method == "ose_ssl" else "", "label": name}
            reached = share + gain * (1 - share) + rng.normal(0, 0.01)
            metrics.add(method, "same_of_first", 5 * reached, draw, **here)
            metrics.add(method, "auprc", reached - 0.02, draw, **here)


def grid_metrics(dataset, grid=(SHARES, SHARES), draws=5, separations=(0, 0.5, 1.5, 2), seed=0):
    """One data set as swiss_roll or gland_retrieval writes it, with variants, and for glands the sweep and regions."""
    source, sizes, *_ = SETS[dataset]
    experiment = "swiss_roll" if dataset == "swiss_roll" else "gland_retrieval"
    metrics = Metrics(experiment, dataset, source, CONDITIONS)
    metrics.add("all", "n_objects", sum(sizes.values()))
    for name, size in sizes.items():
        metrics.add("all", "n_label", size, label=name)
    metrics.add("all", "n_retrieved", 5)
    if dataset == "glands":
        metrics.add("all", "separation", 1)
    rng = np.random.default_rng(seed)
    main = {"variant": "", "separation": "", "split": "objects"}
    for draw in range(draws):
        for training in grid[0]:
            add_cell(metrics, rng, draw, training, grid[1], main)
        add_query(metrics, rng, draw, main)
        for k, variant in enumerate(VARIANTS[dataset]):
            at = {**main, "variant": variant}
            add_cell(metrics, rng, draw, QUERY[0], QUERY[1:], at, lift=(-0.04, -0.2, 0.03, 0.0)[k])
            add_query(metrics, rng, draw, at)
        if dataset == "glands":
            # The sweep holds the separation of the main run.
            for separation in sorted({*separations, 1} if separations else ()):
                at = {**main, "separation": separation}
                add_cell(metrics, rng, draw, QUERY[0], QUERY[1:], at, lift=0.1 * (separation - 1))
                add_query(metrics, rng, draw, at)
            for training in grid[0]:
                if training < 1:
                    add_cell(metrics, rng, draw, training, QUERY[1:], {**main, "split": "regions"}, lift=-0.04)
    table = metrics.table()
    return table.assign(**table[CONDITIONS].astype(object).fillna(""))


def gland_metrics(datasets=("glands", "digits"), **options):
    return pd.concat([grid_metrics(name, **options) for name in datasets], ignore_index=True)


def own_metrics(draws=4, classes=None):
    """Own items; their classes may have other names, of digits alone too."""
    return gland_metrics(("own_leaves",), grid=QUICK, draws=draws).replace({"label": classes or {}})


def levels(shortfalls, draws=4):
    """Metrics of a roll in which OSE-SSL lies below SSGE by given amounts at given shares, a little off by draw."""
    table = grid_metrics("swiss_roll", (sorted(shortfalls), [0.6, 0.9]), draws=draws)
    main = table["metric"].isin(("si", "auprc")) & (table["label"] == "") & (table["variant"] == "")
    for at, row in table[main & table["method"].isin(("ose_ssl", "ssge"))].iterrows():
        off = 0.001 * (-1) ** int(row["repetition"])
        table.at[at, "value"] = 0.8 - (row["method"] == "ose_ssl") * (shortfalls[row["training"]] + off)
    return table


def runtime_metrics(sizes=(500, 1000, 2000, 5000, 10000), repetitions=3):
    """Recomputing grows with the square of N."""
    rng = np.random.default_rng(2)
    metrics = Metrics("extrapolation_runtime", "swiss_roll", "simulated", extrapolation_runtime.CONDITIONS)
    for n, r in itertools.product(sizes, range(repetitions)):
        for method, seconds in (("extrapolation", 2e-7 * n), ("batch", 2e-8 * n), ("recomputation", 4e-7 * n**2)):
            metrics.add(method, "seconds", seconds * rng.lognormal(0, 0.08), r, n_samples=n)
    return metrics.table()


def roll_pictures(n=2000):
    """A roll, and embeddings that separate its halves more and more."""
    rng = np.random.default_rng(5)
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(n)), 21 * rng.random(n)
    labels = (t > np.median(t)).astype(int)
    training = np.zeros(n, dtype=bool)
    training[rng.choice(n, n // 2, replace=False)] = True
    found = {"X": np.column_stack([t * np.cos(t), height, t * np.sin(t)]), "labels": labels, "training": training}
    length = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    found |= {"position": np.column_stack([length - length.min(), height]), "known": training & (rng.random(n) < 0.5)}
    for k, method in enumerate(("ge", "nm_ge", "ssge", "ose_ssl")):
        noise = 0.05 + 0.1 * (~training[:, None] if method in ("nm_ge", "ose_ssl") else 0)
        place = np.column_stack([np.cos(t / 5), np.sin(t / 5), height / 21])
        found[method] = place + (k > 1) * 0.6 * np.sign(labels - 0.5)[:, None] + rng.normal(0, 1, (n, 3)) * noise
    return found


def outline(kind, rng, n=256):
    """A closed curve in micrometres: large and folded, small and round, or irregular."""
    radius, folds, lobes = {"benign": (75, 0.1, 0.1), "grade_3": (40, 0.02, 0.05)}.get(kind, (55, 0.04, 0.25))
    angle = 2 * np.pi * np.arange(n) / n
    radii = 1 + sum(
        rng.normal(0, (lobes if h < 5 else folds) / np.sqrt(h)) * np.cos(h * angle + rng.uniform(0, 6.28))
        for h in range(2, 15)
    )
    return radius * radii * np.exp(1j * angle)


def query_pictures(dataset):
    """A query of the rarest class, with what three methods retrieve; some are of another class."""
    rng = np.random.default_rng(6)
    classes = list(SETS[dataset][1])
    kind = "images" if dataset == "digits" else "outlines"

    def item(name):
        if kind == "outlines":
            return outline(name, rng)
        return np.clip(rng.normal(4 * classes.index(name), 4, (8, 8)), 0, 16)

    rarest = min(classes, key=SETS[dataset][1].get)
    found = {"kind": np.array(kind), "query": item(rarest), "query_label": np.array(rarest)}
    for method, right in (("nm_ge", 1), ("ose_ssl", 4), ("dissimilarity", 2)):
        names = [rarest] * right + [classes[0], classes[1]] * 3
        names = [names[k] for k in rng.permutation(5)]
        found |= {f"{method}_items": np.array([item(name) for name in names]), f"{method}_labels": np.array(names)}
    return found

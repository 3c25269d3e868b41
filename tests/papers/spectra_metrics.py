"""Made-up metrics and pictures of the experiments on prostate spectra, in the form in which they are written."""

import itertools

import numpy as np
from replication.papers.tiwari2008 import (
    spectra_components,
    spectra_dimensions,
    spectra_methods,
    spectra_stability,
)
from replication.papers.tiwari2008.spectra_metrics import AXES, SCORES
from replication.shared.tidy import Metrics

STUDIES = [f"study_{k}" for k in range(1, 9)]
KAPPAS = range(3, 9)
# Sensitivity and specificity against the voxels.
LEVELS = {
    "c_lle": (0.85, 0.84),
    "lle": (0.80, 0.81),
    "pca": (0.70, 0.78),
    "z_score": (0.74, 0.55),
    "peak_integration": (0.83, 0.80),
    "peak_integration_literature": (0.50, 0.90),
    "discriminant": (0.88, 0.88),
    "features": (0.82, 0.80),
    "c_lle_mean": (0.84, 0.84),
    "c_lle_median": (0.85, 0.83),
    "random": (0.33, 0.67),
    "lle_vote": (0.82, 0.82),
}
THRESHOLDS = ("z_score", "peak_integration", "peak_integration_literature", "discriminant", "lle_vote")
CONDITIONS = [(n, w, 1) for n in (0.5, 1, 2) for w in (0.7, 1, 1.5)] + [(1, 1, c) for c in (0.5, 0.75)]


def add_scores(metrics, rng, method, levels, **at):
    """Sensitivity, specificity and their mean, a little off their levels."""
    both = np.clip(np.array(levels) + rng.normal(0, 0.04, 2), 0, 1)
    for score, value in zip(SCORES, (*both, both.mean()), strict=True):
        metrics.add(method, score, value, **at)


def add_sizes(metrics, study, labels, at):
    metrics.add("all", "n_voxels", 300, study=study, **at)
    for name in labels:
        metrics.add("all", {"box": "n_box", "voxels": "n_truth"}[name], 60, study=study, **at)
    metrics.add("pca", "explained_variance", 0.97, study=study, n_components=5, **at)
    for kappa in KAPPAS:
        metrics.add("lle", "connected", int(kappa > 4), study=study, kappa=kappa, **at)
        metrics.add("lle", "closed_groups", 2 if kappa < 4 else 1, study=study, kappa=kappa, **at)


def methods_metrics(studies=STUDIES, conditions=CONDITIONS, labels=("box", "voxels"), source="simulated"):
    """As the experiment writes them; with more noise peak integration falls behind, with less contrast all do."""
    rng = np.random.default_rng(0)
    metrics = Metrics("spectra_methods", "prostate_mrsi", source, spectra_methods.CONDITIONS)
    for noise, linewidth, contrast in conditions:
        at = dict(zip(("noise", "linewidth", "contrast"), (noise, linewidth, contrast), strict=True))
        for study in studies:
            add_sizes(metrics, study, labels, at)
            if set(labels) == {"box", "voxels"}:
                calls = {"box": (0.9, 0.85), "truth": (0.3, 0.99), "any_cancer": (0.8, 0.8)}
                for (method, level), truth in itertools.product(calls.items(), labels):
                    add_scores(metrics, rng, method, level, study=study, truth=truth, naming="", kappa="", **at)
            level = rng.normal(0, 0.05)
            for method, truth in itertools.product(LEVELS, labels):
                fall = 0.03 * (noise or 1) + (0.15 * ((noise or 1) - 1) if method.startswith("peak") else 0)
                levels = np.array(LEVELS[method]) + level - fall - 0.05 * (truth == "box") - 0.3 * (1 - (contrast or 1))
                where = {"study": study, "truth": truth, "n_components": 5 if method == "pca" else 4, **at}
                for naming in ("",) if method in THRESHOLDS else ("rule", "oracle"):
                    add_scores(metrics, rng, method, levels + 0.02 * (naming == "oracle"), naming=naming, kappa="",
                               **where)  # fmt: skip
                    if method == "lle":
                        for kappa in KAPPAS[2:]:
                            add_scores(metrics, rng, method, levels, naming=naming, kappa=kappa, **where)
    return metrics.table()


def dimensions_metrics(studies=STUDIES, sizes=(3, 4, 5, 7), labels=("box", "voxels")):
    rng = np.random.default_rng(1)
    metrics = Metrics("spectra_dimensions", "prostate_mrsi", "simulated", spectra_dimensions.CONDITIONS)
    for study, m, truth, method in itertools.product(studies, sizes, labels, ("c_lle", "lle")):
        for naming, kappa in itertools.product(("rule", "oracle"), ("", *(KAPPAS if method == "lle" else ()))):
            at = {"study": study, "n_components": m, "truth": truth, "naming": naming, "kappa": kappa}
            add_scores(metrics, rng, method, np.array(LEVELS[method]) - 0.01 * abs(m - 4), **at)
    return metrics.table()


def stability_metrics(studies=STUDIES, labels=("box", "voxels"), axes=tuple(AXES)):
    rng = np.random.default_rng(2)
    metrics = Metrics("spectra_stability", "prostate_mrsi", "simulated", spectra_stability.CONDITIONS)
    spreads = {"lle": 0.06, "c_lle": 0.03, "c_lle_mean": 0.035, "c_lle_median": 0.03, "pca": 0.02}
    for study, axis, (method, spread) in itertools.product(studies, axes, spreads.items()):
        if axis.startswith("kappa") and method == "pca":
            continue
        for truth, score in itertools.product(labels, SCORES):
            metrics.add(method, f"sd_{score}", rng.gamma(8, spread / 8), study=study, axis=axis, truth=truth)
        if axis != "clustering":
            # Under noise they are nearer than at other kappas.
            nearer = 0.5 if (method, axis) == ("lle", "noise") else 1.0
            metrics.add(method, "distance", nearer * rng.gamma(8, spread), study=study, axis=axis)
    for study, truth in itertools.product(studies, labels):
        add_scores(metrics, rng, "c_lle", LEVELS["c_lle"], study=study, axis="values", truth=truth)
        for kappa in KAPPAS[2:] if study != studies[0] else KAPPAS:
            level = np.array(LEVELS["lle"]) + 0.01 * kappa
            add_scores(metrics, rng, "lle", level, study=study, axis="values", truth=truth, kappa=kappa)
    return metrics.table()


def components_metrics(studies=STUDIES, truth=True):
    rng = np.random.default_rng(3)
    metrics = Metrics("spectra_components", "prostate_mrsi", "simulated", spectra_components.CONDITIONS)
    levels = {"c_lle": 0.92, "pca": 0.8, "features": 0.9, "truth": 0.95, "random": 0.6, "random_as_truth": 0.5}
    for study, (method, level) in itertools.product(studies, levels.items()):
        if method in ("truth", "random_as_truth") and not truth:
            continue
        metrics.add(method, "correlation", min(level + rng.normal(0, 0.03), 1), study=study)
        metrics.add(method, "correlation_mean", level - 0.05 + rng.normal(0, 0.03), study=study)
        metrics.add(method, "n_voxels", 60, study=study)
    return metrics.table()


PPM = np.linspace(4.2, 1.8, 256)


def spectrum(choline, creatine, citrate):
    peaks = ((3.21, 0.05, choline), (3.02, 0.05, creatine), (2.6, 0.09, citrate))
    return sum(height * np.exp(-0.5 * ((PPM - centre) / width) ** 2) for centre, width, height in peaks)


KINDS = {"cancer": spectrum(1, 0.6, 0.4), "benign": spectrum(0.4, 0.4, 1.2), "other": spectrum(0.5, 0.5, 0.5)}


def pictures(labels=("box", "voxels"), lle=("lle_5", "lle_7")):
    """A gland of three planes, cancer on the left of the middle one; the calls have errors."""
    rng = np.random.default_rng(5)
    grid = np.array(list(itertools.product(range(2, 12), range(3, 10), range(3))))
    positions = grid[((grid[:, :2] - [6.5, 6]) ** 2 / [27, 14]).sum(axis=1) < 1]
    x, y, z = positions.T
    marks = {"box": (x > 6) & (y > 5) & (z > 0), "voxels": (x > 7) & (y > 5) & (z == 1)}
    maps = {"positions": positions, **{f"label_{name}": marks[name] for name in labels}}
    for method in (*lle, "c_lle", "peak_integration", "z_score", "pca"):
        called = marks["voxels"] ^ (rng.random(len(x)) < 0.1)
        maps[f"calls_{method}"] = called
        if method not in THRESHOLDS:
            maps[f"clusters_{method}"] = np.where(called, 0, 1 + (y > 6))
    found = {"ppm": PPM, **{f"study_1/{name}": values for name, values in maps.items()}}
    for kind, mean in KINDS.items() if labels else ():
        found[f"mean_{kind}"], found[f"sd_{kind}"] = mean, np.full(256, 0.1)
        found[f"typical_{kind}"] = mean + rng.normal(0, 0.1, 256)
    return found


def component_pictures():
    rng = np.random.default_rng(6)
    found = {"ppm": PPM, "reference": KINDS["cancer"], "study": np.array("study_1")}
    for method, noise in (("c_lle", 0.05), ("pca", 0.2)):
        found[f"ic_{method}"] = KINDS["cancer"] * 3 + rng.normal(0, 3 * noise, 256)
    return found

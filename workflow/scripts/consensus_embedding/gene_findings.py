"""What the numbers on gene expression mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from consensus_embedding.experiments.gene_splits import REDUCTIONS, STRENGTHS
from consensus_embedding.gene_tables import (
    CONSENSUS,
    METHODS,
    PAPER_METHODS,
    SINGLE_METHODS,
    gene_scores,
    of_genes,
    present,
)

# Differences below this are rounding.
_EQUAL = 1e-9


def gene_finding(metrics: pd.DataFrame) -> str:
    """Experiment 4: who is best, and what selection, labels, combining and the choice of genes contribute."""
    per, balanced = (_means(gene_scores(metrics, name)) for name in ("accuracy", "balanced_accuracy"))
    sentences = [
        f"Highest mean accuracy of the paper's six methods: {'; '.join(_best(per, balanced))}.",
        _against_baselines(per),
        _by_labels(metrics, per),
        _against_single(per),
        _against_majority(per),
        *_by_variant(metrics),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean over draws, a row per data set and a column per method."""
    wide = rows.groupby(["dataset", "method"])["value"].mean().unstack("method")
    return wide.reindex(rows["dataset"].unique())


def _best(per: pd.DataFrame, balanced: pd.DataFrame) -> list[str]:
    parts = []
    for dataset, row in per.iterrows():
        highest = row.reindex(list(PAPER_METHODS)).max()
        best = [method for method in PAPER_METHODS if row.get(method, -1.0) >= highest - _EQUAL]
        names = "all" if len(best) == len(PAPER_METHODS) else " and ".join(PAPER_METHODS[method] for method in best)
        shown = " and ".join(dict.fromkeys(f"{balanced.loc[dataset, method]:.3f}" for method in best))
        part = f"{dataset}: {names} {highest:.3f} (balanced accuracy {shown}"
        parts.append(part + (f"; majority class {row['majority']:.3f})" if "majority" in row else ")"))
    return parts


def _differences(per: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.Series:
    """First minus second of all pairs that are there, on all data sets."""
    found = [per[first] - per[second] for first, second in pairs if first in per and second in per]
    return pd.concat(found) if found else pd.Series(dtype=float)


def _balance(differences: pd.Series) -> str:
    higher, lower = int((differences > _EQUAL).sum()), int((differences < -_EQUAL).sum())
    n = len(differences)
    return (
        f"higher in {higher}, equal in {n - higher - lower} and lower in {lower} of {n} comparisons (mean difference "
        f"{differences.mean():+.3f})"
    )


def _against_baselines(per: pd.DataFrame) -> str:
    sentences = []
    for other in ("ssage", "knn_ensemble"):
        pairs = {method: _differences(per, [(method, other)]) for method in CONSENSUS}
        counts = [
            f"{PAPER_METHODS[method]}: {int((found > _EQUAL).sum())}" for method, found in pairs.items() if len(found)
        ]
        if counts:
            sentences.append(f"Data sets of {len(per)} on which it is above {METHODS[other]}: {'; '.join(counts)}.")
    return " ".join(sentences)


def _by_labels(metrics: pd.DataFrame, per: pd.DataFrame) -> str:
    found = _differences(per, [(f"consensus_{short}_s", f"consensus_{short}_us") for short in REDUCTIONS.values()])
    if not len(found):
        return ""
    rows = gene_scores(metrics, "n_selected")
    kept = [rows[rows["method"].isin([f"consensus_{s}_{mark}" for s in REDUCTIONS.values()])]["value"].mean()
            for mark in STRENGTHS.values()]  # fmt: skip
    return (
        f"Selection with labels (S) keeps {kept[0]:.0f} embeddings on average, without labels (US) {kept[1]:.0f}; with "
        f"labels the accuracy is {_balance(found)}."
    )


def _against_single(per: pd.DataFrame) -> str:
    """Every consensus of the paper beside single embeddings of its own reduction."""
    short = {method: method.split("_")[1] for method in CONSENSUS}
    reduction = {name: key for key, name in REDUCTIONS.items()}
    singles = {
        "one embedding of all genes": lambda method: reduction[short[method]],
        "the best single embedding by training labels": lambda method: f"best_trained_{short[method]}",
        "the best single embedding by test labels": lambda method: f"best_single_{short[method]}",
    }
    parts = []
    for name, other in singles.items():
        found = _differences(per, [(method, other(method)) for method in CONSENSUS])
        if len(found):
            parts.append(f"{_balance(found)} with {name}")
    return f"The accuracy of the consensus is {'; '.join(parts)}." if parts else ""


def _against_majority(per: pd.DataFrame) -> str:
    if "majority" not in per:
        return ""
    shown = [method for method in PAPER_METHODS if method in per]
    below = {}
    for dataset, row in per.iterrows():
        names = [PAPER_METHODS[method] for method in shown if row[method] <= row["majority"] + _EQUAL]
        if names:
            below[dataset] = names
    if not below:
        return "All of the six are more accurate than the majority class on every data set."
    n = sum(map(len, below.values()))
    listed = "; ".join(f"{dataset}: {', '.join(names)}" for dataset, names in below.items())
    return f"No more accurate than the majority class in {n} of {len(shown) * len(per)} cases ({listed})."


def _by_variant(metrics: pd.DataFrame) -> list[str]:
    """What each variant changes, on the draws that it shares with the main one."""
    sentences = []
    main, *others = metrics["variant"].unique() if "variant" in metrics else [""]
    for variant in others:
        rows = {name: gene_scores(metrics, variant=name) for name in (main, variant)}
        draws = set(rows[variant]["repetition"])
        before = _means(rows[main][rows[main]["repetition"].isin(draws)])
        moved = (_means(rows[variant]) - before)[present(rows[variant], [*PAPER_METHODS, *SINGLE_METHODS])].stack()
        dataset, method = moved.abs().idxmax()
        leak = " It has seen the test labels and is no result." if "leak" in variant else ""
        sentences.append(
            f"Variant “{variant}”: accuracy {moved.mean():+.3f} on average, {moved[dataset, method]:+.3f} at most "
            f"({METHODS[method]} on {dataset}).{leak}"
        )
    return sentences


def m_finding(metrics: pd.DataFrame) -> str:
    """Tables 6 and 7: how far accuracy moves with the number of base embeddings, and which reduction is better."""
    rows = metrics[metrics["metric"] == "accuracy"]
    cases = rows.groupby(["dataset", "method", "n_embeddings"])["value"]
    means, spread = cases.mean().unstack("n_embeddings"), cases.std().mean()
    sizes = ", ".join(f"{m:g}" for m in means)
    moved = means.max(axis=1) - means.min(axis=1)
    dataset, method = moved.idxmax()
    per = means.mean(axis=1).unstack("method")
    marks = STRENGTHS.values()
    found = _differences(per, [(f"consensus_ge_{mark}", f"consensus_pca_{mark}") for mark in marks])
    text = (
        f"Over M = {sizes} the mean accuracy of a consensus moves by {moved.mean():.3f} on average and by "
        f"{moved.max():.3f} at most ({METHODS[method]} on {dataset})"
        if means.shape[1] > 1
        else f"M = {sizes} alone was run"
    )
    if pd.notna(spread):
        text += f"; the SD over draws at one M is {spread:.3f} on average"
    return f"{text}." + (f" Consensus GE rather than consensus PCA: {_balance(found)}." if len(found) else "")


def theta_finding(metrics: pd.DataFrame) -> str:
    """Gene expression in theta_sensitivity; nothing is said of images alone."""
    rows = of_genes(metrics)
    if not len(rows):
        return ""
    accuracy = rows[rows["metric"] == "accuracy"]
    consensus = rows[rows["method"] == "consensus"]
    means = consensus[consensus["metric"] == "accuracy"].groupby(["dataset", "reduction", "strength", "theta"])
    means = means["value"].mean().unstack("theta")
    moved = means.max(axis=1) - means.min(axis=1)
    dataset, reduction, strength = moved.idxmax()
    kept = consensus[consensus["metric"] == "n_selected"].groupby(["strength", "theta"])["value"].mean()
    low, high = means.columns.min(), means.columns.max()
    ends = ", ".join(f"{mark} {kept[mark, low]:.0f} and {kept[mark, high]:.0f}" for mark in kept.index.levels[0])
    text = (
        f"On gene expression, over thresholds from {low:g} to {high:g} of the maximum, the mean accuracy moves by "
        f"{moved.mean():.3f} on average and by {moved.max():.3f} at most (consensus {METHODS[reduction]}, {strength}, "
        f"on {dataset}); embeddings kept at both ends: {ends}."
    )
    by = ["dataset", "reduction"]
    alone = accuracy[accuracy["method"] == "single"].groupby(by)["value"].mean()
    of_k = accuracy[accuracy["method"] == "consensus_of_k"].groupby([*by, "n_selected"])["value"].mean()
    if len(of_k) and len(alone):
        gain = of_k.unstack("n_selected").sub(alone, axis=0).mean()
        text += (
            f" K embeddings at random differ from one embedding of all genes by {gain.iloc[0]:+.3f} at K = "
            f"{gain.index[0]:g} and by {gain.iloc[-1]:+.3f} at K = {gain.index[-1]:g} (mean over data sets and "
            "reductions)."
        )
    return text


GENE_FINDINGS = {"gene_expression": gene_finding, "m_sensitivity": m_finding, "theta_sensitivity": theta_finding}

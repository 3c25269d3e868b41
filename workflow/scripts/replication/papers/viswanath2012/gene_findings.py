"""What the numbers on gene expression mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from replication.papers.viswanath2012.gene_tables import (
    CONSENSUS,
    METHODS,
    PAPER_METHODS,
    SINGLE_METHODS,
    gene_scores,
    of_genes,
    present,
)
from replication.papers.viswanath2012.method_names import BASELINES_SCALED, REDUCTIONS, STRENGTHS

# Differences below this are rounding.
_EQUAL = 1e-9
_BASELINES = ("ssage", "knn_ensemble")


def gene_finding(metrics: pd.DataFrame) -> str:
    """
    Experiment 4: who is best, and what selection, labels, combining and the choice of genes contribute.

    A consensus without labels that is the one with labels in every draw is not counted a second time.
    """
    per, balanced = (_means(gene_scores(metrics, name)) for name in ("accuracy", "balanced_accuracy"))
    main = _of_variant(metrics, metrics["variant"].iloc[0] if "variant" in metrics else "")
    same = _same_consensus(main)
    once = _counted_once(per, same)
    sentences = [
        _same_sentence(main, same),
        f"Highest mean accuracy of the paper's six methods: {'; '.join(_best(once, balanced))}.",
        *_against_baselines(per, [method for method in CONSENSUS if method in once and once[method].notna().any()]),
        _by_labels(metrics, once),
        _against_single(metrics, once),
        _against_majority(once),
        *_by_variant(metrics, same),
    ]
    # A paragraph each.
    return "\n\n".join(sentence for sentence in sentences if sentence)


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean over draws, a row per data set and a column per method."""
    wide = rows.groupby(["dataset", "method"])["value"].mean().unstack("method")
    return wide.reindex(rows["dataset"].unique())


def _of_variant(metrics: pd.DataFrame, variant: str) -> pd.DataFrame:
    return metrics[metrics["variant"] == variant] if "variant" in metrics else metrics


def _same_consensus(metrics: pd.DataFrame) -> list[tuple[str, str]]:
    """Data sets and reductions whose S and US agree in every number of every draw, that of embeddings included."""
    rows = metrics[metrics["method"].isin(CONSENSUS)]
    if "n_selected" not in set(rows["metric"]):
        return []
    keys = ["dataset", *rows.columns.drop(["experiment", "dataset", "source", "method", "value"])]
    keyed = rows[keys].astype(object).where(rows[keys].notna(), "").assign(method=rows["method"], value=rows["value"])
    wide = keyed.pivot(index=keys, columns="method", values="value")
    found = []
    for short in REDUCTIONS.values():
        pair = [f"consensus_{short}_{mark}" for mark in STRENGTHS.values()]
        if set(pair) <= set(wide):
            both = wide[pair].dropna(how="all")
            equal = (both[pair[0]] - both[pair[1]]).abs() <= _EQUAL
            agree = equal.groupby(level="dataset", sort=False).all()
            found += [(dataset, short) for dataset in agree[agree].index]
    return found


def _counted_once(per: pd.DataFrame, same: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """The table without the numbers of a US that is the same consensus as S."""
    once = per.copy()
    for dataset, short in same:
        once.loc[dataset, f"consensus_{short}_us"] = float("nan")
    return once


def _same_sentence(metrics: pd.DataFrame, same: list[tuple[str, str]]) -> str:
    """
    Where S and US are one, and whether that is because both keep everything.

    What falls below a threshold changes with the draw: a number kept that is the same in all draws is all of them.
    (Two clusters of two classes are never less accurate than one half, so that S excludes nothing up to theta = 0.5.)
    """
    if not same:
        return ""
    methods = {short: f"consensus_{short}_s" for short in REDUCTIONS.values()}
    names = {short: METHODS[reduction] for reduction, short in REDUCTIONS.items()}
    rows = metrics[(metrics["metric"] == "n_selected") & metrics["method"].isin(methods.values())]
    chosen = [(dataset, methods[short]) for dataset, short in same]
    rows = rows[pd.MultiIndex.from_frame(rows[["dataset", "method"]]).isin(chosen)]
    sizes = rows["n_embeddings"] if "n_embeddings" in rows else 0 * rows["value"]
    kept = rows["value"].groupby(sizes)
    everything = (kept.nunique() == 1).all()
    n_cases = sum(metrics[metrics["method"] == method]["dataset"].nunique() for method in methods.values())
    where = "" if len(same) == n_cases else f" ({', '.join(f'{names[short]} on {dataset}' for dataset, short in same)})"
    if not everything:
        return f"With labels (S) and without (US) the same embeddings are selected{where}; that is counted once, as S."
    count = f"{kept.first().iloc[0]:.0f} " if len(kept) == 1 else ""
    return (
        f"At the paper's threshold (theta = 0.15 x max, unless configured otherwise) nothing is excluded: S and US are "
        f"the same consensus, of all {count}embeddings{where}, and counted once, as S."
    )


def _best(per: pd.DataFrame, balanced: pd.DataFrame) -> list[str]:
    parts = []
    for dataset, row in per.iterrows():
        highest = row.reindex(list(PAPER_METHODS)).max()
        best = [method for method in PAPER_METHODS if row.get(method, -1.0) >= highest - _EQUAL]
        names = [f"{PAPER_METHODS[method]} (balanced accuracy {balanced.loc[dataset, method]:.3f})" for method in best]
        majority = f" ({METHODS['majority']} {row['majority']:.3f})" if "majority" in row else ""
        parts.append(f"{dataset} {highest:.3f}{majority} by {' and '.join(names)}")
    return parts


def _differences(per: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.Series:
    """First minus second of all pairs that are there, on all data sets that have both."""
    found = [per[first] - per[second] for first, second in pairs if first in per and second in per]
    return pd.concat(found).dropna() if found else pd.Series(dtype=float)


def _balance(differences: pd.Series) -> str:
    higher, lower = int((differences > _EQUAL).sum()), int((differences < -_EQUAL).sum())
    n = len(differences)
    return (
        f"higher in {higher}, equal in {n - higher - lower} and lower in {lower} of {n} "
        f"comparison{'s' * (n > 1)} (mean difference {differences.mean():+.3f})"
    )


def _n_above(per: pd.DataFrame, method: str, other: str) -> int:
    """Data sets on which a method is more accurate than another."""
    return int((_differences(per, [(method, other)]) > _EQUAL).sum())


def _against_baselines(per: pd.DataFrame, shown: list[str]) -> list[str]:
    """One sentence for each baseline: data sets on which each consensus is above it, under both scalings."""
    sentences = []
    for other in _BASELINES:
        scaled = f"{other}_scaled"
        others = [name for name in (other, scaled) if name in per]
        if other not in per or not shown:
            continue
        counts = []
        for method in shown:
            above = [str(_n_above(per, method, name)) for name in others]
            counts.append(f"{PAPER_METHODS[method]} {above[0]}" + (f" ({above[1]})" if len(above) > 1 else ""))
        both = f" (in brackets: than {BASELINES_SCALED[scaled]})" if scaled in per else ""
        sentences.append(
            f"Number of the {len(per)} data sets on which the consensus is more accurate than {METHODS[other]}{both}: "
            f"{'; '.join(counts)}."
        )
    return sentences


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


def _against_single(metrics: pd.DataFrame, per: pd.DataFrame) -> str:
    """Every consensus of the paper beside single embeddings of its own reduction."""
    short = {method: method.split("_")[1] for method in CONSENSUS}
    reduction = {name: key for key, name in REDUCTIONS.items()}
    trained = f"the best single embedding by training labels{_tied(metrics)}"
    singles = {
        "one embedding of all genes": lambda method: reduction[short[method]],
        trained: lambda method: f"best_trained_{short[method]}",
        "the best single embedding by test labels": lambda method: f"best_single_{short[method]}",
    }
    parts = []
    for name, other in singles.items():
        found = _differences(per, [(method, other(method)) for method in CONSENSUS])
        if len(found):
            parts.append(f"{_balance(found)} with {name}")
    return f"The accuracy of the consensus is {'; '.join(parts)}." if parts else ""


def _tied(metrics: pd.DataFrame) -> str:
    """How many embeddings the training labels put first, if that was counted."""
    rows = gene_scores(metrics, "n_selected")
    counts = []
    for reduction, short in REDUCTIONS.items():
        tied = rows[rows["method"] == f"best_trained_{short}"].groupby("dataset", sort=False)["value"].mean()
        if len(tied):
            listed = ", ".join(f"{dataset} {n:.0f}" for dataset, n in tied.items())
            counts.append(f"{METHODS[reduction]}: {listed}")
    return f" (mean over those tied for it, on average of the draws {'; '.join(counts)})" if counts else ""


def _against_majority(per: pd.DataFrame) -> str:
    """Who is no better than one who knows the larger class of the test split and names nothing else."""
    if "majority" not in per:
        return ""
    shown = present(per.columns.to_frame(name="method"), PAPER_METHODS)
    oracle = "the majority class of the test split, which only the test labels tell"
    below = {}
    for dataset, row in per.iterrows():
        names = [PAPER_METHODS[method] for method in shown if row[method] <= row["majority"] + _EQUAL]
        if names:
            below[dataset] = names
    if not below:
        return f"All of the six are more accurate than {oracle}, on every data set."
    n = sum(map(len, below.values()))
    listed = "; ".join(f"{dataset}: {', '.join(names)}" for dataset, names in below.items())
    return f"No more accurate than {oracle}, in {n} of {int(per[shown].notna().sum().sum())} cases ({listed})."


def _by_variant(metrics: pd.DataFrame, same: list[tuple[str, str]]) -> list[str]:
    """
    What each variant changes, on the draws that it shares with the main one.

    The metrics hold no settings: a variant that lets the test labels into the choice of genes is known by "leak" in
    the name that the configuration gives it.
    """
    sentences = []
    main, *others = metrics["variant"].unique() if "variant" in metrics else [""]
    for variant in others:
        rows = {name: gene_scores(metrics, variant=name) for name in (main, variant)}
        draws = set(rows[variant]["repetition"])
        before, after = _means(rows[main][rows[main]["repetition"].isin(draws)]), _means(rows[variant])
        twice = set(same) & set(_same_consensus(_of_variant(metrics, variant)))
        moved = _counted_once(after - before, twice)[present(rows[variant], [*PAPER_METHODS, *SINGLE_METHODS])]
        moved = moved.stack().dropna()
        dataset, method = moved.abs().idxmax()
        leak = " It has seen the test labels and is no result." if "leak" in variant else ""
        sentences.append(
            f"Variant “{variant}”: accuracy {moved.mean():+.3f} on average, {moved[dataset, method]:+.3f} at most "
            f"({METHODS[method]} on {dataset}){_moved_counts(before, after)}.{leak}"
        )
    return sentences


def _moved_counts(before: pd.DataFrame, after: pd.DataFrame) -> str:
    """In how many data sets a consensus (S) is above a baseline, where the variant changes that."""
    before = before.reindex(after.index)
    changed = []
    for method in (f"consensus_{short}_s" for short in REDUCTIONS.values()):
        for other in _BASELINES:
            counts = [_n_above(per, method, other) for per in (before, after)]
            if counts[0] != counts[1]:
                changed.append(f"{METHODS[method]} above {METHODS[other]} in {counts[1]} rather than {counts[0]}")
    return f"; of {len(after)} data sets, {', '.join(changed)}" if changed else ""


def m_finding(metrics: pd.DataFrame) -> str:
    """Tables 6 and 7: how far accuracy moves with the number of base embeddings, and which reduction is better."""
    rows = metrics[metrics["metric"] == "accuracy"]
    cases = rows.groupby(["dataset", "method", "n_embeddings"])["value"]
    means, spread = cases.mean().unstack("n_embeddings"), cases.std().mean()
    sizes = ", ".join(f"{m:g}" for m in means)
    moved = means.max(axis=1) - means.min(axis=1)
    dataset, method = moved.idxmax()
    same = _same_consensus(metrics)
    # GE is compared with PCA under S alone where neither is another consensus under US.
    both = [(dataset, short) for dataset, short in same if {(dataset, s) for s in REDUCTIONS.values()} <= set(same)]
    per = _counted_once(means.mean(axis=1).unstack("method"), both)
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
    text += f". {_same_sentence(metrics, same)}" if same else "."
    return text + (f" Consensus GE rather than consensus PCA: {_balance(found)}." if len(found) else "")


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

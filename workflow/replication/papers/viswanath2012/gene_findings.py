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
from replication.shared.wording import Phrase, paragraphs, phrase, sentences

# Differences below this are rounding.
_EQUAL = 1e-9
_BASELINES = ("ssage", "knn_ensemble")


def gene_finding(metrics: pd.DataFrame) -> Phrase:
    """
    Experiment 4: who is best, and what selection, labels, combining and the choice of genes contribute.

    A consensus without labels that is the one with labels in every draw is not counted a second time.
    """
    per, balanced = (_means(gene_scores(metrics, name)) for name in ("accuracy", "balanced_accuracy"))
    main = _of_variant(metrics, metrics["variant"].iloc[0] if "variant" in metrics else "")
    same = _same_consensus(main)
    once = _counted_once(per, same)
    return paragraphs(
        [
            _same_sentence(main, same),
            phrase("Highest mean accuracy of the paper's six methods: {best}.", best=_best(once, balanced)),
            *_against_baselines(per, [method for method in CONSENSUS if method in once and once[method].notna().any()]),
            _by_labels(metrics, once),
            _against_single(metrics, once),
            _against_majority(once),
            *_by_variant(metrics, same),
        ]
    )


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


def _same_sentence(metrics: pd.DataFrame, same: list[tuple[str, str]]) -> Phrase | str:
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
    cases = [f"{names[short]} on {dataset}" for dataset, short in same]
    where = "" if len(same) == n_cases else phrase(" ({cases:, })", cases=cases)
    if not everything:
        text = "With labels (S) and without (US) the same embeddings are selected{where}; that is counted once, as S."
        return phrase(text, where=where)
    count = phrase("{n:count} ", n=kept.first().iloc[0]) if len(kept) == 1 else ""
    text = (
        "At the paper's threshold (theta = 0.15 x max, unless configured otherwise) nothing is excluded: S and US are "
        "the same consensus, of all {count}embeddings{where}, and counted once, as S."
    )
    return phrase(text, count=count, where=where)


def _best(per: pd.DataFrame, balanced: pd.DataFrame) -> list[Phrase]:
    parts = []
    for dataset, row in per.iterrows():
        highest = row.reindex(list(PAPER_METHODS)).max()
        best = [method for method in PAPER_METHODS if row.get(method, -1.0) >= highest - _EQUAL]
        text = "{name} (balanced accuracy {mean:value})"
        names = [phrase(text, name=PAPER_METHODS[method], mean=balanced.loc[dataset, method]) for method in best]
        text = "{dataset} {highest:value} ({majority} {mean:value}) by {names: and }"
        text = text if "majority" in row else "{dataset} {highest:value} by {names: and }"
        majority = {"majority": METHODS["majority"], "mean": row.get("majority")}
        parts.append(phrase(text, dataset=str(dataset), highest=highest, **majority, names=names))
    return parts


def _differences(per: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.Series:
    """First minus second of all pairs that are there, on all data sets that have both."""
    found = [per[first] - per[second] for first, second in pairs if first in per and second in per]
    return pd.concat(found).dropna() if found else pd.Series(dtype=float)


def _balance(differences: pd.Series) -> Phrase:
    higher, lower = int((differences > _EQUAL).sum()), int((differences < -_EQUAL).sum())
    n = len(differences)
    text = (
        "higher in {higher}, equal in {equal} and lower in {lower} of {n} {comparisons} (mean difference "
        "{mean:difference})"
    )
    counts = {"higher": higher, "equal": n - higher - lower, "lower": lower, "n": n}
    return phrase(text, **counts, comparisons="comparison" + "s" * (n > 1), mean=differences.mean())


def _n_above(per: pd.DataFrame, method: str, other: str) -> int:
    """Data sets on which a method is more accurate than another."""
    return int((_differences(per, [(method, other)]) > _EQUAL).sum())


def _against_baselines(per: pd.DataFrame, shown: list[str]) -> list[Phrase]:
    """One sentence for each baseline: data sets on which each consensus is above it, under both scalings."""
    told = []
    for other in _BASELINES:
        scaled = f"{other}_scaled"
        others = [name for name in (other, scaled) if name in per]
        if other not in per or not shown:
            continue
        counts = []
        for method in shown:
            above = [_n_above(per, method, name) for name in others]
            text = "{name} {above[0]} ({above[1]})" if len(above) > 1 else "{name} {above[0]}"
            counts.append(phrase(text, name=PAPER_METHODS[method], above=above))
        both = f" (in brackets: than {BASELINES_SCALED[scaled]})" if scaled in per else ""
        text = "Number of the {n} data sets on which the consensus is more accurate than {other}{both}: {counts}."
        told.append(phrase(text, n=len(per), other=METHODS[other], both=both, counts=counts))
    return told


def _by_labels(metrics: pd.DataFrame, per: pd.DataFrame) -> Phrase | str:
    found = _differences(per, [(f"consensus_{short}_s", f"consensus_{short}_us") for short in REDUCTIONS.values()])
    if not len(found):
        return ""
    rows = gene_scores(metrics, "n_selected")
    kept = [rows[rows["method"].isin([f"consensus_{s}_{mark}" for s in REDUCTIONS.values()])]["value"].mean()
            for mark in STRENGTHS.values()]  # fmt: skip
    text = (
        "Selection with labels (S) keeps {kept[0]:count} embeddings on average, without labels (US) {kept[1]:count}; "
        "with labels the accuracy is {balance}."
    )
    return phrase(text, kept=kept, balance=_balance(found))


def _against_single(metrics: pd.DataFrame, per: pd.DataFrame) -> Phrase | str:
    """Every consensus of the paper compared with single embeddings of its own reduction."""
    short = {method: method.split("_")[1] for method in CONSENSUS}
    reduction = {name: key for key, name in REDUCTIONS.items()}
    trained = phrase("the best single embedding by training labels{tied}", tied=_tied(metrics))
    singles = [
        ("one embedding of all genes", lambda method: reduction[short[method]]),
        (trained, lambda method: f"best_trained_{short[method]}"),
        ("the best single embedding by test labels", lambda method: f"best_single_{short[method]}"),
    ]
    parts = []
    for name, other in singles:
        found = _differences(per, [(method, other(method)) for method in CONSENSUS])
        if len(found):
            parts.append(phrase("{balance} with {name}", balance=_balance(found), name=name))
    return phrase("The accuracy of the consensus is {parts}.", parts=parts) if parts else ""


def _tied(metrics: pd.DataFrame) -> Phrase | str:
    """How many embeddings the training labels put first, if that was counted."""
    rows = gene_scores(metrics, "n_selected")
    counts = []
    for reduction, short in REDUCTIONS.items():
        tied = rows[rows["method"] == f"best_trained_{short}"].groupby("dataset", sort=False)["value"].mean()
        if len(tied):
            listed = [phrase("{name} {n:count}", name=str(dataset), n=n) for dataset, n in tied.items()]
            counts.append(phrase("{reduction}: {listed:, }", reduction=METHODS[reduction], listed=listed))
    return phrase(" (mean over those tied for it, on average of the draws {counts})", counts=counts) if counts else ""


def _against_majority(per: pd.DataFrame) -> Phrase | str:
    """Methods that are not better than always naming the larger class of the test split."""
    if "majority" not in per:
        return ""
    shown = present(per.columns.to_frame(name="method"), PAPER_METHODS)
    oracle = "the majority class of the test split, which only the test labels show"
    below = {}
    for dataset, row in per.iterrows():
        names = [PAPER_METHODS[method] for method in shown if row[method] <= row["majority"] + _EQUAL]
        if names:
            below[dataset] = names
    if not below:
        return f"All of the six are more accurate than {oracle}, on every data set."
    n, n_cases = sum(map(len, below.values())), per[shown].notna().sum().sum()
    listed = [phrase("{dataset}: {names:, }", dataset=str(dataset), names=names) for dataset, names in below.items()]
    text = "No more accurate than {oracle}, in {n} of {n_cases} cases ({listed})."
    return phrase(text, oracle=oracle, n=n, n_cases=n_cases, listed=listed)


def _by_variant(metrics: pd.DataFrame, same: list[tuple[str, str]]) -> list[Phrase]:
    """
    What each variant changes, on the draws that it shares with the main one.

    The metrics have no settings: a variant that lets the test labels into the choice of genes is known by "leak" in
    the name that the configuration gives it.
    """
    told = []
    main, *others = metrics["variant"].unique() if "variant" in metrics else [""]
    for variant in others:
        rows = {name: gene_scores(metrics, variant=name) for name in (main, variant)}
        draws = set(rows[variant]["repetition"])
        before, after = _means(rows[main][rows[main]["repetition"].isin(draws)]), _means(rows[variant])
        twice = set(same) & set(_same_consensus(_of_variant(metrics, variant)))
        moved = _counted_once(after - before, twice)[present(rows[variant], [*PAPER_METHODS, *SINGLE_METHODS])]
        moved = moved.stack().dropna()
        dataset, method = moved.abs().idxmax()
        leak = " It has seen the test labels and is not a result." if "leak" in variant else ""
        text = (
            "Variant “{variant}”: accuracy {mean:difference} on average, {most:difference} at most ({method} on "
            "{dataset}){counts}.{leak}"
        )
        numbers = {"mean": moved.mean(), "most": moved[dataset, method], "counts": _moved_counts(before, after)}
        names = {"variant": str(variant), "method": METHODS[method], "dataset": str(dataset)}
        told.append(phrase(text, **names, **numbers, leak=leak))
    return told


def _moved_counts(before: pd.DataFrame, after: pd.DataFrame) -> Phrase | str:
    """In how many data sets a consensus (S) is above a baseline, where the variant changes that."""
    before = before.reindex(after.index)
    changed = []
    for method in (f"consensus_{short}_s" for short in REDUCTIONS.values()):
        for other in _BASELINES:
            counts = [_n_above(per, method, other) for per in (before, after)]
            if counts[0] != counts[1]:
                text = "{method} above {other} in {counts[1]} rather than {counts[0]}"
                changed.append(phrase(text, method=METHODS[method], other=METHODS[other], counts=counts))
    return phrase("; of {n} data sets, {changed:, }", n=len(after), changed=changed) if changed else ""


def m_finding(metrics: pd.DataFrame) -> Phrase:
    """Tables 6 and 7: how far accuracy moves with the number of base embeddings, and which reduction is better."""
    rows = metrics[metrics["metric"] == "accuracy"]
    cases = rows.groupby(["dataset", "method", "n_embeddings"])["value"]
    means, spread = cases.mean().unstack("n_embeddings"), cases.std().mean()
    sizes = [phrase("{m:setting}", m=m) for m in means]
    moved = means.max(axis=1) - means.min(axis=1)
    dataset, method = moved.idxmax()
    same = _same_consensus(metrics)
    # GE is compared with PCA under S alone where neither is another consensus under US.
    both = [(dataset, short) for dataset, short in same if {(dataset, s) for s in REDUCTIONS.values()} <= set(same)]
    per = _counted_once(means.mean(axis=1).unstack("method"), both)
    marks = STRENGTHS.values()
    found = _differences(per, [(f"consensus_ge_{mark}", f"consensus_pca_{mark}") for mark in marks])
    text = (
        "Over M = {sizes:, } the mean accuracy of a consensus changes by {mean:value} on average and by {most:value} "
        "at most ({method} on {dataset}){spread}."
        if means.shape[1] > 1
        else "M = {sizes:, } alone was run{spread}."
    )
    spread = phrase("; the SD over draws at one M is {sd:value} on average", sd=spread) if pd.notna(spread) else ""
    largest = {"mean": moved.mean(), "most": moved.max(), "method": METHODS[method], "dataset": str(dataset)}
    balance = phrase("Consensus GE rather than consensus PCA: {balance}.", balance=_balance(found))
    told = phrase(text, sizes=sizes, **largest, spread=spread)
    return sentences([told, _same_sentence(metrics, same), balance if len(found) else ""])


def theta_finding(metrics: pd.DataFrame) -> Phrase | str:
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
    text = "{mark} {low:count} and {high:count}"
    ends = [phrase(text, mark=mark, low=kept[mark, low], high=kept[mark, high]) for mark in kept.index.levels[0]]
    text = (
        "On gene expression, over thresholds from {thresholds:interval setting} of the maximum, the mean accuracy "
        "changes by {mean:value} on average and by {most:value} at most (consensus {reduction}, {strength}, on "
        "{dataset}); embeddings kept at both ends: {ends:, }."
    )
    largest = {"mean": moved.mean(), "most": moved.max(), "reduction": METHODS[reduction], "strength": strength}
    told = [phrase(text, thresholds=(low, high), **largest, dataset=str(dataset), ends=ends)]
    by = ["dataset", "reduction"]
    alone = accuracy[accuracy["method"] == "single"].groupby(by)["value"].mean()
    of_k = accuracy[accuracy["method"] == "consensus_of_k"].groupby([*by, "n_selected"])["value"].mean()
    if len(of_k) and len(alone):
        gain = of_k.unstack("n_selected").sub(alone, axis=0).mean()
        text = (
            "K embeddings at random differ from one embedding of all genes by {gains[0]:difference} at K = "
            "{k[0]:setting} and by {gains[1]:difference} at K = {k[1]:setting} (mean over data sets and reductions)."
        )
        told.append(phrase(text, gains=list(gain.iloc[[0, -1]]), k=gain.index[[0, -1]]))
    return sentences(told)


GENE_FINDINGS = {"gene_expression": gene_finding, "m_sensitivity": m_finding, "theta_sensitivity": theta_finding}

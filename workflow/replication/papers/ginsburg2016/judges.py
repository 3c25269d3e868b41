"""
The judges of the kinds of claims that only this paper makes, by the rules of docs/rules.md.

Here are those on one data set, or on several where a claim says so; `fine_set_judges` has those over cohorts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import scipy

from replication.papers.ginsburg2016.fine_metrics import (
    CLASSIFIERS,
    EMBEDDINGS,
    FINE,
    MARKED,
    METHODS,
    REDUCTIONS,
    VECTORS,
    at_best,
    at_count,
    best_counts,
    mean_dimensions,
    methods_in,
    of_variant,
    stability,
    stability_difference,
)
from replication.papers.ginsburg2016.fine_set_judges import (
    auc_of,
    compared,
    judge_accuracies,
    judge_cohorts,
    judge_risk_groups,
    judge_sets,
    judge_steps,
    judged_sets,
    need,
    share_held,
)
from replication.shared.cells import (
    ALPHA,
    Cell,
    cell_of,
    contradicted,
    judged,
    smallest_effect,
    uncontradicted,
)
from replication.shared.count_judges import means_phrases
from replication.shared.judgements import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    case_of,
)
from replication.shared.judges import Judge
from replication.shared.metric_values import variant_names
from replication.shared.statistics import holm
from replication.shared.wording import joined, span

# Of claims on no single classifier.
MEAN = "mean over classifiers"


def judge_stability(table: pd.DataFrame, test: dict) -> Judgement:
    """The Jaccard index of the five top features: its order, and how near it is to the printed values."""
    statements = [tuple(methods_in(names) for names in pair) for pair in test.get("above", [])]
    ranges, limits = _by_method(test.get("ranges", {})), _by_method(test.get("below", {}))
    named = {*ranges, *limits, *(method for pair in statements for names in pair for method in names)}
    named |= set(methods_in(test.get("reported", [])))
    variant = test.get("variant", "")
    wide = stability(table, variant=variant)
    listed = [method for method in METHODS if method in named]
    means = need(wide, listed, f"Jaccard index at {MARKED} features").mean()[listed]
    judged_values = _values_are_judged(table, test, alone=not statements)
    margins = _margins(test)
    order = [
        [Cell(bool(means[first].min() >= means[others].max() + margin))]
        for (first, others), margin in zip(statements, margins, strict=True)
    ]
    tested = "significant" in test and not variant
    cells, gap = _jackknife(table, *statements[test["significant"]]) if tested else ([], "")
    failed = _failed(test, statements, order)
    inside = [
        method not in failed and _within(means[method], bounds, test.get("margin", 0))
        for method, bounds in ranges.items()
    ]
    inside += [bool(means[method] < limit) for method, limit in limits.items()]
    words = [f"Jaccard index at {MARKED} features: {joined(means_phrases(means.rename(METHODS)), ', ')}"]
    chance = stability(table, "jaccard_chance", variant=variant)
    words += [f"chance {chance.mean().mean():.3f}"] if len(chance.columns) else []
    of_variants = _of_variants(table, sorted(named)) if test.get("variants") else ""
    texts = [*words, gap, of_variants, _not_named(judged_values)]
    result = judged(texts, order, tested=False, sizes=inside if judged_values else [])
    return replace(result, significance=judged("", [cells]).significance) if cells else result


def _failed(test: dict, statements: list[tuple[list[str], list[str]]], order: list[list[Cell]]) -> set[str]:
    """Methods whose values are no success, since the contrast that a claim states `together` with them fails."""
    if not test.get("together"):
        return set()
    return {
        method for (first, _), cells in zip(statements, order, strict=True) if not cells[0].holds for method in first
    }


def _margins(test: dict, statements: str = "above") -> list[float]:
    """How far the first methods of each statement have to be from the others: the smallest effect of interest."""
    sizes = (smallest_effect(test, first[0]) for first, _ in test.get(statements, []))
    return [size.effect - ROUNDING if size else ROUNDING for size in sizes]


def _jackknife(table: pd.DataFrame, first: list[str], others: list[str]) -> tuple[list[Cell], str]:
    """The cell of every method of the first above every other one, and the smallest difference."""
    differences = {(a, b): stability_difference(table, a, b) for a in first for b in others}
    missing = [pair for pair, gap in differences.items() if gap is None]
    if missing:
        names = " and ".join(METHODS[name] for name in missing[0])
        raise NotTestable(f"fewer than three values of the Jaccard index with one round left out for {names}")
    cells = [
        Cell(gap.difference > ROUNDING, 0.0 if gap.lower > ROUNDING else 1.0, gap.below_p)
        for gap in differences.values()
    ]
    (a, b), least = min(differences.items(), key=lambda item: item[1].difference)
    above = sum(cell.shown for cell in cells)
    return cells, (
        f"smallest difference {METHODS[a]} - {METHODS[b]} {least.difference:+.3f} (95 % jackknife interval over "
        f"{least.n} rounds {least.low:+.3f} to {least.high:+.3f}); above 0 beyond chance in {above} of "
        f"{len(differences)}"
    )


def _of_variants(table: pd.DataFrame, methods: list[str]) -> str:
    """Range of the Jaccard index over the methods in each variant; not judged."""
    listed = []
    for variant in variant_names(table):
        wide = stability(table, variant=variant)
        means = wide.reindex(columns=methods).mean().dropna()
        if len(means):
            listed.append(f"{variant} {span(means, '.3f')}")
    return f"not judged, variants: {joined(listed, ', ')}" if listed else ""


def judge_accuracy(table: pd.DataFrame, test: dict) -> Judgement:
    """The AUC at the best number of features, or at `count`: its order, and how near it is to the printed values."""
    statements = [tuple(methods_in(names) for names in pair) for pair in test.get("above", [])]
    fewer = [tuple(methods_in(names) for names in pair) for pair in test.get("fewer", [])]
    ranges = _by_method(test.get("ranges", {}))
    judged_values = _values_are_judged(table, test, alone=not statements and not fewer)
    cells = auc_of(table, test.get("variant", ""))
    chosen = at_count(cells, test["count"]) if "count" in test else at_best(cells)
    named = {*ranges, *(method for pair in [*statements, *fewer] for names in pair for method in names)}
    at = f"{test['count']} features" if "count" in test else "the best number of features"
    means = need(chosen, [method for method in METHODS if method in named], f"AUC at {at}").mean()
    by_method = means.groupby(level="method")
    levels = {"mean": by_method.mean(), "highest": by_method.max()}
    compare = test.get("compare", "highest")
    by = [compare] * len(statements) if isinstance(compare, str) else compare
    ahead = [
        [Cell(bool(levels[summary][first].max() >= levels[summary][others].max() + margin))]
        for summary, (first, others), margin in zip(by, statements, _margins(test), strict=True)
    ]
    failed = _failed(test, statements, ahead)
    inside = [
        _within(value, bounds, test["margin"]) and method not in failed
        for method, bounds in ranges.items()
        for value in (means[method] if test["judge"] == "classifiers" else [means[method].mean()])
    ]
    counts = best_counts(cells)
    numbers = counts.groupby(level="method").mean()
    ahead += [
        [Cell(bool(numbers[first].max() + margin <= numbers[others].min()))]
        for (first, others), margin in zip(fewer, _margins(test, "fewer"), strict=True)
    ]
    counts = None if "count" in test else counts
    listed = [_auc_phrase(method, means[method], counts) for method in METHODS if method in named]
    scored = [name for key, name in CLASSIFIERS.items() if key in means.index.unique("classifier")]
    texts = [f"mean AUC at {at} (with {joined(scored, ', ')}): {joined(listed)}"]
    if fewer:
        needed = [f"{METHODS[method]} {numbers[method]:.1f}" for method in METHODS if method in named]
        texts.append(f"best number of features, mean over classifiers: {joined(needed, ', ')}")
    if ranges:
        contrast = ", if the others are below" if test.get("together") else ""
        texts.append(f"within {test['margin']:.6g} of its range{contrast} {sum(inside)} of {len(inside)}")
    texts.append(_not_named(judged_values))
    return judged(texts, ahead, tested=False, sizes=inside if judged_values else [])


def _auc_phrase(method: str, means: pd.Series, counts: pd.Series | None) -> str:
    """AUC of one method by classifier, with the numbers of features."""
    names = [name for name in CLASSIFIERS if name in means]
    listed = [f"{means[name]:.3f}" for name in names]
    text = f"{METHODS[method]} {joined(listed, ', ')}"
    if counts is None or method in EMBEDDINGS:
        return text
    return f"{text} at {joined([counts[method, name] for name in names], ', ')}"


def judge_vectors(table: pd.DataFrame, test: dict) -> Judgement:
    """Features chosen by FINE classify better than the embedding vectors, for each reduction and classifier."""
    areas, share = auc_of(table, test.get("variant", "")), share_held(table)
    found, words = [], []
    for name, wide, chosen in (
        ("at FINE's best number of features", at_best(areas), True),
        ("not judged, at five features", at_count(areas), False),
    ):
        wide = need(wide, [*FINE, *EMBEDDINGS], "AUC at the best number of features and at five")
        units = wide.groupby(level=test["unit"]).mean()
        comparisons = {
            (REDUCTIONS[reduction], over): compared(*pair, unit=test["unit"], share=share)
            for reduction in REDUCTIONS
            for over, pair in _pairs(units, reduction, test.get("classifiers", "each")).items()
        }
        smallest = smallest_effect(test)
        cells = [cell_of(comparison, smallest=smallest) for comparison in comparisons.values()]
        if chosen:
            tried = numbers_tried(areas, test.get("classifiers", "each"))
            cells = [
                replace(cell, p=min(1.0, tried[over] * cell.p))
                for cell, (_, over) in zip(cells, comparisons, strict=True)
            ]
        behind = contradicted(cells)
        held = uncontradicted(cells, behind)
        ahead = (holm([cell.p for cell in held]) < ALPHA).sum()
        differences = pd.Series({key: comparison.mean_difference for key, comparison in comparisons.items()})
        words.append(
            f"{name} above in {sum(differences > ROUNDING)} of {len(held)} cells "
            f"({ahead} by enough and beyond chance, {behind.sum()} below or too little beyond chance), "
            f"difference {span(differences, '+.3f')} (least: {', '.join(differences.round(9).idxmin())})"
        )
        found.append((list(comparisons.values()), cells))
    (tests, cells), _ = found
    # Random forests are fitted in fewer rounds.
    sizes = sorted({comparison.n for comparison in tests}, reverse=True)
    rounds = f" rounds (each draws {share:.0%} of the training samples)"
    drawn = rounds if test["unit"] == "repetition" else f" cohorts{tests[0].overlap}"
    text = f"FINE - embedding vectors, AUC over {joined(sizes, ' or ')}{drawn}: {joined(words)}"
    return judged(text, [[cell] for cell in cells])


def _pairs(units: pd.DataFrame, reduction: str, classifiers: str) -> dict[str, tuple[pd.Series, pd.Series]]:
    """AUC of FINE and of the embedding vectors with each classifier, or in the mean over them."""
    pairs = {}
    for classifier in units.columns.unique("classifier"):
        pair = tuple(units.get((f"{kind}_{reduction}", classifier)) for kind in ("fine", "embedding"))
        if any(areas is None for areas in pair):
            raise NotTestable(f"no AUC of {REDUCTIONS[reduction]} with {CLASSIFIERS[classifier]} in this study")
        pairs[CLASSIFIERS[classifier]] = pair
    if classifiers == "each":
        return pairs
    fine, vectors = (pd.concat(areas, axis=1).mean(axis=1, skipna=False) for areas in zip(*pairs.values(), strict=True))
    return {MEAN: (fine, vectors)}


def numbers_tried(areas: pd.DataFrame, classifiers: str) -> dict[str, int]:
    """How many numbers of features FINE's best is chosen from, by classifier; for their mean, how many combinations."""
    tried = areas.columns.to_frame(index=False).drop_duplicates(["classifier", "n_features"])
    numbers = tried[tried["n_features"] != VECTORS].value_counts("classifier", sort=False)
    if classifiers == "each":
        return {CLASSIFIERS[classifier]: int(n) for classifier, n in numbers.items()}
    return {MEAN: int(numbers.prod())}


def judge_dimensions(table: pd.DataFrame, test: dict) -> Judgement:
    """Mean numbers of dimensions h are within a factor of the printed ones; at the edge of the grid is outside."""
    sets = [name for name in test["paper"] if name in set(table["dataset"])]
    if not sets:
        raise NotTestable(f"the paper's values are for {', '.join(test['paper'])}; none of these is in this study")
    inside, words, pairs = [], [], []
    for name in sets:
        rows = table[table["dataset"] == name]
        dimensions, largest = mean_dimensions(rows, test.get("variant", "")), _largest_dimensions(rows, test["largest"])
        missing = [reduction for reduction in test["paper"][name] if reduction not in dimensions]
        if missing:
            raise NotTestable(f"no number of dimensions of {REDUCTIONS[missing[0]]} on {name} in this study")
        listed = []
        for reduction, paper in test["paper"][name].items():
            h = dimensions[reduction]
            pairs.append((h, paper))
            at_edge = h >= largest - 1
            near = abs(np.log(h / paper)) <= np.log(test["factor"]) + ROUNDING
            inside.append(bool(near and not at_edge))
            edge, outside = " (edge of the grid)" if at_edge else "", "" if inside[-1] else ", outside"
            listed.append(f"{REDUCTIONS[reduction]} {h:.1f}{edge}, paper {paper:.6g}{outside}")
        words.append(f"{name}: {joined(listed)}")
    constant, hits = _best_constant([paper for _, paper in pairs], test["factor"])
    significance, correlation = _ranks_agree(pairs)
    return Judgement(
        f"mean h within a factor of {test['factor']:.2f} in {sum(inside)} of {len(inside)} (the best constant, "
        f"h = {constant:.1f}, in {hits}){correlation}: {joined(words)}",
        REPRODUCED if sum(inside) > hits else NOT_REPRODUCED,
        significance,
        REPRODUCED if all(inside) else NOT_REPRODUCED,
    )


def _best_constant(papers: list[float], factor: float) -> tuple[float, int]:
    """The h that is within a factor of most of the values, the smallest of several, and of how many it is."""
    logs = np.log(papers)
    # What is within reach changes only where an interval around one of the values begins or ends.
    starts = np.sort(logs - np.log(factor))
    hits = [int((np.abs(logs - start) <= np.log(factor) + ROUNDING).sum()) for start in starts]
    return float(np.exp(starts[np.argmax(hits)])), max(hits)


def _ranks_agree(pairs: list[tuple[float, float]]) -> tuple[str, str]:
    """Significance of the rank correlation of measured and printed h, and the correlation."""
    measured, printed = zip(*pairs, strict=True)
    # A constant, and fewer than three cells, rank nothing.
    if len(pairs) < 3 or len(set(measured)) == 1 or len(set(printed)) == 1:
        return INCONCLUSIVE, ""
    ranks = scipy.stats.rankdata(measured), scipy.stats.rankdata(printed)
    # Of few cells the p-value is exact, over all their orders: Student's t is far off.
    method = scipy.stats.PermutationMethod() if len(pairs) <= 7 else None
    above, below = (scipy.stats.pearsonr(*ranks, alternative=side, method=method) for side in ("greater", "less"))
    text = f", rank correlation {above.statistic:.2f} (p = {above.pvalue:.2g})"
    return case_of([above.pvalue < ALPHA], [below.pvalue < ALPHA]), text


def _largest_dimensions(rows: pd.DataFrame, most: int) -> float:
    """Largest h that could be chosen: that of the grid, or the rank of centred samples."""
    rows = of_variant(rows)
    samples = pd.to_numeric(rows.loc[rows["metric"] == "n_round", "value"])
    return min(most, samples.min() - 1) if len(samples) else most


def _by_method(values: dict[str, object]) -> dict[str, object]:
    """Method -> value, of methods and groups."""
    return {method: value for name, value in values.items() for method in methods_in([name])}


def _within(value: float, bounds: list[float], margin: float) -> bool:
    return bool(bounds[0] - margin - ROUNDING <= value <= bounds[1] + margin + ROUNDING)


def _values_are_judged(table: pd.DataFrame, test: dict, *, alone: bool) -> bool:
    """Whether these are the data that printed values belong to; a claim with values alone needs them."""
    named = set(judged_sets(table, test)) <= set(test["across"])
    if alone and not named:
        ran = ", ".join(map(str, table["dataset"].unique()))
        raise NotTestable(f"the paper's values are for {', '.join(test['across'])}, this study ran {ran}")
    return named


def _not_named(judged: bool) -> str:
    return "" if judged else "not judged: the paper's values, which are for other data"


JUDGES: dict[str, Judge] = {
    "ranking/stability": judge_stability,
    "ranking/accuracy": judge_accuracy,
    "compare/vectors": judge_vectors,
    "compare/accuracies": judge_accuracies,
    "compare/steps": judge_steps,
    "count/cohorts": judge_cohorts,
    "count/sets": judge_sets,
    "dimensions": judge_dimensions,
    "risk_groups": judge_risk_groups,
}

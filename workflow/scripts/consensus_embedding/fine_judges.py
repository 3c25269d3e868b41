"""
Kinds of claims on FINE: stability, AUC and dimensions on one data set, and what holds of every score.

Each takes tidy metrics of one data set (or, where a claim says so, of several) and the parameters of a claim, listed in
config/README.md, and raises NotTestable where values are missing. Numbers that the paper prints are judged on the data
sets that a claim names alone; on any other set orders can be judged, but a claim with numbers alone cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from consensus_embedding.fine_set_judges import SET_KINDS, auc_of, compared, holm_flags, judged_sets, need
from consensus_embedding.fine_values import (
    CLASSIFIERS,
    EMBEDDINGS,
    FILTERS,
    FINE,
    MARKED,
    METHODS,
    REDUCTIONS,
    at_best,
    at_count,
    best_counts,
    mean_dimensions,
    of_variant,
    stability,
    stability_difference,
    variants,
)
from consensus_embedding.judgements import NOT_REPRODUCED, REPRODUCED, ROUNDING, Judgement, NotTestable, all_of
from consensus_embedding.retrieval_cells import case_of, combined, span

GROUPS = {"fine": FINE, "filters": FILTERS, "embeddings": EMBEDDINGS}


def methods_in(names: Iterable[str]) -> list[str]:
    """
    Methods that a claim names, one by one or as a group (`GROUPS`).

    Raises
    ------
    ValueError
        If a name is neither.
    """
    found = [method for name in names for method in GROUPS.get(name, (name,))]
    unknown = [name for name in found if name not in METHODS]
    if unknown:
        raise ValueError(f"Unknown method {unknown[0]!r} in a claim; known: {', '.join([*GROUPS, *METHODS])}.")
    return found


def judge_stability(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The Jaccard index of the five top features: its order, and how near it is to the printed values.

    Direction: each statement `above` (methods, others) holds if the least stable of the methods is stabler than the
    stablest of the others. Significance, for the statement with the number `significant`: the one-sided 95 % jackknife
    bound over the rounds of every difference lies above 0; not reproduced if any two-sided interval lies below.
    Magnitude: each method lies within `margin` of its range, or below its limit.
    """
    statements = [tuple(methods_in(names) for names in pair) for pair in test.get("above", [])]
    ranges, limits = _by_method(test.get("ranges", {})), _by_method(test.get("below", {}))
    asked = {*ranges, *limits, *(method for pair in statements for names in pair for method in names)}
    wide = stability(table)
    listed = [method for method in METHODS if method in asked]
    means = need(wide, listed, f"Jaccard index at {MARKED} features").mean()[listed]
    judged = _values_are_judged(table, test, alone=not statements)
    direction = all_of([means[first].min() > means[others].max() + ROUNDING for first, others in statements])
    significance, gap = _jackknife(table, *statements[test["significant"]]) if "significant" in test else ("", "")
    inside = [_within(means[method], of, test.get("margin", 0)) for method, of in ranges.items()]
    inside += [bool(means[method] < limit) for method, limit in limits.items()]
    words = f"Jaccard index at {MARKED} features: {_listed(means)}"
    chance = stability(table, "jaccard_chance")
    words += f"; chance {chance.mean().mean():.3f}" if len(chance.columns) else ""
    return Judgement(
        f"{words}{gap}{_variants_in_words(table, sorted(asked)) if test.get('variants') else ''}{_not_named(judged)}",
        direction if statements else "",
        significance,
        all_of(inside) if judged and inside else "",
    )


def _jackknife(table: pd.DataFrame, first: list[str], others: list[str]) -> tuple[str, str]:
    """Significance of every method of the first above every other one, and the smallest difference in words."""
    found = {(a, b): stability_difference(table, a, b) for a in first for b in others}
    missing = [pair for pair, one in found.items() if one is None]
    if missing:
        names = " and ".join(METHODS[name] for name in missing[0])
        raise NotTestable(f"fewer than three rounds left out in turn with the Jaccard index of {names}")
    part = case_of([one.lower > ROUNDING for one in found.values()], [one.high < -ROUNDING for one in found.values()])
    (a, b), least = min(found.items(), key=lambda item: item[1].difference)
    above = sum(one.lower > ROUNDING for one in found.values())
    return part, (
        f"; smallest difference {METHODS[a]} - {METHODS[b]} {least.difference:+.3f} (95 % jackknife interval over "
        f"{least.n} rounds {least.low:+.3f} to {least.high:+.3f}); above 0 beyond chance in {above} of {len(found)}"
    )


def _variants_in_words(table: pd.DataFrame, methods: list[str]) -> str:
    """Range of the Jaccard index over the methods in each variant; not judged."""
    listed = []
    for variant in variants(table):
        wide = stability(table, variant=variant)
        means = wide.reindex(columns=methods).mean().dropna()
        if len(means):
            listed.append(f"{variant} {span(means, '.3f')}")
    return f"; not judged, variants: {', '.join(listed)}" if listed else ""


def judge_accuracy(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The mean AUC at the best number of features of each method and classifier, or at `count` features.

    Direction: in each statement `above` (methods, others) the highest of the methods is above the highest of the
    others; compared are the classifiers' highest (`compare`: highest) or their mean (mean). Magnitude: each method lies
    within `margin` of its range: with every classifier (`judge`: classifiers), or in the mean over them (mean).
    """
    statements = [tuple(methods_in(names) for names in pair) for pair in test.get("above", [])]
    ranges = _by_method(test.get("ranges", {}))
    judged = _values_are_judged(table, test, alone=not statements)
    if "count" in test and any("halved" in str(source) for source in table["source"].unique()):
        raise NotTestable(f"{test['count']} features are not reached: the training file is not in this study")
    cells = auc_of(table)
    chosen = at_count(cells, test["count"]) if "count" in test else at_best(cells)
    asked = {*ranges, *(method for pair in statements for names in pair for method in names)}
    at = f"{test['count']} features" if "count" in test else "the best number of features"
    means = need(chosen, [method for method in METHODS if method in asked], f"AUC at {at}").mean()
    by_method = means.groupby(level="method")
    levels = by_method.mean() if test.get("compare") == "mean" else by_method.max()
    ahead = [levels[first].max() > levels[others].max() + ROUNDING for first, others in statements]
    inside = [
        _within(value, of, test["margin"])
        for method, of in ranges.items()
        for value in (means[method] if test["judge"] == "classifiers" else [means[method].mean()])
    ]
    counts = None if "count" in test else best_counts(cells)
    listed = [_auc_in_words(method, means[method], counts) for method in METHODS if method in asked]
    inside_words = f"; within {test['margin']:g} of its range {sum(inside)} of {len(inside)}" if ranges else ""
    return Judgement(
        f"mean AUC at {at} (with {', '.join(CLASSIFIERS.values())}): {'; '.join(listed)}{inside_words}"
        f"{_not_named(judged)}",
        all_of(ahead) if statements else "",
        magnitude=all_of(inside) if judged and inside else "",
    )


def _auc_in_words(method: str, means: pd.Series, counts: pd.Series | None) -> str:
    """AUC of one method by classifier, with the numbers of features."""
    words = f"{METHODS[method]} {', '.join(f'{means[name]:.3f}' for name in CLASSIFIERS if name in means)}"
    if counts is None or method in EMBEDDINGS:
        return words
    return f"{words} at {', '.join(str(counts[method, name]) for name in CLASSIFIERS if name in means)}"


def judge_beats_vectors(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Features chosen by FINE classify better than the embedding vectors, for each reduction and classifier.

    Two cases: the number of features that is best for FINE, as the paper reports it, and five. The first is chosen by
    the AUC it is judged on, which favours FINE. A case holds if all its cells do. Significance: one-sided paired
    t-tests over the `unit` (repetition: rounds, which share samples, so that these tests are too sure; or cohort),
    Holm's correction over the cells of both cases, p < 0.05 in all; a case is not reproduced if a cell is below.
    """
    cells = auc_of(table)
    found = {}
    for case, wide in (("best", at_best(cells)), ("five", at_count(cells))):
        wide = need(wide, [*FINE, *EMBEDDINGS], "AUC at the best number of features and at five")
        units = wide.groupby(level=test["unit"]).mean()
        for reduction in REDUCTIONS:
            for classifier in units.columns.unique("classifier"):
                pair = [units.get((f"{kind}_{reduction}", classifier)) for kind in ("fine", "embedding")]
                if any(one is None for one in pair):
                    raise NotTestable(f"no AUC of {REDUCTIONS[reduction]} with {CLASSIFIERS[classifier]} in this study")
                found[case, reduction, classifier] = compared(*pair, unit=test["unit"])
    ahead, behind = holm_flags(list(found.values()))
    flags = pd.DataFrame(
        {
            "difference": [one.mean_difference for one in found.values()],
            "ahead": ahead,
            "behind": behind,
        },
        index=pd.MultiIndex.from_tuples(found, names=["case", "reduction", "classifier"]),
    )
    flags["above"] = flags["difference"] > ROUNDING
    directions, significances, words = [], [], []
    for case, name in (("best", "at FINE's best number of features"), ("five", "at five features")):
        here = flags.loc[case]
        directions.append(REPRODUCED if here["above"].all() else NOT_REPRODUCED)
        significances.append(case_of(here["ahead"], here["behind"]))
        reduction, classifier = here["difference"].round(9).idxmin()
        words.append(
            f"{name} above in {here['above'].sum()} of {len(here)} cells ({here['ahead'].sum()} beyond chance, "
            f"{here['behind'].sum()} below beyond chance), difference {span(here['difference'], '+.3f')} (least: "
            f"{REDUCTIONS[reduction]}, {CLASSIFIERS[classifier]})"
        )
    n = f"{min(one.n for one in found.values())} {_UNITS[test['unit']]}"
    return Judgement(
        f"FINE - embedding vectors, AUC over {n}: {'; '.join(words)}", combined(directions), combined(significances)
    )


_UNITS = {"repetition": "rounds (which share samples)", "cohort": "cohorts"}


def judge_dimensions(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Mean numbers of dimensions h are within a factor of the printed ones.

    A mean within one of the largest allowed h (`largest`, or one less than the samples of a round) is at the edge of
    the grid, no minimum, and counts as outside. Direction: at least half are within; magnitude: all are.
    """
    sets = [name for name in test["paper"] if name in set(table["dataset"])]
    if not sets:
        raise NotTestable(f"the paper's values are for {', '.join(test['paper'])}, none of which is in this study")
    inside, words = [], []
    for name in sets:
        rows = table[table["dataset"] == name]
        found, largest = mean_dimensions(rows), _largest_dimensions(rows, test["largest"])
        missing = [one for one in test["paper"][name] if one not in found]
        if missing:
            raise NotTestable(f"no number of dimensions of {REDUCTIONS[missing[0]]} on {name} in this study")
        listed = []
        for reduction, paper in test["paper"][name].items():
            h = found[reduction]
            at_edge = h >= largest - 1
            near = abs(np.log(h / paper)) <= np.log(test["factor"]) + ROUNDING
            inside.append(bool(near and not at_edge))
            edge = " (edge of the grid)" if at_edge else ""
            listed.append(f"{REDUCTIONS[reduction]} {h:.1f}{edge}, paper {paper:g}{'' if inside[-1] else ', outside'}")
        words.append(f"{name}: {'; '.join(listed)}")
    return Judgement(
        f"mean h within a factor of {test['factor']:.2f} in {sum(inside)} of {len(inside)}: {'; '.join(words)}",
        REPRODUCED if 2 * sum(inside) >= len(inside) else NOT_REPRODUCED,
        magnitude=REPRODUCED if all(inside) else NOT_REPRODUCED,
    )


def _largest_dimensions(rows: pd.DataFrame, most: int) -> float:
    """Largest h that could be chosen: that of the grid, or the rank of centred samples."""
    rows = of_variant(rows)
    samples = pd.to_numeric(rows.loc[rows["metric"] == "n_round", "value"])
    return min(most, samples.min() - 1) if len(samples) else most


def judge_normalised(table: pd.DataFrame, test: dict) -> Judgement:
    """Normalised scores sum to 1 in every round of every data set, and the five top ones add up to some of it."""
    rows = of_variant(table)
    rows = rows[rows["method"].isin(FINE)]
    sums, shares = (
        pd.to_numeric(rows.loc[rows["metric"] == metric, "value"]) for metric in ("score_sum", "share_of_five")
    )
    if sums.empty or shares.empty:
        raise NotTestable("no sum of scores, or no share of the five top ones, in this study")
    error = float((sums - 1).abs().max())
    flags = [error < test["tolerance"], bool(((shares > 0) & (shares <= 1 + ROUNDING)).all())]
    return Judgement(
        f"largest |sum - 1| {error:.2g} over {len(sums)} embeddings; the five top features hold "
        f"{span(shares, '.3f')} of it (mean {shares.mean():.3f})",
        magnitude=REPRODUCED if all(flags) else NOT_REPRODUCED,
    )


def _by_method(values: dict[str, object]) -> dict[str, object]:
    """Method -> value, of methods and groups."""
    return {method: value for name, value in values.items() for method in methods_in([name])}


def _within(value: float, of: list[float], margin: float) -> bool:
    return bool(of[0] - margin - ROUNDING <= value <= of[1] + margin + ROUNDING)


def _values_are_judged(table: pd.DataFrame, test: dict, *, alone: bool) -> bool:
    """Whether these are the data that printed values belong to; a claim with values alone needs them."""
    named = set(judged_sets(table, test)) <= set(test["across"])
    if alone and not named:
        ran = ", ".join(map(str, table["dataset"].unique()))
        raise NotTestable(f"the paper's values are for {', '.join(test['across'])}, this study ran {ran}")
    return named


def _not_named(judged: bool) -> str:
    return "" if judged else "; not judged: the paper's values, which are for other data"


def _listed(means: pd.Series) -> str:
    return ", ".join(f"{METHODS[method]} {value:.3f}" for method, value in means.items())


FINE_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "stability": judge_stability,
    "accuracy": judge_accuracy,
    "beats_vectors": judge_beats_vectors,
    "dimensions": judge_dimensions,
    "normalised": judge_normalised,
    **SET_KINDS,
}

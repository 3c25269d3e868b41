"""What the numbers on feature importance mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from replication.papers.ginsburg2016.fine_sets import (
    LEVEL,
    RANKED,
    SUBSETS,
    FineSet,
    best_count,
    fine_sets,
    jackknife_difference,
    paper_dimensions,
)
from replication.papers.ginsburg2016.fine_tables import by_partition, cohorts
from replication.papers.ginsburg2016.fine_values import (
    CLASSIFIERS,
    CONTROLS,
    EMBEDDINGS,
    FILTERS,
    FINE,
    MARKED,
    METHODS,
    REDUCTIONS,
)
from replication.shared.tables import format_number
from replication.shared.values import compared, highest, is_beyond_chance, name_of, per_set

# Differences below this are rounding.
_EQUAL = 1e-9


def _said(sentences: Iterable[str]) -> str:
    """One paragraph."""
    return " ".join(sentence for sentence in sentences if sentence)


def _span(values: Sequence[float], digits: int = 2) -> str:
    """One number, or the least and the most."""
    ends = [f"{value:.{digits}f}" for value in (min(values), max(values))]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def selection_finding(metrics: pd.DataFrame) -> str:
    """
    Figs. 3 and 4: what is stable, what classifies, and how the two go together.

    Parameters
    ----------
    metrics : DataFrame
        Of feature_selection or pathology.

    Returns
    -------
    str
        A paragraph per data set.
    """
    return "\n\n".join(
        _said([_plan(one), _stability(one), _accuracy(one), _best(one), _vectors(one), _dimensions(one)])
        for one in fine_sets(metrics)
    )


def _plan(one: FineSet) -> str:
    """Sizes, and what was drawn anew."""
    over, numbers = one.over(), {key: one.size(key) for key in ("n_features_all", "n_round", "n_samples", "redrawn")}
    told = {key: format_number(value) for key, value in numbers.items()}
    drawn = f"{over['rounds']} rounds"
    if one.by_cohort:
        drawn = f"{over['cohorts']} {'cohort' if over['cohorts'] == 1 else 'cohorts'} of {drawn}"
    text = (
        f"{one.name} ({one.source}; {told['n_features_all']} features, {told['n_round']} of {told['n_samples']} "
        f"samples in a round, {drawn})"
    )
    again = f", {told['redrawn']} draws thrown away for want of a class" if numbers["redrawn"] > 0 else ""
    constant = one.size("constant")
    still = f", on average {format_number(round(constant, 1))} features constant in a round" if constant > 0 else ""
    return f"{text}{again}{still}:"


def _groups(wide: pd.DataFrame) -> dict[str, list[str]]:
    """Methods that are there, by group."""
    groups = {"FINE": FINE, "filters": FILTERS, "vectors": EMBEDDINGS, "controls": CONTROLS}
    return {name: [method for method in of if method in wide] for name, of in groups.items()}


def _stability(one: FineSet) -> str:
    """The Jaccard index of FINE, the filters and the controls, and the lead of the steadiest."""
    wide = one.per_unit("jaccard")
    groups, means = _groups(wide), wide.mean()
    if not groups["FINE"] or not groups["filters"]:
        return ""
    chance = one.per_unit("jaccard_chance").mean().mean()
    text = (
        f"at {MARKED} features the Jaccard index is {_span(means[groups['FINE']])} for FINE and "
        f"{_span(means[groups['filters']])} for the filters; chance is {chance:.2g}"
    )
    if "variance" in wide:
        text += f", and ranking by variance alone, without labels, reaches {means['variance']:.2f}"
    if min(means[[*groups["FINE"], *groups["filters"]]]) >= 1 - _EQUAL:
        whole = one.size("n_round") >= one.size("n_samples")
        reason = "each round holds all samples, so that the index is 1 by construction"
        return f"{text}: {reason if whole else 'nothing tells the methods apart'}."
    first, second = (highest(wide, groups[group])[0] for group in ("FINE", "filters"))
    return (
        f"{text}. {METHODS[first]} minus {METHODS[second]}, the steadiest of each, picked by these numbers, is "
        f"{_lead(one, first, second)}."
    )


def _lead(one: FineSet, first: str, second: str) -> str:
    """Difference of two Jaccard indices with the interval that belongs to it."""
    if one.by_cohort:
        return _over_cohorts(one.per_unit("jaccard"), first, second)
    difference = (one.per_unit("jaccard")[first] - one.per_unit("jaccard")[second]).mean()
    half = jackknife_difference(one, first, second)
    if pd.isna(half):
        return f"{difference:+.3f} (too few rounds for an interval)"
    beyond = "beyond" if abs(difference) > half else "within"
    return (
        f"{difference:+.3f} (95 % jackknife interval {difference - half:+.3f} to {difference + half:+.3f}, {beyond} "
        "the spread over rounds)"
    )


def _over_cohorts(wide: pd.DataFrame, first: str, second: str) -> str:
    """Mean of the paired difference over cohorts with its interval."""
    found = compared(wide, first, second)
    mean = f"{(wide[first] - wide[second]).mean():+.3f}"
    if found is None:
        return f"{mean} (one cohort, no interval)"
    if is_beyond_chance(found) is None:
        return f"{mean} in every cohort"
    beyond = "beyond" if is_beyond_chance(found) else "within"
    return f"{mean} (95 % interval {found.ci_low:+.3f} to {found.ci_high:+.3f}, {beyond} the spread over cohorts)"


def _accuracy(one: FineSet) -> str:
    """AUC at five, averaged over classifiers."""
    wide = one.per_unit("auc")
    groups, means = _groups(wide), wide.mean()
    if not groups["FINE"] or not groups["filters"]:
        return ""
    first, second = (highest(wide, groups[group])[0] for group in ("FINE", "filters"))
    controls = "".join(f", {SUBSETS[method]} {means[method]:.3f}" for method in groups["controls"])
    return (
        f"The AUC, averaged over classifiers, is {_span(means[groups['FINE']], 3)} for FINE (highest: "
        f"{METHODS[first]}) and {_span(means[groups['filters']], 3)} for the filters (highest: "
        f"{METHODS[second]}){controls}."
    )


def _features(count: int) -> str:
    return f"{count} {'feature' if count == 1 else 'features'}"


def _best(one: FineSet) -> str:
    """The highest AUC over numbers of features."""
    found = []
    for group in (FINE, FILTERS):
        cells = []
        for key, classifier in CLASSIFIERS.items():
            areas = one.per_count("auc", key)
            for method in group:
                count = best_count(areas, method)
                if count is not None:
                    cells.append((areas[count][method].mean(), f"{METHODS[method]}, {classifier}, {_features(count)}"))
        if not cells:
            return ""
        area, name = max(cells, key=lambda cell: cell[0])
        found.append(f"{area:.3f} ({name})")
    return (
        f"At the best number of features the highest AUC is {found[0]} of FINE and {found[1]} of the filters; as the "
        "number is picked on the same samples, both are too high."
    )


def _vectors(one: FineSet) -> str:
    """In how many cells the features of FINE classify better than the embedding vectors, at five."""
    ahead, cells = 0, 0
    for key in CLASSIFIERS:
        means = one.per_unit("auc", classifiers=(key,)).mean()
        for reduction in REDUCTIONS:
            pair = f"fine_{reduction}", f"embedding_{reduction}"
            if set(pair) <= set(means.index):
                cells += 1
                ahead += bool(means[pair[0]] > means[pair[1]])
    if not cells:
        return ""
    return (
        f"The {MARKED} features of FINE classify better than the embedding vectors of the same reduction in {ahead} of "
        f"{cells} pairs of reduction and classifier."
    )


def _dimensions(one: FineSet) -> str:
    """Mean h, beside the paper's where the data are the paper's."""
    h, paper = one.per_unit("n_components").mean(), paper_dimensions(one)
    told = [
        f"{name} {h[f'embedding_{key}']:.1f}" + (f" ({paper[key]})" if key in paper else "")
        for key, name in REDUCTIONS.items()
        if f"embedding_{key}" in h
    ]
    return f"Mean dimensions h{' (paper)' if paper else ''}: {', '.join(told)}." if told else ""


def survival_finding(metrics: pd.DataFrame) -> str:
    """
    Fig. 6: whether the risk groups differ for patients that no step has seen.

    Parameters
    ----------
    metrics : DataFrame
        Of survival.

    Returns
    -------
    str
        A paragraph per data set and cohort.
    """
    parts = []
    for name, source, rows in per_set(metrics):
        found = by_partition(rows)
        for cohort in cohorts(rows):
            here = found[found["cohort"] == cohort]
            n = here["repetition"].nunique()
            size = "all patients" if cohort == "all" else f"{cohort} patients"
            head = f"{name} ({source}), {size}, {n} {'partition' if n == 1 else 'partitions'}"
            cross, same = (here[here["fit"] == fit] for fit in ("cross-fitted", "same patients"))
            parts.append(
                f"{head}: cross-fitted, {_p_values(cross)}. With features, regression and groups from the same "
                f"patients, {_p_values(same)}.{_partitions(cross)}"
            )
    return "\n\n".join(parts)


def _p_values(rows: pd.DataFrame) -> str:
    """Median p of FINE, the filters and the control, and how many of FINE are below 0.05."""
    medians = rows.groupby("method")["log_rank_p"].median()
    told = []
    for group, methods in {"FINE": FINE, "the filters": FILTERS, "random features": ("random",)}.items():
        of = medians.reindex([method for method in methods if method in medians.index]).dropna()
        if len(of):
            ends = [f"{value:.2g}" for value in (of.min(), of.max())]
            told.append(f"{ends[0] if ends[0] == ends[1] else ' to '.join(ends)} for {group}")
    fine = medians.reindex([method for method in FINE if method in medians.index]).dropna()
    below = f" (below {LEVEL:g} for {(fine < LEVEL).sum()} of {len(fine)} FINE)" if len(fine) else ""
    return f"the median p of the log-rank test is {', '.join(told)}{below}" if told else "there is no test"


def _partitions(rows: pd.DataFrame) -> str:
    """How much the verdict depends on the partition."""
    fine = rows[rows["method"].isin(FINE)]
    if fine["repetition"].nunique() < 2:
        return ""
    shares = [float((of["log_rank_p"] < LEVEL).mean()) for _, of in fine.groupby("method")]
    span = _span([100 * share for share in shares], 0)
    return f" Cross-fitted, p is below {LEVEL:g} in {span} % of the partitions, by the reduction of FINE."


def planted_finding(metrics: pd.DataFrame) -> str:
    """
    Whether rankings find the features that are known to matter, at the largest effect.

    Parameters
    ----------
    metrics : DataFrame
        Of planted_features.

    Returns
    -------
    str
        A sentence per structure and scale of the nuisance features.
    """
    parts = []
    for _, source, rows in per_set(metrics):
        rows = rows[rows["metric"] == "ranking_auc"].astype({"value": float, "effect": float})
        largest = rows["effect"].max()
        rows = rows[rows["effect"] == largest]
        told = [
            f"{structure} with nuisance SD {name_of(nuisance)}: {_ranked(of)}"
            for (structure, nuisance), of in rows.groupby(["structure", "nuisance"], sort=False)
        ]
        parts.append(
            f"AUC of the ranking against the planted truth ({source}; 0.5 is chance) at an effect of "
            f"{largest:g} SD. {'. '.join(told)}."
        )
    return "\n\n".join(parts)


def _ranked(rows: pd.DataFrame) -> str:
    """FINE beside the filters, variance alone and permutation importance; which is the best."""
    means = rows.groupby("method")["value"].mean()
    groups = {"FINE": FINE, "filters": FILTERS, "variance alone": ("variance",)}
    groups |= {"permutation importance": ("permutation",)}
    told = [
        f"{name} {_span(means[of])}"
        for name, methods in groups.items()
        if (of := [method for method in methods if method in means.index])
    ]
    first = means[means >= means.max() - _EQUAL].index
    best = RANKED[first[0]] if len(first) == 1 else f"{len(first)} methods alike"
    return f"{', '.join(told)}; highest {best}"


FINE_FINDINGS: dict[str, Callable[[pd.DataFrame], str]] = {
    "feature_selection": selection_finding,
    "pathology": selection_finding,
    "survival": survival_finding,
    "planted_features": planted_finding,
}

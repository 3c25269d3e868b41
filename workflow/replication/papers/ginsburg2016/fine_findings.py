"""What the numbers on feature importance mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable

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
from replication.shared.values import compared, highest, is_beyond_chance, name_of, per_set
from replication.shared.wording import Phrase, paragraphs, phrase, sentences

# Differences below this are rounding.
_EQUAL = 1e-9


def selection_finding(metrics: pd.DataFrame) -> Phrase:
    """
    Figs. 3 and 4: what is stable, what classifies, and how the two go together.

    Parameters
    ----------
    metrics : DataFrame
        Of feature_selection or pathology.

    Returns
    -------
    Phrase
        A paragraph per data set.
    """
    return paragraphs(
        sentences([_plan(one), _stability(one), _accuracy(one), _best(one), _vectors(one), _dimensions(one)])
        for one in fine_sets(metrics)
    )


def _plan(one: FineSet) -> Phrase:
    """Sizes, and what was drawn again."""
    over, sizes = one.over(), {key: one.size(key) for key in ("n_features_all", "n_round", "n_samples", "redrawn")}
    noise = one.size("noise")
    several = "{over[cohorts]} cohort of " if over["cohorts"] == 1 else "{over[cohorts]} cohorts of "
    cohorts = phrase(several, over=over) if one.by_cohort else ""
    again = (
        phrase(", {redrawn:number} draws discarded because a class was missing", **sizes)
        if sizes["redrawn"] > 0
        else ""
    )
    constant = one.size("constant")
    text = ", on average {mean:number} features constant in a round"
    still = phrase(text, mean=round(constant, 1)) if constant > 0 else ""
    added = phrase(" with noise of {noise:setting} SD", noise=noise) if noise > 0 else ""
    text = (
        "{one.name} ({one.source}{added}; {n_features_all:number} features, {n_round:number} of {n_samples:number} "
        "samples in a round, {cohorts}{over[rounds]} rounds){again}{still}:"
    )
    return phrase(text, one=one, added=added, **sizes, cohorts=cohorts, over=over, again=again, still=still)


def _groups(wide: pd.DataFrame) -> dict[str, list[str]]:
    """Methods that are there, by group."""
    groups = {"FINE": FINE, "filters": FILTERS, "vectors": EMBEDDINGS, "controls": CONTROLS}
    return {name: [method for method in of if method in wide] for name, of in groups.items()}


def _stability(one: FineSet) -> Phrase | str:
    """The Jaccard index of FINE, the filters and the controls, and the lead of the steadiest."""
    wide = one.per_unit("jaccard")
    groups, means = _groups(wide), wide.mean()
    if not groups["FINE"] or not groups["filters"]:
        return ""
    chance = one.per_unit("jaccard_chance").mean().mean()
    fine, filters = (means[groups[name]] for name in ("FINE", "filters"))
    text = ", and ranking by variance alone, without labels, reaches {mean:value 2}"
    alone = phrase(text, mean=means["variance"]) if "variance" in wide else ""
    text = (
        "at {count} features the Jaccard index is {fine:span value 2} for FINE and {filters:span value 2} for the "
        "filters; chance is {chance:size}{alone}"
    )
    told = phrase(text, count=MARKED, fine=fine, filters=filters, chance=chance, alone=alone)
    if min(means[[*groups["FINE"], *groups["filters"]]]) >= 1 - _EQUAL:
        has_all = one.size("n_round") >= one.size("n_samples")
        reason = "each round contains all samples, so the index is 1 by construction"
        return phrase("{told}: {reason}.", told=told, reason=reason if has_all else "nothing separates the methods")
    first, second = (highest(wide, groups[group])[0] for group in ("FINE", "filters"))
    text = "{told}. {first} minus {second}, the steadiest of each, picked by these numbers, is {lead}."
    return phrase(text, told=told, first=METHODS[first], second=METHODS[second], lead=_lead(one, first, second))


def _lead(one: FineSet, first: str, second: str) -> Phrase:
    """Difference of two Jaccard indices with the interval that belongs to it."""
    if one.by_cohort:
        return _over_cohorts(one.per_unit("jaccard"), first, second)
    difference = (one.per_unit("jaccard")[first] - one.per_unit("jaccard")[second]).mean()
    half = jackknife_difference(one, first, second)
    if pd.isna(half):
        return phrase("{gap:difference} (too few rounds for an interval)", gap=difference)
    beyond = "beyond" if abs(difference) > half else "within"
    text = "{gap:difference} (95 % jackknife interval {ends:interval difference}, {beyond} the spread over rounds)"
    return phrase(text, gap=difference, ends=(difference - half, difference + half), beyond=beyond)


def _over_cohorts(wide: pd.DataFrame, first: str, second: str) -> Phrase:
    """Mean of the paired difference over cohorts with its interval."""
    found = compared(wide, first, second)
    mean = (wide[first] - wide[second]).mean()
    if found is None:
        return phrase("{mean:difference} (one cohort, no interval)", mean=mean)
    if is_beyond_chance(found) is None:
        return phrase("{mean:difference} in every cohort", mean=mean)
    beyond = "beyond" if is_beyond_chance(found) else "within"
    text = "{mean:difference} (95 % interval {ends:interval difference}, {beyond} the spread over cohorts)"
    return phrase(text, mean=mean, ends=(found.ci_low, found.ci_high), beyond=beyond)


def _accuracy(one: FineSet) -> Phrase | str:
    """AUC at five, averaged over classifiers."""
    wide = one.per_unit("auc")
    groups, means = _groups(wide), wide.mean()
    if not groups["FINE"] or not groups["filters"]:
        return ""
    first, second = (highest(wide, groups[group])[0] for group in ("FINE", "filters"))
    controls = [phrase("{name} {mean:value}", name=SUBSETS[of], mean=means[of]) for of in groups["controls"]]
    text = (
        "The AUC, averaged over classifiers, is {fine:span value} for FINE (highest: {first}) and {filters:span value} "
        "for the filters (highest: {second})"
    )
    by_group = {"fine": means[groups["FINE"]], "filters": means[groups["filters"]]}
    told = phrase(text, **by_group, first=METHODS[first], second=METHODS[second])
    return phrase("{told:, }.", told=[told, *controls])


def _features(count: int) -> Phrase:
    return phrase("{count} feature" if count == 1 else "{count} features", count=count)


def _best(one: FineSet) -> Phrase | str:
    """The highest AUC over numbers of features."""
    found = []
    for group in (FINE, FILTERS):
        cells = []
        for key, classifier in CLASSIFIERS.items():
            areas = one.per_count("auc", key)
            for method in group:
                count = best_count(areas, method)
                if count is not None:
                    cells.append((areas[count][method].mean(), [METHODS[method], classifier, _features(count)]))
        if not cells:
            return ""
        area, name = max(cells, key=lambda cell: cell[0])
        found.append(phrase("{area:value} ({name:, })", area=area, name=name))
    text = (
        "At the best number of features the highest AUC is {found[0]} for FINE and {found[1]} for the filters; as the "
        "number is picked on the same samples, both are too high."
    )
    return phrase(text, found=found)


def _vectors(one: FineSet) -> Phrase | str:
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
    text = (
        "The {count} features of FINE classify better than the embedding vectors of the same reduction in {ahead} of "
        "{cells} pairs of reduction and classifier."
    )
    return phrase(text, count=MARKED, ahead=ahead, cells=cells)


def _dimensions(one: FineSet) -> Phrase | str:
    """Mean h, with the paper's where the data are the paper's."""
    h, paper = one.per_unit("n_components").mean(), paper_dimensions(one)
    told = []
    for key, name in REDUCTIONS.items():
        if f"embedding_{key}" in h:
            text = "{name} {h:value 1} ({paper})" if key in paper else "{name} {h:value 1}"
            told.append(phrase(text, name=name, h=h[f"embedding_{key}"], paper=paper.get(key)))
    text = "Mean dimensions h (paper): {told:, }." if paper else "Mean dimensions h: {told:, }."
    return phrase(text, told=told) if told else ""


def survival_finding(metrics: pd.DataFrame) -> Phrase:
    """
    Fig. 6: whether the risk groups differ for patients that no step has seen.

    Parameters
    ----------
    metrics : DataFrame
        Of survival.

    Returns
    -------
    Phrase
        A paragraph per data set and cohort.
    """
    parts = []
    for name, source, rows in per_set(metrics):
        found = by_partition(rows)
        for cohort in cohorts(rows):
            here = found[found["cohort"] == cohort]
            n = here["repetition"].nunique()
            cross, same = (here[here["fit"] == fit] for fit in ("cross-fitted", "same patients"))
            text = (
                "{name} ({source}), {cohort} patients, {n} {partitions}: cross-fitted, {cross}. With features, "
                "regression and groups from the same patients, {same}."
            )
            head = {"name": name, "source": source, "cohort": str(cohort), "n": n}
            head["partitions"] = "partition" if n == 1 else "partitions"
            told = phrase(text, **head, cross=_p_values(cross), same=_p_values(same))
            parts.append(sentences([told, _partitions(cross)]))
    return paragraphs(parts)


def _p_values(rows: pd.DataFrame) -> Phrase | str:
    """Median p of FINE, the filters and the control, and how many of FINE are below 0.05."""
    medians = rows.groupby("method")["log_rank_p"].median()
    told = []
    for group, methods in {"FINE": FINE, "the filters": FILTERS, "random features": ("random",)}.items():
        of = medians.reindex([method for method in methods if method in medians.index]).dropna()
        if len(of):
            told.append(phrase("{p:span p} for {group}", p=of, group=group))
    fine = medians.reindex([method for method in FINE if method in medians.index]).dropna()
    text = " (below {level:setting} for {below} of {n} FINE)"
    below = phrase(text, level=LEVEL, below=(fine < LEVEL).sum(), n=len(fine)) if len(fine) else ""
    text = "the median p of the log-rank test is {told:, }{below}"
    return phrase(text, told=told, below=below) if told else "there is no test"


def _partitions(rows: pd.DataFrame) -> Phrase | str:
    """How much the verdict depends on the partition."""
    fine = rows[rows["method"].isin(FINE)]
    if fine["repetition"].nunique() < 2:
        return ""
    shares = [float((of["log_rank_p"] < LEVEL).mean()) for _, of in fine.groupby("method")]
    text = (
        "Cross-fitted, p is below {level:setting} in {shares:span points 0} % of the partitions, by the reduction of "
        "FINE."
    )
    return phrase(text, level=LEVEL, shares=shares)


def planted_finding(metrics: pd.DataFrame) -> Phrase:
    """
    Whether rankings find the features that are known to matter, at the largest effect.

    Parameters
    ----------
    metrics : DataFrame
        Of planted_features.

    Returns
    -------
    Phrase
        A sentence per structure and scale of the nuisance features.
    """
    parts = []
    for _, source, rows in per_set(metrics):
        rows = rows[rows["metric"] == "ranking_auc"].astype({"value": float, "effect": float})
        largest = rows["effect"].max()
        rows = rows[rows["effect"] == largest]
        told = [
            phrase("{name} with nuisance SD {sd}: {ranked}", name=structure, sd=name_of(nuisance), ranked=_ranked(of))
            for (structure, nuisance), of in rows.groupby(["structure", "nuisance"], sort=False)
        ]
        text = (
            "AUC of the ranking against the planted truth ({source}; 0.5 is chance) at an effect of {effect:setting} "
            "SD. {told:. }."
        )
        parts.append(phrase(text, source=source, effect=largest, told=told))
    return paragraphs(parts)


def _ranked(rows: pd.DataFrame) -> Phrase:
    """FINE compared with the filters, variance alone and permutation importance; which is the best."""
    means = rows.groupby("method")["value"].mean()
    groups = {"FINE": FINE, "filters": FILTERS, "variance alone": ("variance",)}
    groups |= {"permutation importance": ("permutation",)}
    told = [
        phrase("{name} {means:span value 2}", name=name, means=means[of])
        for name, methods in groups.items()
        if (of := [method for method in methods if method in means.index])
    ]
    first = means[means >= means.max() - _EQUAL].index
    best = RANKED[first[0]] if len(first) == 1 else f"{len(first)} methods alike"
    return phrase("{told:, }; highest {best}", told=told, best=best)


FINE_FINDINGS: dict[str, Callable[[pd.DataFrame], Phrase]] = {
    "feature_selection": selection_finding,
    "pathology": selection_finding,
    "survival": survival_finding,
    "planted_features": planted_finding,
}

"""What the numbers on extrapolated embeddings mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from replication.papers.sparks2011.retrieval_tables import (
    GROUPS,
    MAIN_SCORES,
    class_names,
    errors,
    has_regions,
    n_retrieved,
    needed,
    seconds,
    separations,
    variant_names,
)
from replication.papers.sparks2011.retrieval_values import (
    MARGIN,
    METHODS,
    METRICS,
    OBJECTS,
    Cell,
    at_cell,
    changed,
    class_sizes,
    curve,
    query_cell,
)
from replication.shared.tables import format_number
from replication.shared.values import compared, is_beyond_chance, name_of, per_set

_PAIRED = "paired over draws, 95 % intervals, uncorrected"
# What limits the intervals of data that are not drawn anew, by source or name.
_DRAWN = {
    "own": "the items are the same in each draw and only the split is new, so that the intervals are too narrow and "
    "nothing is said of chance",
    "digits": "the draws share a pool of about 1198 images, so that the intervals are narrower than for new images",
}
# What still rounds to the paper's order of 10^-4.
_ORDER = 10**-3.5
_PRINTED = "by L1 norm (as printed)"
_NAMES = {**METHODS, "dissimilarity": "the dissimilarity itself"}
# What stands in the table of `needed`, in words.
_PAPER_NEEDED = {
    "50": "paper: 50 %",
    "20": "for SI at S = 90 % 20 %",
    "70": "paper: 70 %",
    "> 90": "paper, on its own glands, for large S: more than 90 %",
}


def _said(sentences: Iterable[str]) -> str:
    """One paragraph."""
    return " ".join(sentence for sentence in sentences if sentence)


def _says_chance(source: str) -> bool:
    """Whether draws are new enough to tell what is beyond chance: not those of one's own items."""
    return source != "own"


def _difference(wide: pd.DataFrame, first: str, second: str, digits: int = 3, *, chance: bool = True) -> str:
    """Mean of the paired difference, its interval, and whether it leaves out 0 if that tells of chance."""
    found = compared(wide, first, second)
    mean = f"{(wide[first] - wide[second]).mean():+.{digits}f}"
    if found is None:
        return f"{mean} (one draw, no interval)"
    if found.ci_low == found.ci_high:
        return f"{mean} in every draw"
    told = ", beyond chance" if is_beyond_chance(found) else ", not beyond chance"
    return f"{mean} ({found.ci_low:+.{digits}f} to {found.ci_high:+.{digits}f}{told if chance else ''})"


def swiss_roll_finding(metrics: pd.DataFrame) -> str:
    """
    Fig. 1(a), (b): what extrapolation reaches on the Swiss roll, and how much of it is known labels.

    Parameters
    ----------
    metrics : DataFrame
        Of swiss_roll.

    Returns
    -------
    str
        One paragraph on scores and one on the method.
    """
    return "\n\n".join(_said(part) for case in per_set(metrics) for part in (_of_scores(*case), _of_method(case[2])))


def gland_retrieval_finding(metrics: pd.DataFrame) -> str:
    """
    Fig. 1(c), (d) and Fig. 2: what extrapolation reaches on each data set, and what a query returns.

    Parameters
    ----------
    metrics : DataFrame
        Of gland_retrieval.

    Returns
    -------
    str
        Paragraphs on scores, retrieval and the method, for each data set.
    """
    parts = [
        _said(part)
        for case in per_set(metrics)
        for part in (_of_scores(*case), _of_retrieval(*case[1:]), _of_method(case[2]))
    ]
    return "\n\n".join(filter(None, parts))


def _of_scores(name: str, source: str, rows: pd.DataFrame) -> list[str]:
    """Scores at the query cell, where they come from, and what they stand beside."""
    cell = query_cell(rows)
    sizes = class_sizes(rows)
    classes = ", ".join(f"{name_of(of)} {size:.0f}" for of, size in sizes.items())
    head = f"{name} ({source}; {classes})"
    if cell is None:
        return [f"{head}: the shares of the query are not among those that were run."]
    wide = {objects: at_cell(rows, cell, "auprc", objects=objects) for objects in OBJECTS}
    n, chance = len(wide["all"]), _says_chance(source)
    limits = "".join(f"; {told}" for of, told in _DRAWN.items() if of in (source, name))
    ours = {objects: of["ose_ssl"].mean() for objects, of in wide.items()}
    return [
        f"{head}, {n} {'draw' if n == 1 else 'draws'}, M = {100 * cell.training:g} % and S = "
        f"{100 * cell.labelled:g} % (differences are {_PAIRED}{limits}): the AUPRC of "
        f"OSE-SSL, averaged over classes, is {ours['all']:.3f} over all objects, {ours['training']:.3f} over training "
        f"objects, {100 * cell.labelled:g} % of whose labels are given, and {ours['extrapolated']:.3f} over "
        f"extrapolated ones; chance is {wide['all']['random'].mean():.3f}{_chance_of_queries(rows, cell)}. The "
        f"silhouette index is {_silhouettes(rows, cell)}.",
        _lead(wide, chance),
        _beside_dissimilarity(wide["extrapolated"], chance),
        "Computing the embedding anew with the same labels reaches an AUPRC of "
        f"{wide['extrapolated']['recomputed'].mean():.3f} over the extrapolated objects; OSE-SSL minus that is "
        f"{_difference(wide['extrapolated'], 'ose_ssl', 'recomputed', chance=chance)}.",
    ]


def _silhouettes(rows: pd.DataFrame, cell: Cell) -> str:
    """The silhouette index over the same groups of objects."""
    found = [at_cell(rows, cell, "si", objects=objects).mean() for objects in ("all", "training", "extrapolated")]
    ours, theirs = ([f"{of[method]:.3f}" for of in found] for method in ("ose_ssl", "nm_ge"))
    return f"{', '.join(ours[:2])} and {ours[2]} (NM-GE: {', '.join(theirs[:2])} and {theirs[2]})"


def _chance_of_queries(rows: pd.DataFrame, cell: Cell) -> str:
    """Chance of the other average, where classes differ in size."""
    sizes = class_sizes(rows)
    if sizes.min() == sizes.max():
        return ""
    of_queries = at_cell(rows, cell, "auprc_queries", objects="all")["random"].mean()
    return f" ({of_queries:.3f} if averaged over queries)"


def _lead(wide: dict[str, pd.DataFrame], chance: bool) -> str:
    """The lead over NM-GE, and what is left of it for objects that were not in training."""
    text = (
        f"OSE-SSL minus NM-GE is {_difference(wide['all'], 'ose_ssl', 'nm_ge', chance=chance)} over all objects and "
        f"{_difference(wide['extrapolated'], 'ose_ssl', 'nm_ge', chance=chance)} over extrapolated ones"
    )
    if not chance:
        return f"{text}."
    of_all, of_new = (compared(wide[objects], "ose_ssl", "nm_ge") for objects in GROUPS)
    if is_beyond_chance(of_new) and of_new.mean_difference < 0:
        return f"{text}: for new objects NM-GE is ahead."
    if not is_beyond_chance(of_all) or of_all.mean_difference <= 0 or is_beyond_chance(of_new) is None:
        return f"{text}."
    if not is_beyond_chance(of_new):
        return f"{text}: for new objects there is no lead beyond chance."
    kept = of_new.mean_difference / of_all.mean_difference
    if kept >= 1:
        return f"{text}: the lead is no smaller for new objects."
    return f"{text}: {100 * kept:.0f} % of the lead over all objects is left for new ones."


def _beside_dissimilarity(wide: pd.DataFrame, chance: bool) -> str:
    """Whether the embedding retrieves better than the dissimilarity it is made from."""
    text = (
        "Ranking by the dissimilarity itself, without an embedding or labels, has an AUPRC of "
        f"{wide['dissimilarity'].mean():.3f} over the extrapolated objects; OSE-SSL minus that is "
        f"{_difference(wide, 'ose_ssl', 'dissimilarity', chance=chance)}, NM-GE minus that "
        f"{_difference(wide, 'nm_ge', 'dissimilarity', chance=chance)}"
    )
    found = compared(wide, "ose_ssl", "dissimilarity")
    if not chance or not is_beyond_chance(found):
        return f"{text}."
    better = found.mean_difference > 0
    return f"{text}: for new objects OSE-SSL retrieves {'better' if better else 'worse'} than what it is made from."


def _of_method(rows: pd.DataFrame) -> list[str]:
    """What suffices for training, what the error says, where the graph falls apart, and what details change."""
    return [_reached(rows), _approximation(rows), _pieces(rows), _changes(rows)]


def _reached(rows: pd.DataFrame) -> str:
    """The share of training objects from which on extrapolation stays near the embedding of all objects."""
    table = needed(rows).dropna(subset="needed M (%)")
    if table.empty:
        return "Fewer than two draws: nothing is said of how large the training must be."
    parts = []
    for method, reference in (("ose_ssl", "ssge"), ("ose_ssl", "recomputed"), ("nm_ge", "ge")):
        here = table[(table["method"] == METHODS[method]) & (table["reference"] == METHODS[reference])]
        told = [
            f"{METRICS[score]} {_span(of['needed M (%)'])} over {OBJECTS[objects]}{' objects' * (objects != 'all')}"
            for score in MAIN_SCORES
            for objects in GROUPS
            if len(of := here[(here["score"] == METRICS[score]) & (here["objects"] == OBJECTS[objects])])
        ]
        of_paper = [words for text, words in _PAPER_NEEDED.items() if (here["needed M (%), paper"] == text).any()]
        paper = f" ({', '.join(of_paper)})" if of_paper else ""
        parts.append(f"{METHODS[method]} to {METHODS[reference]}: {', '.join(told)}{paper}")
    return (
        f"The smallest M from which on a method is at most {MARGIN:g} below the embedding of all objects (one-sided "
        f"95 % bound; median over S and range): {'; '.join(parts)}."
    )


def _span(percent: pd.Series) -> str:
    """Median and range of shares in percent; 100: no share below."""
    words = {value: "none below 100 %" if value == 100 else f"{value:g} %" for value in percent}
    median = percent.median()
    told = words.get(median, f"{median:g} %")
    if len(words) == 1:
        return told
    return f"{told} ({words[percent.min()]} to {words[percent.max()]})"


def _approximation(rows: pd.DataFrame) -> str:
    """Whether the printed error tells an approximation from nothing."""
    table = errors(rows)
    if table.empty:
        return ""
    relative, ours, zero = table["relative (Frobenius)"], table[_PRINTED], table[f"{_PRINTED}, zero matrix"]
    low, zero_low = int((ours <= _ORDER).sum()), int((zero <= _ORDER).sum())
    worse = int((relative > 1).sum())
    above = f", in {worse} of {len(table)} cells more than that of zeros" if worse else ""
    text = (
        "The relative error of the approximated similarities, of which a matrix of zeros has 1, is "
        f"{relative.min():.2g} to {relative.max():.2g} over M, S and both methods{above}. As printed, divided by the "
        f"L1 norm, it is {ours.min():.2g} to {ours.max():.2g}, and that of zeros {zero.min():.2g} to {zero.max():.2g}; "
        f"in {low} of {len(table)} cells it is no more than the order of 10^-4 that the paper prints, for zeros in "
        f"{zero_low}"
    )
    text = f"{text}: there that order says nothing of how good an approximation is." if zero_low else f"{text}."
    if "swiss_roll" not in set(rows["dataset"]):
        return text
    return (
        f"{text} Cut off at the radius the kernel is not positive definite, so that the inverse of the training "
        "similarities has huge entries: this is not the error of the embedding in few dimensions."
    )


def _pieces(rows: pd.DataFrame) -> str:
    """Where the training graph falls apart or leaves new objects alone."""
    found = {metric: curve(rows, metric, "training_graph", objects="").mean() for metric in ("pieces", "isolated")}
    if found["pieces"].empty:
        return ""
    broken = found["pieces"][(found["pieces"] > 1) | (found["isolated"] > 0)]
    if broken.empty:
        return "At every M the training graph is one piece, with every new object in some neighbourhood."
    parts = [
        f"at M = {100 * share:g} % {pieces:.1f} pieces and {found['isolated'][share]:.1f} new objects outside every "
        "neighbourhood"
        for share, pieces in broken.items()
    ]
    return f"On average over the draws the training graph has {'; '.join(parts)}."


def _changes(rows: pd.DataFrame) -> str:
    """What one changed detail does to OSE-SSL."""
    cell, names = query_cell(rows), variant_names(rows)
    if cell is None or not names:
        return ""
    main = at_cell(rows, cell, "auprc")["ose_ssl"]
    parts = []
    for name in names:
        other = at_cell(changed(rows, variant=name), cell, "auprc")["ose_ssl"]
        parts.append(f"{name} {_difference(pd.DataFrame({'changed': other, 'main': main}), 'changed', 'main')}")
    return f"One detail changed, the AUPRC of OSE-SSL over extrapolated objects moves by: {'; '.join(parts)}."


def _of_retrieval(source: str, rows: pd.DataFrame) -> list[str]:
    """First items by class, regions, and the separation of the classes."""
    cell = query_cell(rows)
    if cell is None:
        return []
    return [_first_items(rows, cell, _says_chance(source)), _regions(rows, cell), _separations(rows, cell)]


def _first_items(rows: pd.DataFrame, cell: Cell, chance: bool) -> str:
    methods = ("ose_ssl", "nm_ge", "dissimilarity", "random")
    found = {name: at_cell(rows, cell, "same_of_first", label=name) for name in class_names(rows)}
    found = {name: wide for name, wide in found.items() if len(wide)}
    if not found:
        return ""
    parts = [
        f"{name_of(name)} {', '.join(f'{wide[method].mean():.2f}' for method in methods)}"
        for name, wide in found.items()
    ]
    rarest, wide = next(iter(found.items()))
    return (
        f"Of the first {n_retrieved(rows)} items that a new object returns, of its own class are (OSE-SSL, "
        f"NM-GE, the dissimilarity itself, chance): {'; '.join(parts)}; for {name_of(rarest)}, OSE-SSL minus NM-GE "
        f"{_difference(wide, 'ose_ssl', 'nm_ge', 2, chance=chance)}, minus the dissimilarity "
        f"{_difference(wide, 'ose_ssl', 'dissimilarity', 2, chance=chance)}."
    )


def _regions(rows: pd.DataFrame, cell: Cell) -> str:
    """What is lost if no object of a query's region is in training, though its region mates are still ranked."""
    if not has_regions(rows):
        return ""
    both = pd.DataFrame(
        {split: at_cell(changed(rows, split=split), cell, "auprc")["ose_ssl"] for split in ("regions", "objects")}
    )
    return (
        f"With whole regions in training or outside (objects of a query's region outside training are still ranked), "
        f"the AUPRC of OSE-SSL over extrapolated objects is "
        f"{both['regions'].mean():.3f}, by single objects {both['objects'].mean():.3f}: "
        f"{_difference(both, 'regions', 'objects')}."
    )


def _separations(rows: pd.DataFrame, cell: Cell) -> str:
    """How retrieval of new objects follows the separation of the classes, and where OSE-SSL leads."""
    steps = separations(rows)
    if not steps:
        return ""
    found = {at: at_cell(changed(rows, separation=at), cell, "auprc") for at in steps}
    ends = [
        f"{_NAMES[method]} from {found[steps[0]][method].mean():.3f} to {found[steps[-1]][method].mean():.3f}"
        for method in ("ose_ssl", "nm_ge", "dissimilarity")
    ]
    leads = [
        f"over {_NAMES[other]} {_where({at: compared(wide, 'ose_ssl', other) for at, wide in found.items()})}"
        for other in ("nm_ge", "dissimilarity")
    ]
    return (
        f"From separation {steps[0]:g} to {steps[-1]:g} of the classes the AUPRC over extrapolated objects goes for "
        f"{', for '.join(ends)}; OSE-SSL leads beyond chance {' and '.join(leads)}."
    )


def _where(tests: dict) -> str:
    """The steps at which the mean difference is above 0 beyond chance."""
    at = [f"{step:g}" for step, test in tests.items() if is_beyond_chance(test) and test.mean_difference > 0]
    if len(at) == len(tests):
        return "at each"
    return f"at {', '.join(at)}" if at else "at none"


def runtime_finding(metrics: pd.DataFrame) -> str:
    """
    How much faster a new sample is placed than the embedding computed anew.

    Parameters
    ----------
    metrics : DataFrame
        Of extrapolation_runtime.

    Returns
    -------
    str
    """
    mean = seconds(metrics).groupby("n_samples").mean()
    first, last = mean.iloc[0], mean.iloc[-1]
    ratio = mean["recomputation"] / mean["extrapolation"]
    faster = list(ratio.index[ratio > 1])
    where = "every N" if len(faster) == len(ratio) else f"N = {', '.join(map(str, faster))}" if faster else "no N"
    text = (
        f"At N = {mean.index[-1]} placing one new sample takes {_time(last['extrapolation'])}, "
        f"{_time(last['batch'])} each if 100 are placed at once, and computing the embedding anew "
        f"{_time(last['recomputation'])}, {format_number(ratio.iloc[-1])} times as long; extrapolation is the faster "
        f"at {where}."
    )
    if len(mean) == 1:
        return text
    # Slopes of the logarithms: seconds grow with N to this power.
    powers = np.log(last / first) / np.log(mean.index[-1] / mean.index[0])
    return (
        f"{text} From N = {mean.index[0]} to {mean.index[-1]} the time grows as N to the power of "
        f"{powers['extrapolation']:.1f} for extrapolation and {powers['recomputation']:.1f} for computing anew; the "
        f"ratio goes from {format_number(ratio.iloc[0])} to {format_number(ratio.iloc[-1])}."
    )


def _time(value: float) -> str:
    """Seconds, or milliseconds below one second."""
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"


RETRIEVAL_FINDINGS: dict[str, Callable[[pd.DataFrame], str]] = {
    "swiss_roll": swiss_roll_finding,
    "gland_retrieval": gland_retrieval_finding,
    "extrapolation_runtime": runtime_finding,
}

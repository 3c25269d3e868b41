"""What the numbers on extrapolated embeddings mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable

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
from replication.shared.values import compared, is_beyond_chance, name_of, per_set
from replication.shared.wording import Phrase, paragraphs, phrase, sentences

_PAIRED = "paired over draws, 95 % intervals, uncorrected"
# What limits the intervals of data that are not drawn again, by source or name.
_DRAWN = {
    "own": "the items are the same in each draw and only the split is new, so the intervals are too narrow and "
    "chance is not assessed",
    "digits": "the draws share a pool of about 1198 images, so the intervals are narrower than for new images",
}
# What still rounds to the paper's order of 10^-4.
_ORDER = 10**-3.5
_PRINTED = "by L1 norm (as printed)"
_NAMES = {**METHODS, "dissimilarity": "the dissimilarity itself"}
# Entries of the table `needed`, in words.
_PAPER_NEEDED = {
    "50": "paper: 50 %",
    "20": "for SI at S = 90 % 20 %",
    "70": "paper: 70 %",
    "> 90": "paper, on its own glands, for large S: more than 90 %",
}


def _says_chance(source: str) -> bool:
    """Whether draws are new enough to show what is beyond chance: not those of your own items."""
    return source != "own"


def _difference(wide: pd.DataFrame, first: str, second: str, digits: int = 3, *, chance: bool = True) -> Phrase:
    """Mean of the paired difference, its interval, and whether it excludes 0 if that can be due to chance."""
    found = compared(wide, first, second)
    mean = {"mean": (wide[first] - wide[second]).mean(), "form": f"difference {digits}"}
    if found is None:
        return phrase("{mean:{form}} (one draw, no interval)", **mean)
    if found.ci_low == found.ci_high:
        return phrase("{mean:{form}} in every draw", **mean)
    told = ", beyond chance" if is_beyond_chance(found) else ", not beyond chance"
    ends = (found.ci_low, found.ci_high)
    return phrase("{mean:{form}} ({ends:interval {form}}{told})", **mean, ends=ends, told=told if chance else "")


def swiss_roll_finding(metrics: pd.DataFrame) -> Phrase:
    """
    Fig. 1(a), (b): what extrapolation reaches on the Swiss roll, and how much of it is known labels.

    Parameters
    ----------
    metrics : DataFrame
        Of swiss_roll.

    Returns
    -------
    Phrase
        One paragraph on scores and one on the method.
    """
    parts = (sentences(part) for case in per_set(metrics) for part in (_of_scores(*case), _of_method(case[2])))
    return paragraphs(parts)


def gland_retrieval_finding(metrics: pd.DataFrame) -> Phrase:
    """
    Fig. 1(c), (d) and Fig. 2: what extrapolation reaches on each data set, and what a query returns.

    Parameters
    ----------
    metrics : DataFrame
        Of gland_retrieval.

    Returns
    -------
    Phrase
        Paragraphs on scores, retrieval and the method, for each data set.
    """
    return paragraphs(
        sentences(part)
        for case in per_set(metrics)
        for part in (_of_scores(*case), _of_retrieval(*case[1:]), _of_method(case[2]))
    )


def _of_scores(name: str, source: str, rows: pd.DataFrame) -> list[Phrase]:
    """Scores at the query cell, where they come from, and their controls."""
    cell = query_cell(rows)
    sizes = class_sizes(rows)
    classes = [phrase("{name} {size:count}", name=name_of(of), size=size) for of, size in sizes.items()]
    head = phrase("{name} ({source}; {classes:, })", name=name, source=source, classes=classes)
    if cell is None:
        return [phrase("{head}: the shares of the query are not among those that were run.", head=head)]
    wide = {objects: at_cell(rows, cell, "auprc", objects=objects) for objects in OBJECTS}
    n, chance, new = len(wide["all"]), _says_chance(source), wide["extrapolated"]
    paired = [_PAIRED, *(told for of, told in _DRAWN.items() if of in (source, name))]
    text = (
        "{head}, {n} {draws}, M = {cell.training:share 6} and S = {cell.labelled:share 6} (differences are {paired}): "
        "the AUPRC of OSE-SSL, averaged over classes, is {ours[all]:value} over all objects, {ours[training]:value} "
        "over training objects, {cell.labelled:share 6} of whose labels are given, and {ours[extrapolated]:value} over "
        "extrapolated ones; chance is {chance:value}{of_queries}. The silhouette index is {silhouettes}."
    )
    means = {"ours": {objects: of["ose_ssl"].mean() for objects, of in wide.items()}}
    means |= {"chance": wide["all"]["random"].mean(), "of_queries": _chance_of_queries(rows, cell)}
    given = {"head": head, "n": n, "draws": "draw" if n == 1 else "draws", "cell": cell, "paired": paired}
    recomputed = (
        "Recomputing the embedding with the same labels reaches an AUPRC of {mean:value} over the extrapolated "
        "objects; OSE-SSL minus that is {difference}."
    )
    difference = _difference(new, "ose_ssl", "recomputed", chance=chance)
    return [
        phrase(text, **given, **means, silhouettes=_silhouettes(rows, cell)),
        _lead(wide, chance),
        _beside_dissimilarity(new, chance),
        phrase(recomputed, mean=new["recomputed"].mean(), difference=difference),
    ]


def _silhouettes(rows: pd.DataFrame, cell: Cell) -> Phrase:
    """The silhouette index over the same groups of objects."""
    all_, training, new = (
        at_cell(rows, cell, "si", objects=objects).mean() for objects in ("all", "training", "extrapolated")
    )
    text = (
        "{all[ose_ssl]:value}, {training[ose_ssl]:value} and {new[ose_ssl]:value} (NM-GE: {all[nm_ge]:value}, "
        "{training[nm_ge]:value} and {new[nm_ge]:value})"
    )
    return phrase(text, all=all_, training=training, new=new)


def _chance_of_queries(rows: pd.DataFrame, cell: Cell) -> Phrase | str:
    """Chance of the other average, where classes differ in size."""
    sizes = class_sizes(rows)
    if sizes.min() == sizes.max():
        return ""
    of_queries = at_cell(rows, cell, "auprc_queries", objects="all")["random"].mean()
    return phrase(" ({chance:value} if averaged over queries)", chance=of_queries)


def _lead(wide: dict[str, pd.DataFrame], chance: bool) -> Phrase:
    """The lead over NM-GE, and what is left of it for objects that were not in training."""
    text = "OSE-SSL minus NM-GE is {all} over all objects and {new} over extrapolated ones{what_is_left}."
    gaps = (_difference(wide[objects], "ose_ssl", "nm_ge", chance=chance) for objects in ("all", "extrapolated"))
    return phrase(text, **dict(zip(("all", "new"), gaps, strict=True)), what_is_left=_left(wide) if chance else "")


def _left(wide: dict[str, pd.DataFrame]) -> Phrase | str:
    """What is left of the lead for new objects, as far as chance allows an answer."""
    of_all, of_new = (compared(wide[objects], "ose_ssl", "nm_ge") for objects in GROUPS)
    if is_beyond_chance(of_new) and of_new.mean_difference < 0:
        return ": for new objects NM-GE is ahead"
    if not is_beyond_chance(of_all) or of_all.mean_difference <= 0 or is_beyond_chance(of_new) is None:
        return ""
    if not is_beyond_chance(of_new):
        return ": for new objects there is no lead beyond chance"
    kept = of_new.mean_difference / of_all.mean_difference
    if kept >= 1:
        return ": the lead is not smaller for new objects"
    return phrase(": {kept:points 0} % of the lead over all objects is left for new ones", kept=kept)


def _beside_dissimilarity(wide: pd.DataFrame, chance: bool) -> Phrase:
    """Whether the embedding retrieves better than the dissimilarity it is made from."""
    found, verdict = compared(wide, "ose_ssl", "dissimilarity"), ""
    if chance and is_beyond_chance(found):
        better = "better" if found.mean_difference > 0 else "worse"
        verdict = f": for new objects OSE-SSL retrieves {better} than what it is made from"
    ours, theirs = (_difference(wide, method, "dissimilarity", chance=chance) for method in ("ose_ssl", "nm_ge"))
    text = (
        "Ranking by the dissimilarity itself, without an embedding or labels, has an AUPRC of {mean:value} over the "
        "extrapolated objects; OSE-SSL minus that is {ours}, NM-GE minus that {theirs}{verdict}."
    )
    return phrase(text, mean=wide["dissimilarity"].mean(), ours=ours, theirs=theirs, verdict=verdict)


def _of_method(rows: pd.DataFrame) -> list[Phrase | str]:
    """What suffices for training, what the error says, where the graph falls apart, and what details change."""
    return [_reached(rows), _approximation(rows), _pieces(rows), _changes(rows)]


def _reached(rows: pd.DataFrame) -> Phrase | str:
    """The share of training objects from which on extrapolation stays near the embedding of all objects."""
    table = needed(rows).dropna(subset="needed M (%)")
    if table.empty:
        return "Fewer than two draws: the required training share cannot be assessed."
    parts = []
    for method, reference in (("ose_ssl", "ssge"), ("ose_ssl", "recomputed"), ("nm_ge", "ge")):
        here = table[(table["method"] == METHODS[method]) & (table["reference"] == METHODS[reference])]
        told = [
            phrase(
                "{metric} {shares} over {of}{objects}",
                metric=METRICS[score],
                shares=_span(of["needed M (%)"]),
                of=OBJECTS[objects],
                objects="" if objects == "all" else " objects",
            )
            for score in MAIN_SCORES
            for objects in GROUPS
            if len(of := here[(here["score"] == METRICS[score]) & (here["objects"] == OBJECTS[objects])])
        ]
        of_paper = [words for text, words in _PAPER_NEEDED.items() if (here["needed M (%), paper"] == text).any()]
        text = "{method} to {reference}: {told:, } ({paper:, })" if of_paper else "{method} to {reference}: {told:, }"
        names = {"method": METHODS[method], "reference": METHODS[reference]}
        parts.append(phrase(text, **names, told=told, paper=of_paper))
    text = (
        "The smallest M from which on a method is at most {margin:setting} below the embedding of all objects "
        "(one-sided 95 % bound; median over S and range): {parts}."
    )
    return phrase(text, margin=MARGIN, parts=parts)


def _span(percent: pd.Series) -> Phrase:
    """Median and range of shares in percent; 100: no share below."""
    median, low, high = (
        phrase("none below 100 %" if value == 100 else "{value:setting} %", value=value)
        for value in (percent.median(), percent.min(), percent.max())
    )
    text = "{median}" if percent.nunique() == 1 else "{median} ({low} to {high})"
    return phrase(text, median=median, low=low, high=high)


def _approximation(rows: pd.DataFrame) -> Phrase | str:
    """Whether the printed error separates an approximation from nothing."""
    table = errors(rows)
    if table.empty:
        return ""
    relative, ours, zero = table["relative (Frobenius)"], table[_PRINTED], table[f"{_PRINTED}, zero matrix"]
    counts = {"n": len(table), "low": (ours <= _ORDER).sum(), "zero_low": (zero <= _ORDER).sum()}
    worse = (relative > 1).sum()
    above = phrase(", in {worse} of {n} cells more than that of zeros", worse=worse, n=len(table)) if worse else ""
    text = (
        "The relative error of the approximated similarities (1 for a matrix of zeros) is "
        "{relative:interval size} over M, S and both methods{above}. As printed, divided by the L1 norm, it is "
        "{ours:interval size}, and that of zeros {zero:interval size}; in {low} of {n} cells it is at most the "
        "order of 10^-4 that the paper prints, for zeros in {zero_low}{nothing}."
    )
    nothing = ": there that order says nothing about how good an approximation is" if counts["zero_low"] else ""
    errors_of = {"relative": relative, "ours": ours, "zero": zero}
    ends = {name: (of.min(), of.max()) for name, of in errors_of.items()}
    told = phrase(text, **ends, **counts, above=above, nothing=nothing)
    if "swiss_roll" not in set(rows["dataset"]):
        return told
    cut_off = (
        "Cut off at the radius the kernel is not positive definite, so the inverse of the training similarities "
        "has huge entries: this is not the error of the embedding in few dimensions."
    )
    return sentences([told, cut_off])


def _pieces(rows: pd.DataFrame) -> Phrase | str:
    """Where the training graph falls apart or leaves new objects alone."""
    found = {metric: curve(rows, metric, "training_graph", objects="").mean() for metric in ("pieces", "isolated")}
    if found["pieces"].empty:
        return ""
    broken = found["pieces"][(found["pieces"] > 1) | (found["isolated"] > 0)]
    if broken.empty:
        return "At every M the training graph is one piece, with every new object in some neighbourhood."
    text = "at M = {m:share 6} {pieces:value 1} pieces and {alone:value 1} new objects outside every neighbourhood"
    parts = [phrase(text, m=m, pieces=pieces, alone=found["isolated"][m]) for m, pieces in broken.items()]
    return phrase("On average over the draws the training graph has {parts}.", parts=parts)


def _changes(rows: pd.DataFrame) -> Phrase | str:
    """What one changed detail does to OSE-SSL."""
    cell, names = query_cell(rows), variant_names(rows)
    if cell is None or not names:
        return ""
    main = at_cell(rows, cell, "auprc")["ose_ssl"]
    parts = []
    for name in names:
        other = at_cell(changed(rows, variant=name), cell, "auprc")["ose_ssl"]
        difference = _difference(pd.DataFrame({"changed": other, "main": main}), "changed", "main")
        parts.append(phrase("{name} {difference}", name=name, difference=difference))
    text = "With one detail changed, the AUPRC of OSE-SSL over extrapolated objects changes by: {parts}."
    return phrase(text, parts=parts)


def _of_retrieval(source: str, rows: pd.DataFrame) -> list[Phrase | str]:
    """First items by class, regions, and the separation of the classes."""
    cell = query_cell(rows)
    if cell is None:
        return []
    return [_first_items(rows, cell, _says_chance(source)), _regions(rows, cell), _separations(rows, cell)]


def _first_items(rows: pd.DataFrame, cell: Cell, chance: bool) -> Phrase | str:
    methods = ("ose_ssl", "nm_ge", "dissimilarity", "random")
    found = {name: at_cell(rows, cell, "same_of_first", label=name) for name in class_names(rows)}
    found = {name: wide for name, wide in found.items() if len(wide)}
    if not found:
        return ""
    parts = []
    for name, wide in found.items():
        means = [phrase("{mean:value 2}", mean=wide[method].mean()) for method in methods]
        parts.append(phrase("{name} {means:, }", name=name_of(name), means=means))
    rarest, wide = next(iter(found.items()))
    nm_ge, itself = (_difference(wide, "ose_ssl", other, 2, chance=chance) for other in ("nm_ge", "dissimilarity"))
    text = (
        "Among the first {n} items returned for a new object, those of its own class are (OSE-SSL, NM-GE, "
        "dissimilarity itself, chance): {parts}; for {rarest}, OSE-SSL minus NM-GE {nm_ge}, minus the dissimilarity "
        "{itself}."
    )
    return phrase(text, n=n_retrieved(rows), parts=parts, rarest=name_of(rarest), nm_ge=nm_ge, itself=itself)


def _regions(rows: pd.DataFrame, cell: Cell) -> Phrase | str:
    """What is lost if no object of a query's region is in training, though its region mates are still ranked."""
    if not has_regions(rows):
        return ""
    both = pd.DataFrame(
        {split: at_cell(changed(rows, split=split), cell, "auprc")["ose_ssl"] for split in ("regions", "objects")}
    )
    text = (
        "With whole regions in training or outside (objects of a query's region outside training are still ranked), "
        "the AUPRC of OSE-SSL over extrapolated objects is {regions:value}, by single objects {objects:value}: "
        "{difference}."
    )
    return phrase(text, **both.mean(), difference=_difference(both, "regions", "objects"))


def _separations(rows: pd.DataFrame, cell: Cell) -> Phrase | str:
    """How retrieval of new objects follows the separation of the classes, and where OSE-SSL leads."""
    steps = separations(rows)
    if not steps:
        return ""
    found = {at: at_cell(changed(rows, separation=at), cell, "auprc") for at in steps}
    ends = []
    for method in ("ose_ssl", "nm_ge", "dissimilarity"):
        means = tuple(found[step][method].mean() for step in (steps[0], steps[-1]))
        ends.append(phrase("{name} from {means:interval value}", name=_NAMES[method], means=means))
    leads = []
    for other in ("nm_ge", "dissimilarity"):
        where = _where({at: compared(wide, "ose_ssl", other) for at, wide in found.items()})
        leads.append(phrase("over {name} {where}", name=_NAMES[other], where=where))
    text = (
        "From separation {first:setting} to {last:setting} of the classes the AUPRC over extrapolated objects changes "
        "for {ends:, for }; OSE-SSL leads beyond chance {leads: and }."
    )
    return phrase(text, first=steps[0], last=steps[-1], ends=ends, leads=leads)


def _where(tests: dict) -> Phrase | str:
    """The steps at which the mean difference is above 0 beyond chance."""
    at = [step for step, test in tests.items() if is_beyond_chance(test) and test.mean_difference > 0]
    if len(at) == len(tests):
        return "at each"
    return phrase("at {at:, }", at=[phrase("{at:setting}", at=step) for step in at]) if at else "at none"


def runtime_finding(metrics: pd.DataFrame) -> Phrase:
    """
    How much faster a new sample is placed than the embedding is recomputed.

    Parameters
    ----------
    metrics : DataFrame
        Of extrapolation_runtime.

    Returns
    -------
    Phrase
    """
    mean = seconds(metrics).groupby("n_samples").mean()
    first, last = mean.iloc[0], mean.iloc[-1]
    ratio = mean["recomputation"] / mean["extrapolation"]
    faster = list(ratio.index[ratio > 1])
    some = phrase("N = {faster:, }", faster=[str(n) for n in faster])
    where = "every N" if len(faster) == len(ratio) else some if faster else "no N"
    text = (
        "At N = {n} placing one new sample takes {times[extrapolation]}, {times[batch]} each if 100 are placed at "
        "once, and recomputing the embedding {times[recomputation]}, {ratio:number} times as long; extrapolation is "
        "the faster at {where}."
    )
    times = {name: _time(value) for name, value in last.items()}
    told = phrase(text, n=str(mean.index[-1]), times=times, ratio=ratio.iloc[-1], where=where)
    if len(mean) == 1:
        return told
    # Slopes of the logarithms: seconds grow with N to this power.
    powers = np.log(last / first) / np.log(mean.index[-1] / mean.index[0])
    text = (
        "From N = {sizes[0]} to {sizes[1]} the time grows as N to the power of {powers[extrapolation]:value 1} for "
        "extrapolation and {powers[recomputation]:value 1} for recomputing; the ratio goes from {low:number} to "
        "{high:number}."
    )
    sizes = [str(mean.index[k]) for k in (0, -1)]
    return sentences([told, phrase(text, sizes=sizes, powers=powers, low=ratio.iloc[0], high=ratio.iloc[-1])])


def _time(value: float) -> Phrase:
    """Seconds, or milliseconds below one second."""
    return phrase("{s:size 3} s" if value >= 1 else "{ms:size 3} ms", s=value, ms=1000 * value)


RETRIEVAL_FINDINGS: dict[str, Callable[[pd.DataFrame], Phrase]] = {
    "swiss_roll": swiss_roll_finding,
    "gland_retrieval": gland_retrieval_finding,
    "extrapolation_runtime": runtime_finding,
}

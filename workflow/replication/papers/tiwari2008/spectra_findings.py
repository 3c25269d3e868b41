"""What the numbers on prostate spectra mean for the paper's claims, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from replication.papers.tiwari2008.spectra_tables import studies
from replication.papers.tiwari2008.spectra_values import (
    AXES,
    CONDITIONS,
    CONTROLS,
    METHODS,
    PAPER_DIMENSIONS,
    PAPER_METHODS,
    PAPER_SCORES,
    PAPER_VARIANCE,
    SCORES,
    VOXELS,
    at_conditions,
    found_truths,
    main_truth,
    over_axes,
    over_conditions,
    over_dimensions,
    per_study,
)
from replication.shared.values import compared, highest, is_beyond_chance, sources
from replication.shared.wording import Phrase, paragraphs, phrase, sentences

_AGAINST = {"box": "the boxes, the paper's truth,", "voxels": "the cancer voxels"}
# Differences below this are rounding.
_EQUAL = 1e-9
# Formats of a value and of a difference.
_POINTS, _VALUES = ("points", "point_difference"), ("value", "difference")
_PAIRED = "paired over studies, 95 % intervals, uncorrected"
# Short names; the text says where LLE is the mean over kappa.
_NAMES = {**METHODS, "lle": "LLE"}


def _difference(wide: pd.DataFrame, first: str, second: str, form: str = "point_difference") -> Phrase:
    """Mean of the paired difference, its interval, and whether it leaves out 0."""
    found = compared(wide, first, second)
    mean = {"mean": (wide[first] - wide[second]).mean(), "form": form}
    if found is None:
        return phrase("{mean:{form}} (no interval of fewer than two studies)", **mean)
    if found.ci_low == found.ci_high:
        return phrase("{mean:{form}} in every study", **mean)
    chance = "beyond chance" if is_beyond_chance(found) else "not beyond chance"
    ends = (found.ci_low, found.ci_high)
    return phrase("{mean:{form}} ({ends:interval {form}}, {chance})", **mean, ends=ends, chance=chance)


def _against(
    wide: pd.DataFrame, first: str, others: Iterable[str], names: dict[str, str], form: str = "point_difference"
) -> list[Phrase]:
    """Differences of one method from others that are there."""
    there = [other for other in others if other in wide and first in wide]
    return [phrase("{name} {gap}", name=names[other], gap=_difference(wide, first, other, form)) for other in there]


def _studies(metrics: pd.DataFrame, n: int) -> Phrase:
    return phrase("{n} {source} study" if n == 1 else "{n} {source} studies", n=n, source=sources(metrics))


def methods_finding(metrics: pd.DataFrame) -> Phrase:
    """Table 1(a): who is best, against which truth, by which naming, and under which conditions."""
    main = at_conditions(metrics)
    truth = main_truth(main)
    if truth is None:
        return _unlabelled(metrics)
    wide = per_study(main, "balanced_accuracy", truth)
    ranked = highest(wide, METHODS)
    controls = _against(wide, "c_lle", CONTROLS, _NAMES)
    others = [name for name in PAPER_METHODS if name != "c_lle"]
    text = (
        "On {studies}, against {truth}, sensitivity and specificity in percent (clusters named by the rule, LLE as the "
        "mean over κ) are {scores}. The highest balanced accuracy, controls included: {best} ({mean:points})."
    )
    best = {"best": _NAMES[ranked[0]], "mean": wide[ranked[0]].mean()}
    given = {"studies": _studies(metrics, len(wide)), "truth": _AGAINST[truth], "scores": _scores(main, truth)}
    leads = "Balanced accuracy of C-LLE minus that of the others, in percentage points ({paired}): {gaps}."
    return paragraphs(
        [
            phrase(text, **given, **best),
            phrase(leads, paired=_PAIRED, gaps=_against(wide, "c_lle", others, _NAMES)),
            _against_boxes(main, truth),
            _by_naming(main, truth, wide),
            phrase("C-LLE minus the controls: {controls}.", controls=controls) if controls else "",
            _variance(metrics),
            _over_sweep(metrics),
        ]
    )


def _variance(metrics: pd.DataFrame) -> Phrase | str:
    """What the principal components explain, over the noise."""
    rows = metrics[metrics["metric"] == "explained_variance"].astype({"value": float})
    levels = pd.to_numeric(rows["noise"], errors="coerce").fillna(1.0)
    if rows.empty or levels.nunique() < 2:
        return ""
    same = (at_conditions(rows, noise=noise) for noise in sorted(levels.unique()))
    means = [part.groupby("method")["value"].mean() for part in same]
    text = "{of[pca]:points 0} ({of[pca_of_given]:points 0}) at noise × {noise:setting}"
    told = [phrase(text, of=of, noise=noise) for noise, of in zip(sorted(levels.unique()), means, strict=True)]
    text = (
        "The principal components explain, in percent of the variance of the spectra as clustered (as they are "
        "given), {told}."
    )
    reach = "To reach {paper:points 0}, the paper's spectra must have had less noise than these."
    noisy = max(at_conditions(rows).groupby("method")["value"].mean()) < PAPER_VARIANCE
    return sentences([phrase(text, told=told), phrase(reach, paper=PAPER_VARIANCE) if noisy else ""])


def _unlabelled(metrics: pd.DataFrame) -> Phrase:
    table = studies(metrics)
    spans = table.loc[table["κ, connected"] != "", "κ, connected"]
    text = "; the neighbourhood graphs are one piece at κ = {spans: / }"
    pieces = phrase(text, spans=list(dict.fromkeys(spans))) if len(spans) else ""
    text = (
        "No labels in {studies}: no statement on sensitivity and specificity. They have {voxels:count} voxels on "
        "average{pieces}."
    )
    return phrase(text, studies=_studies(metrics, len(table)), voxels=table["voxels"].mean(), pieces=pieces)


def _scores(main: pd.DataFrame, truth: str, paper: bool = False) -> Phrase:
    sensitivity, specificity = (per_study(main, score, truth).mean() for score in SCORES[:2])
    parts = []
    for method in (name for name in PAPER_METHODS if name in sensitivity):
        of_paper = phrase(" (paper {of[0]:value 2} and {of[1]:value 2})", of=PAPER_SCORES[method]) if paper else ""
        means = {"method": _NAMES[method], "sensitivity": sensitivity[method], "specificity": specificity[method]}
        parts.append(phrase("{method} {sensitivity:points} and {specificity:points}{paper}", **means, paper=of_paper))
    return phrase("{parts}", parts=parts)


def _against_boxes(main: pd.DataFrame, truth: str) -> Phrase | str:
    if truth == "box" or "box" not in found_truths(main):
        return ""
    scores = _scores(main, "box", paper=True)
    told = [phrase("Against {truth} they are {scores}.", truth=_AGAINST["box"], scores=scores)]
    boxes = "The boxes themselves, as a call, reach {of[0]:points} and {of[1]:points} against the cancer voxels."
    exact = (
        "A detector that called exactly the cancer voxels would reach {of[0]:points} and {of[1]:points} against "
        "the boxes."
    )
    for name, against, text in (("box", "voxels", boxes), ("truth", "box", exact)):
        reached = [per_study(main, score, against) for score in SCORES[:2]]
        if all(name in wide for wide in reached):
            told.append(phrase(text, of=[wide[name].mean() for wide in reached]))
    return sentences(told)


def _by_naming(main: pd.DataFrame, truth: str, ruled: pd.DataFrame) -> Phrase | str:
    """What the truth would add if it named the cancer cluster."""
    oracle = per_study(main, "balanced_accuracy", truth, "oracle")
    parts = []
    for method in (name for name in PAPER_METHODS if name in oracle and name in ruled):
        gain = (oracle[method] - ruled[method]).dropna()
        text = "{name} {gain:points} ({gains} of {n} studies)"
        counts = {"gains": (gain > _EQUAL).sum(), "n": len(gain)}
        parts.append(phrase(text, name=_NAMES[method], gain=gain.mean(), **counts))
    if not parts:
        return ""
    text = (
        "If the cancer cluster were identified from ground truth (an oracle, never worse), the balanced accuracy "
        "would rise, in percentage points, by: {parts}."
    )
    told = [phrase(text, parts=parts)]
    if "random" in oracle:
        text = "The best of as many clusters of random voxels has {mean:points}."
        told.append(phrase(text, mean=oracle["random"].mean()))
    return sentences(told)


def _over_sweep(metrics: pd.DataFrame) -> Phrase | str:
    """Who is highest under how many conditions, and where another method takes over beyond the spread."""
    cases = [(condition, wide, highest(wide, PAPER_METHODS)) for condition, wide in over_conditions(metrics)]
    cases = [case for case in cases if len(case[2]) > 1]
    if len(cases) < 2:
        return ""
    counts = pd.Series([ranked[0] for _, _, ranked in cases]).value_counts()
    first = next((ranked[0] for at, _, ranked in cases if set(at.values()) == {1}), counts.index[0])
    clear = [(at, ranked) for at, wide, ranked in cases if is_beyond_chance(compared(wide, *ranked[:2]))]
    turned = []
    for at, ranked in clear:
        if ranked[0] != first:
            changed = [phrase("{name} × {at:setting}", name=name, at=at[name]) for name in CONDITIONS if at[name] != 1]
            turned.append(phrase("{method} ({changed:, })", method=_NAMES[ranked[0]], changed=changed))
    text = (
        "Of {n} conditions of noise, linewidth and contrast the highest of the paper's methods is {listed:, }; its "
        "lead over the second is beyond the spread over studies in {clear}. {turns}"
    )
    listed = [phrase("{method} in {n}", method=_NAMES[method], n=n) for method, n in counts.items()]
    other = phrase("another than {first}, the highest under the main condition,", first=_NAMES[first])
    turns = phrase("Nowhere does {other} lead beyond the spread.", other=other)
    if turned:
        turns = "The ranking turns: {other} leads beyond the spread under {n}: {turned}."
        turns = phrase(turns, other=other, n=len(turned), turned=turned)
    return phrase(text, n=len(cases), listed=listed, clear=len(clear), turns=turns)


def dimensions_finding(metrics: pd.DataFrame) -> Phrase | str:
    """Table 1(b): is C-LLE above LLE at every m, and does m matter?"""
    truths = found_truths(metrics)
    if not truths:
        return "The data have no labels: no statement on sensitivity and specificity."
    counts = [_higher_in_both(metrics, truth) for truth in truths]
    return paragraphs([*(_by_dimension(metrics, truth) for truth in truths), *counts, _over_m(metrics, truths[-1])])


def _by_dimension(metrics: pd.DataFrame, truth: str) -> Phrase:
    found = [over_dimensions(metrics, score, truth) for score in SCORES[:2]]
    with_paper = {("box", m) for m in PAPER_DIMENSIONS}
    parts = []
    for m in found[0]:
        gaps, printed = [_difference(of[m], "c_lle", "lle") for of in found], ""
        if (truth, m) in with_paper:
            printed = phrase(" (paper {of[0]:difference 2} and {of[1]:difference 2})", of=_paper_difference(m))
        parts.append(phrase("m = {m}: {gaps: and }{printed}", m=m, gaps=gaps, printed=printed))
    text = (
        "Against {truth} C-LLE minus LLE in sensitivity and specificity, in percentage points ({paired}; {studies}): "
        "{parts}."
    )
    n_studies = _studies(metrics, metrics["study"].nunique())
    return phrase(text, truth=_AGAINST[truth], paired=_PAIRED, studies=n_studies, parts=parts)


def _paper_difference(m: int) -> list[float]:
    return [a - b for a, b in zip(PAPER_DIMENSIONS[m]["c_lle"], PAPER_DIMENSIONS[m]["lle"], strict=True)]


def _higher_in_both(metrics: pd.DataFrame, truth: str) -> Phrase:
    found = [over_dimensions(metrics, score, truth) for score in SCORES[:2]]
    higher = [m for m in found[0] if all((of[m]["c_lle"] - of[m]["lle"]).mean() > _EQUAL for of in found)]
    clear = [m for m in higher if all(is_beyond_chance(compared(of[m], "c_lle", "lle")) for of in found)]
    paper = " (the paper: higher at all of its three)" if truth == "box" else ""
    text = (
        "Against {truth} C-LLE is higher than LLE in both scores at {higher} of {n} dimensions, beyond chance in both "
        "at {clear}{paper}."
    )
    counts = {"higher": len(higher), "n": len(found[0]), "clear": len(clear)}
    return phrase(text, truth=_AGAINST[truth], **counts, paper=paper)


def _over_m(metrics: pd.DataFrame, truth: str) -> Phrase | str:
    found = over_dimensions(metrics, "balanced_accuracy", truth)
    if len(found) < 2:
        return ""
    parts = []
    for method in ("c_lle", "lle"):
        by_m = pd.DataFrame({m: wide[method] for m, wide in found.items()})
        low, high = by_m.mean().idxmin(), by_m.mean().idxmax()
        text = "{name} from m = {low} to m = {high} by {gap}" if low != high else "{name} not at all"
        gap = _difference(by_m, high, low) if low != high else ""
        parts.append(phrase(text, name=_NAMES[method], low=low, high=high, gap=gap))
    text = (
        "Between its lowest and its highest m the balanced accuracy against {truth} changes, in percentage points, for "
        "{parts: and for }; both ends are picked by these numbers, which favours a difference."
    )
    return phrase(text, truth=_AGAINST[truth], parts=parts)


def stability_finding(metrics: pd.DataFrame) -> Phrase | str:
    """What C-LLE and LLE move with, and by how much."""
    cases = {(axis, metric, truth): wide for axis, metric, truth, wide in over_axes(metrics)}
    if not cases:
        return "The data have neither labels nor repetitions: no statement on stability."
    truth = next((truth for truth in ("voxels", "box") if any(key[2] == truth for key in cases)), None)
    moved = [
        _moved(axis, cases.get((axis, "sd_balanced_accuracy", truth)), cases.get((axis, "distance", None)))
        for axis in AXES
    ]
    against = f", scores against {_AGAINST[truth].rstrip(',')}" if truth else ""
    text = (
        "Of {studies}{against}. LLE is taken at single κ, C-LLE over all κ, and where κ varies over blocks of "
        "neighbouring κ, LLE at κ as far apart as the blocks; differences are {paired}; below 0 C-LLE is the steadier."
    )
    n_studies = _studies(metrics, metrics["study"].nunique())
    head = phrase(text, studies=n_studies, against=against, paired=_PAIRED)
    return paragraphs([head, *moved, _by_estimator(cases.get(("kappa", "sd_balanced_accuracy", truth)))])


def _moved(axis: str, scores: pd.DataFrame | None, distances: pd.DataFrame | None) -> Phrase | str:
    """Spread of the scores and distance of the embeddings along one axis."""
    parts = []
    for wide, forms, name in (
        (scores, _POINTS, "the standard deviation of the balanced accuracy, in percentage points, is"),
        (distances, _VALUES, "the distance of the embeddings (distance matrices of norm 1) is"),
    ):
        if wide is not None:
            shown = [method for method in ("lle", "c_lle", "pca") if method in wide]
            text = "{method} {mean:{form}}"
            means = [phrase(text, method=_NAMES[of], mean=wide[of].mean(), form=forms[0]) for of in shown]
            both = {"c_lle", "lle"} <= {*shown}
            gap = phrase("; C-LLE minus LLE {gap}", gap=_difference(wide, "c_lle", "lle", forms[1])) if both else ""
            parts.append(phrase("{name} {means:, }{gap}", name=name, means=means, gap=gap))
    return phrase("By the {axis} {parts:, and }.", axis=AXES[axis], parts=parts) if parts else ""


def _by_estimator(wide: pd.DataFrame | None) -> Phrase | str:
    told = [] if wide is None else _against(wide, "c_lle", ("c_lle_mean", "c_lle_median"), _NAMES)
    text = "By the {axis}, C-LLE by the mode minus the same by another estimator: {told}."
    return phrase(text, axis=AXES["kappa"], told=told) if told else ""


def components_finding(metrics: pd.DataFrame) -> Phrase | str:
    """Fig. 2(g)-(i): do the clusters called cancer contain the spectrum of cancer?"""
    component, mean = (per_study(metrics, name) for name in ("correlation", "correlation_mean"))
    if not len(component):
        return "There is no reference spectrum of cancer: nothing is compared with it."
    shown = [name for name in VOXELS if name in component]
    means = [phrase("{name} {mean:value}", name=VOXELS[name], mean=component[name].mean()) for name in shown]
    others = [name for name in shown if name != "c_lle"]
    gaps, of_mean = (
        _against(wide, "c_lle", others, VOXELS, "difference") if len(wide) else [] for wide in (component, mean)
    )
    text = (
        "On {studies} the independent component that is most like the mean cancer spectrum of the training studies "
        "correlates with it by (absolute, mean over studies) {means:, }."
    )
    return paragraphs(
        [
            phrase(text, studies=_studies(metrics, len(component)), means=means),
            phrase("The component of C-LLE's cluster minus the others ({paired}): {gaps}.", paired=_PAIRED, gaps=gaps),
            phrase("The same of the mean spectra: {gaps}.", gaps=of_mean) if of_mean else "",
        ]
    )


def calibration_finding(metrics: pd.DataFrame) -> Phrase:
    """How much each choice moves the mean of the methods, and whether beyond the spread over training studies."""
    parts, clear = [], 0
    for choice, rows in metrics.groupby("choice", sort=False):
        wide = rows.pivot_table(index="study", columns="option", values="value", sort=False)
        start, best = rows["option"].iloc[0], wide.mean().idxmax()
        names = {"choice": _plain(choice), "best": _plain(best), "start": _plain(start)}
        if best == start:
            parts.append(phrase("{choice}: {start} is highest", **names))
        else:
            gap = _difference(wide, best, start)
            parts.append(phrase("{choice}: {best} rather than {start} {gap}", **names, gap=gap))
            clear += bool(is_beyond_chance(compared(wide, best, start)))
    text = (
        "Balanced accuracy against the boxes, mean of the methods, on {studies} for training: the best option of each "
        "choice minus its start value, in percentage points ({paired}): {parts}."
    )
    picked = (
        "In {clear} of {n} choices an option is better than the start value beyond chance, without correction for "
        "having picked the best."
    )
    n_studies = _studies(metrics, metrics["study"].nunique())
    return paragraphs(
        [phrase(text, studies=n_studies, paired=_PAIRED, parts=parts), phrase(picked, clear=clear, n=len(parts))]
    )


def _plain(name: object) -> str:
    return str(name).replace("_", " ")


SPECTRA_FINDINGS: dict[str, Callable[[pd.DataFrame], Phrase | str]] = {
    "spectra_calibration": calibration_finding,
    "spectra_methods": methods_finding,
    "spectra_dimensions": dimensions_finding,
    "spectra_stability": stability_finding,
    "spectra_components": components_finding,
}

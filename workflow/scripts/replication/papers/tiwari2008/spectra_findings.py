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

_AGAINST = {"box": "the boxes, the paper's truth,", "voxels": "the cancer voxels"}
# Differences below this are rounding.
_EQUAL = 1e-9
_PAIRED = "paired over studies, 95 % intervals, uncorrected"
# Short names; where LLE is the mean over kappa is told.
_NAMES = {**METHODS, "lle": "LLE"}


def _said(sentences: Iterable[str]) -> str:
    """A paragraph each."""
    return "\n\n".join(sentence for sentence in sentences if sentence)


def _difference(wide: pd.DataFrame, first: str, second: str, unit: float = 100.0) -> str:
    """Mean of the paired difference, its interval, and whether it leaves out 0."""
    found = compared(wide, first, second)
    digits = 1 if unit == 100 else 3
    mean = f"{unit * (wide[first] - wide[second]).mean():+.{digits}f}"
    if found is None:
        return f"{mean} (no interval of fewer than two studies)"
    if found.ci_low == found.ci_high:
        return f"{mean} in every study"
    chance = "beyond chance" if is_beyond_chance(found) else "not beyond chance"
    return f"{mean} ({unit * found.ci_low:+.{digits}f} to {unit * found.ci_high:+.{digits}f}, {chance})"


def _against(wide: pd.DataFrame, first: str, others: Iterable[str], names: dict[str, str], unit: float = 100.0) -> str:
    """Differences of one method from others that are there."""
    return "; ".join(f"{names[o]} {_difference(wide, first, o, unit)}" for o in others if o in wide and first in wide)


def _studies(metrics: pd.DataFrame, n: int) -> str:
    return f"{n} {sources(metrics)} {'study' if n == 1 else 'studies'}"


def methods_finding(metrics: pd.DataFrame) -> str:
    """Table 1(a): who is best, against which truth, by which naming, and under which conditions."""
    main = at_conditions(metrics)
    truth = main_truth(main)
    if truth is None:
        return _unlabelled(metrics)
    wide = per_study(main, "balanced_accuracy", truth)
    ranked = highest(wide, METHODS)
    controls = _against(wide, "c_lle", CONTROLS, _NAMES)
    others = [name for name in PAPER_METHODS if name != "c_lle"]
    return _said(
        [
            f"On {_studies(metrics, len(wide))}, against {_AGAINST[truth]}, sensitivity and specificity in percent "
            f"(clusters named by the rule, LLE as the mean over κ) are {_scores(main, truth)}. The highest balanced "
            f"accuracy, controls included: {_NAMES[ranked[0]]} ({100 * wide[ranked[0]].mean():.1f}).",
            f"Balanced accuracy of C-LLE minus that of the others, in percent points ({_PAIRED}): "
            f"{_against(wide, 'c_lle', others, _NAMES)}.",
            _against_boxes(main, truth),
            _by_naming(main, truth, wide),
            f"C-LLE minus the controls: {controls}." if controls else "",
            _variance(metrics),
            _over_sweep(metrics),
        ]
    )


def _variance(metrics: pd.DataFrame) -> str:
    """What the principal components hold, over the noise."""
    rows = metrics[metrics["metric"] == "explained_variance"].astype({"value": float})
    levels = pd.to_numeric(rows["noise"], errors="coerce").fillna(1.0)
    if rows.empty or levels.nunique() < 2:
        return ""
    same = (at_conditions(rows, noise=noise) for noise in sorted(levels.unique()))
    means = [part.groupby("method")["value"].mean() for part in same]
    told = "; ".join(
        f"{100 * of['pca']:.0f} ({100 * of['pca_of_given']:.0f}) at noise × {noise:g}"
        for noise, of in zip(sorted(levels.unique()), means, strict=True)
    )
    text = (
        "The principal components hold, in percent of the variance of the spectra as they are clustered (as they are "
        f"given), {told}."
    )
    if max(at_conditions(rows).groupby("method")["value"].mean()) < PAPER_VARIANCE:
        text += f" To reach {100 * PAPER_VARIANCE:.0f}, the paper's spectra must have held less noise than these."
    return text


def _unlabelled(metrics: pd.DataFrame) -> str:
    table = studies(metrics)
    spans = table.loc[table["κ, connected"] != "", "κ, connected"]
    pieces = f"; the neighbourhood graphs are one piece at κ = {' / '.join(dict.fromkeys(spans))}" if len(spans) else ""
    return (
        f"No labels in {_studies(metrics, len(table))}: nothing is said of sensitivity and specificity. They have "
        f"{table['voxels'].mean():.0f} voxels on average{pieces}."
    )


def _scores(main: pd.DataFrame, truth: str, paper: bool = False) -> str:
    sensitivity, specificity = (per_study(main, score, truth).mean() for score in SCORES[:2])
    parts = []
    for method in (name for name in PAPER_METHODS if name in sensitivity):
        text = f"{_NAMES[method]} {100 * sensitivity[method]:.1f} and {100 * specificity[method]:.1f}"
        parts.append(text + (" (paper {:.2f} and {:.2f})".format(*PAPER_SCORES[method]) if paper else ""))
    return "; ".join(parts)


def _against_boxes(main: pd.DataFrame, truth: str) -> str:
    if truth == "box" or "box" not in found_truths(main):
        return ""
    text = f"Against {_AGAINST['box']} they are {_scores(main, 'box', paper=True)}."
    reached = [per_study(main, score, "voxels") for score in SCORES[:2]]
    if all("box" in wide for wide in reached):
        own = " and ".join(f"{100 * wide['box'].mean():.1f}" for wide in reached)
        text += f" The boxes themselves, as a call, reach {own} against the cancer voxels."
    known = [per_study(main, score, "box") for score in SCORES[:2]]
    if all("truth" in wide for wide in known):
        most = " and ".join(f"{100 * wide['truth'].mean():.1f}" for wide in known)
        text += f" A detector that called exactly the cancer voxels would reach {most} against the boxes."
    return text


def _by_naming(main: pd.DataFrame, truth: str, ruled: pd.DataFrame) -> str:
    """What the truth would add if it named the cancer cluster."""
    oracle = per_study(main, "balanced_accuracy", truth, "oracle")
    parts = []
    for method in (name for name in PAPER_METHODS if name in oracle and name in ruled):
        gain = (oracle[method] - ruled[method]).dropna()
        parts.append(f"{_NAMES[method]} {100 * gain.mean():.1f} ({(gain > _EQUAL).sum()} of {len(gain)} studies)")
    if not parts:
        return ""
    chance = ""
    if "random" in oracle:
        chance = f" The best of as many clusters of random voxels has {100 * oracle['random'].mean():.1f}."
    return (
        "Were the cancer cluster named by the truth (an oracle, never worse), the balanced accuracy would rise, in "
        f"percent points, by: {'; '.join(parts)}.{chance}"
    )


def _over_sweep(metrics: pd.DataFrame) -> str:
    """Who is highest under how many conditions, and where another method takes over beyond the spread."""
    cases = [(condition, wide, highest(wide, PAPER_METHODS)) for condition, wide in over_conditions(metrics)]
    cases = [case for case in cases if len(case[2]) > 1]
    if len(cases) < 2:
        return ""
    counts = pd.Series([ranked[0] for _, _, ranked in cases]).value_counts()
    first = next((ranked[0] for at, _, ranked in cases if set(at.values()) == {1}), counts.index[0])
    clear = [(at, ranked) for at, wide, ranked in cases if is_beyond_chance(compared(wide, *ranked[:2]))]
    turned = [
        f"{_NAMES[ranked[0]]} ({', '.join(f'{name} × {at[name]:g}' for name in CONDITIONS if at[name] != 1)})"
        for at, ranked in clear
        if ranked[0] != first
    ]
    listed = ", ".join(f"{_NAMES[method]} in {n}" for method, n in counts.items())
    text = (
        f"Of {len(cases)} conditions of noise, linewidth and contrast the highest of the paper's methods is {listed}; "
        f"its lead over the second is beyond the spread over studies in {len(clear)}."
    )
    other = f"another than {_NAMES[first]}, the highest under the main condition,"
    if turned:
        return f"{text} The ranking turns: {other} leads beyond the spread under {len(turned)}: {'; '.join(turned)}."
    return f"{text} Nowhere does {other} lead beyond the spread."


def dimensions_finding(metrics: pd.DataFrame) -> str:
    """Table 1(b): is C-LLE above LLE at every m, and does m matter?"""
    truths = found_truths(metrics)
    if not truths:
        return "The data hold no labels: nothing is said of sensitivity and specificity."
    counts = [_higher_in_both(metrics, truth) for truth in truths]
    return _said([*(_by_dimension(metrics, truth) for truth in truths), *counts, _over_m(metrics, truths[-1])])


def _by_dimension(metrics: pd.DataFrame, truth: str) -> str:
    found = [over_dimensions(metrics, score, truth) for score in SCORES[:2]]
    with_paper = {("box", m) for m in PAPER_DIMENSIONS}
    parts = [
        f"m = {m}: {' and '.join(_difference(of[m], 'c_lle', 'lle') for of in found)}"
        + (" (paper {:+.2f} and {:+.2f})".format(*_paper_difference(m)) if (truth, m) in with_paper else "")
        for m in found[0]
    ]
    return (
        f"Against {_AGAINST[truth]} C-LLE minus LLE in sensitivity and specificity, in percent points ({_PAIRED}; "
        f"{_studies(metrics, metrics['study'].nunique())}): {'; '.join(parts)}."
    )


def _paper_difference(m: int) -> list[float]:
    return [a - b for a, b in zip(PAPER_DIMENSIONS[m]["c_lle"], PAPER_DIMENSIONS[m]["lle"], strict=True)]


def _higher_in_both(metrics: pd.DataFrame, truth: str) -> str:
    found = [over_dimensions(metrics, score, truth) for score in SCORES[:2]]
    higher = [m for m in found[0] if all((of[m]["c_lle"] - of[m]["lle"]).mean() > _EQUAL for of in found)]
    clear = [m for m in higher if all(is_beyond_chance(compared(of[m], "c_lle", "lle")) for of in found)]
    paper = " (the paper: higher at all of its three)" if truth == "box" else ""
    return (
        f"Against {_AGAINST[truth]} C-LLE is higher than LLE in both scores at {len(higher)} of {len(found[0])} "
        f"dimensions, beyond chance in both at {len(clear)}{paper}."
    )


def _over_m(metrics: pd.DataFrame, truth: str) -> str:
    found = over_dimensions(metrics, "balanced_accuracy", truth)
    if len(found) < 2:
        return ""
    parts = []
    for method in ("c_lle", "lle"):
        by_m = pd.DataFrame({m: wide[method] for m, wide in found.items()})
        low, high = by_m.mean().idxmin(), by_m.mean().idxmax()
        moved = f"from m = {low} to m = {high} by {_difference(by_m, high, low)}" if low != high else "not at all"
        parts.append(f"{_NAMES[method]} {moved}")
    return (
        f"Between its lowest and its highest m the balanced accuracy against {_AGAINST[truth]} moves, in percent "
        f"points, for {' and for '.join(parts)}; both ends are picked by these numbers, which favours a difference."
    )


def stability_finding(metrics: pd.DataFrame) -> str:
    """What C-LLE and LLE move with, and by how much."""
    cases = {(axis, metric, truth): wide for axis, metric, truth, wide in over_axes(metrics)}
    if not cases:
        return "The data hold neither labels nor repetitions: nothing is said of stability."
    truth = next((truth for truth in ("voxels", "box") if any(key[2] == truth for key in cases)), None)
    sentences = [
        _moved(axis, cases.get((axis, "sd_balanced_accuracy", truth)), cases.get((axis, "distance", None)))
        for axis in AXES
    ]
    against = f", scores against {_AGAINST[truth].rstrip(',')}" if truth else ""
    head = (
        f"Of {_studies(metrics, metrics['study'].nunique())}{against}. LLE is taken at single κ, C-LLE over all κ, "
        "and where κ varies over blocks of neighbouring κ, LLE at κ as far apart as the blocks; differences are "
        f"{_PAIRED}; below 0 C-LLE is the steadier."
    )
    return _said([head, *sentences, _by_estimator(cases.get(("kappa", "sd_balanced_accuracy", truth)))])


def _moved(axis: str, scores: pd.DataFrame | None, distances: pd.DataFrame | None) -> str:
    """Spread of the scores and distance of the embeddings along one axis."""
    parts = []
    for wide, unit, name in (
        (scores, 100.0, "the standard deviation of the balanced accuracy, in percent points, is"),
        (distances, 1.0, "the distance of the embeddings (distance matrices of norm 1) is"),
    ):
        if wide is not None:
            digits = 1 if unit == 100 else 3
            shown = [method for method in ("lle", "c_lle", "pca") if method in wide]
            means = ", ".join(f"{_NAMES[method]} {unit * wide[method].mean():.{digits}f}" for method in shown)
            told = (
                f"; C-LLE minus LLE {_difference(wide, 'c_lle', 'lle', unit)}" if {"c_lle", "lle"} <= {*shown} else ""
            )
            parts.append(f"{name} {means}{told}")
    return f"By the {AXES[axis]} {', and '.join(parts)}." if parts else ""


def _by_estimator(wide: pd.DataFrame | None) -> str:
    told = "" if wide is None else _against(wide, "c_lle", ("c_lle_mean", "c_lle_median"), _NAMES)
    return f"By the {AXES['kappa']}, C-LLE by the mode minus the same by another estimator: {told}." if told else ""


def components_finding(metrics: pd.DataFrame) -> str:
    """Fig. 2(g)-(i): do the clusters called cancer hold the spectrum of cancer?"""
    component, mean = (per_study(metrics, name) for name in ("correlation", "correlation_mean"))
    if not len(component):
        return "There is no reference spectrum of cancer: nothing is compared with it."
    shown = [name for name in VOXELS if name in component]
    means = ", ".join(f"{VOXELS[name]} {component[name].mean():.3f}" for name in shown)
    others = [name for name in shown if name != "c_lle"]
    of_mean = _against(mean, "c_lle", others, VOXELS, 1.0) if len(mean) else ""
    return _said(
        [
            f"On {_studies(metrics, len(component))} the independent component that is most like the mean cancer "
            f"spectrum of the training studies correlates with it by (absolute, mean over studies) {means}.",
            f"The component of C-LLE's cluster minus the others ({_PAIRED}): "
            f"{_against(component, 'c_lle', others, VOXELS, 1.0)}.",
            f"The same of the mean spectra: {of_mean}." if of_mean else "",
        ]
    )


def calibration_finding(metrics: pd.DataFrame) -> str:
    """How much each choice moves the mean of the methods, and whether beyond the spread over training studies."""
    parts, clear = [], 0
    for choice, rows in metrics.groupby("choice", sort=False):
        wide = rows.pivot_table(index="study", columns="option", values="value", sort=False)
        start, best = rows["option"].iloc[0], wide.mean().idxmax()
        if best == start:
            parts.append(f"{choice}: {start} is highest")
        else:
            parts.append(f"{choice}: {best} rather than {start} {_difference(wide, best, start)}")
            clear += bool(is_beyond_chance(compared(wide, best, start)))
    n = metrics["study"].nunique()
    return _said(
        [
            f"Balanced accuracy against the boxes, mean of the methods, on {_studies(metrics, n)} for training: the "
            f"best option of each choice minus its start value, in percent points ({_PAIRED}): {'; '.join(parts)}.",
            f"In {clear} of {len(parts)} choices an option is better than the start value beyond chance, without "
            "correction for having picked the best.",
        ]
    ).replace("_", " ")


SPECTRA_FINDINGS: dict[str, Callable[[pd.DataFrame], str]] = {
    "spectra_calibration": calibration_finding,
    "spectra_methods": methods_finding,
    "spectra_dimensions": dimensions_finding,
    "spectra_stability": stability_finding,
    "spectra_components": components_finding,
}

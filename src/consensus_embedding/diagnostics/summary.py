"""What a check of an embedding found, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from consensus_embedding.consensus.runs import equal_runs_text
from consensus_embedding.diagnostics.fidelity import METRICS
from consensus_embedding.diagnostics.point_stability import PAIR_LIMITS, categories

if TYPE_CHECKING:
    from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck


# A level of the picture repeats if this share of its points or pairs is stable, or of its neighbours kept; it changes
# if more than the other share is unstable, or less of it kept.
REPEATS, CHANGES = 0.9, 0.5


def summary_sentences(check: EmbeddingCheck) -> list[str]:
    """Sentences of `EmbeddingCheck.summary`."""
    sentences = [*_equal_runs(check), *_far_points(check), *_points(check)]
    if len(check.label_groups):
        sentences += [_groups(check), *_label_pairs(check)]
    sentences += _convergence(check)
    if check.fidelity is not None:
        sentences += _fidelity(check.fidelity)
    return [*sentences, _picture(check), _limit(check)]


def missed_share(n_runs: int) -> float:
    """Largest share of all runs that may put a point elsewhere while none of those made does, with probability 5 %."""
    return 1.0 - 0.05 ** (1.0 / n_runs)


def percent(share: float) -> str:
    """A share in whole percent; what is neither none nor all is not called so."""
    if 0 < share <= 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{share:.0%}"


def exact_percent(share: float) -> str:
    """A share that was set, in as many digits as it has: 10%, 0.4%."""
    return f"{100 * share:g}%"


def label_name(label: object) -> str:
    """A label in a sentence; a number is quoted, so that it is not read as a count."""
    text = str(label)
    return f"'{text}'" if text.replace(".", "", 1).removeprefix("-").isdigit() else text


def raw_turnover(check: EmbeddingCheck) -> tuple[pd.Series, float]:
    """Share of the nearest neighbours of each point that differ between two runs, not relative to random points."""
    random = 1.0 - check.n_neighbors / (len(check.points) - 1)
    return check.points.neighbor_turnover * random, random


def answer_sentences(check: EmbeddingCheck) -> list[str]:
    """
    The answer in three sentences of the summary, or a few more: points, labels or neighbours, and number of runs.

    Warnings come first: runs of an embedder that are equal, and points that are far from all others.
    """
    points = _points(check)
    second = _label_pairs(check) if len(check.label_groups) else []
    return [
        *_equal_runs(check),
        *_far_points(check),
        points[0],
        *(second or points[1:2]),
        " ".join(_convergence(check)),
    ]


def _equal_runs(check: EmbeddingCheck) -> list[str]:
    n = check.n_equal_runs
    return [f"Warning: {equal_runs_text(n, len(check.embeddings))}"] if n else []


def _far_points(check: EmbeddingCheck) -> list[str]:
    if not len(check.far_points):
        return []
    names = _listed([str(point) for point in check.far_points])
    return [
        f"Warning: far from all others in a run or more: {len(check.far_points)} of {len(check.points)} points (number "
        f"{names}). They decide the size of the picture, and so the number of runs that is enough; leave them out."
    ]


def _levels(check: EmbeddingCheck) -> str:
    """Which level of the picture is the same in every run: group of a point, places of groups, insides of groups."""
    places, kept = check.label_pairs.category if len(check.label_pairs) else [], _kept_inside(check)
    if len(places) == 0 or np.all(places == "scattered"):
        # Without groups, the distances between all points.
        spread = np.array([check.points.distance_spread.mean()])
        places = pd.Series(categories(spread, spread, PAIR_LIMITS))
    inside = "repeat" if kept >= REPEATS else "partly repeat" if kept >= CHANGES else "change"
    return (
        f"From run to run, which group a point is in {_change(check.points.category)}s, the places of the groups "
        f"{_change(places[places != 'scattered'])}, and the neighbours inside them {inside}."
    )


def _change(category: pd.Series) -> str:
    if (category == "unstable").mean() > CHANGES:
        return "change"
    return "repeat" if (category == "stable").mean() >= REPEATS else "partly repeat"


def _kept_inside(check: EmbeddingCheck) -> float:
    """
    Share of the nearest neighbours that are the same in two runs, from 0 as inside groups in random order to 1.

    Groups are the labels whose points keep together; without any, all points. In a small group chance keeps many.
    """
    turnover, random = raw_turnover(check)
    chance = np.full(len(turnover), 1.0 - random)
    if len(check.label_groups):
        together = check.label_groups[check.label_groups.category == "together"]
        sizes = check.points.label.map(dict(zip(together.label, together.n_points, strict=True))).to_numpy(dtype=float)
        if (sizes > check.n_neighbors + 1).any():
            chance = check.n_neighbors / (sizes - 1)
    judged = chance < 1.0
    return float(((1.0 - turnover - chance) / (1.0 - chance))[judged].mean())


def _points(check: EmbeddingCheck) -> list[str]:
    m, points = len(check.embeddings), check.points
    counts = points.category.value_counts()
    shares = [
        f"{n} ({percent(n / len(points))}) {_are(n)} {name}"
        for name, n in counts.reindex(["stable", "uncertain", "unstable"], fill_value=0).items()
    ]
    turnover, random = raw_turnover(check)
    sentences = [
        f"{m} runs were compared on {len(points)} points: {shares[0]}, {shares[1]}, {shares[2]}. {_levels(check)}",
        f"Between two runs, {percent(turnover.mean())} of a point's {check.n_neighbors} nearest neighbours change on "
        f"average ({percent(random)} if placed at random).",
    ]
    if counts.get("unstable", 0):
        sentences += [
            "Do not interpret the position of unstable points: their neighbours in one run are far away in another."
        ]
    return sentences


def _groups(check: EmbeddingCheck) -> str:
    named = {name: group.label.map(label_name).tolist() for name, group in check.label_groups.groupby("category")}
    parts = [
        f"{name}: {_listed(named[name])}" for name in ("together", "mixed", "scattered", "not judged") if name in named
    ]
    return f"Points with the same label, by whether they are neighbours: {'; '.join(parts)}."


def _label_pairs(check: EmbeddingCheck) -> list[str]:
    pairs = check.label_pairs
    if not len(pairs):
        return []
    counts = pairs.category.value_counts()
    stable, scattered = counts.get("stable", 0), counts.get("scattered", 0)
    sentences = [
        f"Of {len(pairs)} distance{'' if len(pairs) == 1 else 's'} between labels, {stable} {_are(stable)} stable over "
        f"runs, {counts.get('uncertain', 0)} uncertain and {counts.get('unstable', 0)} unstable"
        + (f", and {scattered} cannot be judged, because a label is scattered" if scattered else "")
        + (
            "; do not interpret which labels are close or far unless their pair is stable."
            if stable < len(pairs)
            else "."
        )
    ]
    return sentences


def _convergence(check: EmbeddingCheck) -> list[str]:
    convergence, m = check.convergence, len(check.embeddings)
    gap, above = convergence.curve.distance.iloc[0], convergence.curve.share_above.iloc[0]
    verdict = "one run was enough" if convergence.one_run_enough else "one run was not enough"
    sentences = [
        f"For distances {verdict}: those in a single run differ from the consensus by {percent(gap)}, and in "
        f"{percent(above)} of the runs by more than the tolerance of {exact_percent(convergence.tolerance)}."
    ]
    if convergence.one_run_enough:
        return sentences
    if convergence.n_enough is not None:
        return [*sentences, f"A consensus of {convergence.n_enough} runs is within the tolerance in 95% of the cases."]
    if convergence.n_extrapolated is not None:
        enough = "no more than were made" if convergence.n_extrapolated <= m else f"more than the {m} made: add runs"
        return [
            *sentences,
            f"Warning: a consensus of up to {int(convergence.curve.n_runs.iloc[-1])} runs is not within the tolerance. "
            f"By extrapolation about {convergence.n_extrapolated} runs are needed, {enough}.",
        ]
    return [
        *sentences,
        f"Warning: the consensus does not settle within the {m} runs; the runs may fall into a few different layouts. "
        "Add runs, or compare the layouts.",
    ]


def _fidelity(fidelity: pd.DataFrame) -> list[str]:
    table = fidelity.set_index(["of", "metric"]).value
    chance = fidelity[fidelity.of == "picture"].set_index("metric").chance
    parts = [
        f"{label} {table['single run', metric]:.2f} for a single run, {table['consensus distances', metric]:.2f} for "
        f"the consensus distances, {table['picture', metric]:.2f} for the picture ({chance[metric]:.2f} by chance)"
        for metric, label in METRICS.items()
        if metric != "continuity"
    ]
    return [f"Agreement with the data (1 = perfect): {'; '.join(parts)}."]


def _picture(check: EmbeddingCheck) -> str:
    sentence = f"The picture shows the distances of the consensus with an error of {percent(check.consensus.stress)}."
    if check.n_landmarks:
        sentence += (
            f" Each of the {len(check.points)} points was compared with its neighbours and with {check.n_landmarks} "
            "points drawn at random, not with all."
        )
    return sentence


def _limit(check: EmbeddingCheck) -> str:
    m = len(check.embeddings)
    if m < 5:
        return f"Fewer than 5 runs call no point stable: add runs to these {m}."
    return (
        f"Stable means that these {m} runs agree: a point that {percent(missed_share(m))} of all runs put elsewhere "
        "still has a chance of 5% to be in one place in all of these runs."
    )


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

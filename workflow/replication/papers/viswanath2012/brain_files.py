"""Walk over the saved brain slices: one call per subject, draw, noise level and non-uniformity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from joblib import delayed

from replication.data.brainweb import about_subject
from replication.papers.viswanath2012.image_slices import EmbeddedSlice, load_slices
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics


def about_unit(unit: str) -> dict[str, str]:
    """`about_subject` of a unit, a subject and a draw of its noise."""
    return about_subject(unit.rpartition("_")[0])


def slices_at(path: str | Path, kind: str, inhomogeneity: int, slices: Sequence[int]) -> dict[int, EmbeddedSlice]:
    """Embedded slices by their numbers, of one kind of objects and non-uniformity."""
    names = {z: f"{kind}/{inhomogeneity}/{z}" for z in slices}
    loaded = load_slices(path, list(names.values()))
    return {z: loaded[name] for z, name in names.items()}


def score_units(
    experiment: str,
    paths: Sequence[str | Path],
    conditions: list[str],
    score: Callable[..., None],
    brain: Mapping,
    kind: str,
    work: Work = QUIET,
) -> pd.DataFrame:
    """Call a scoring function on the evaluation slices of every combination."""

    def score_unit(path: Path, inhomogeneity: int) -> tuple[pd.DataFrame, str]:
        subject, _, draw = path.parent.name.rpartition("_")
        noise = int(path.stem.removeprefix("pn"))
        metrics = Metrics(experiment, **about_subject(subject), conditions=conditions)
        slices = slices_at(path, kind, inhomogeneity, brain["slices"])
        score(metrics, slices, noise=noise, inhomogeneity=inhomogeneity, draw=int(draw))
        return metrics.table(), f"{subject}, draw {draw}: noise {noise} %, non-uniformity {inhomogeneity} %"

    calls = (delayed(score_unit)(Path(path), level) for path in paths for level in brain["inhomogeneity"])
    tables = []
    for table, unit in results_of(calls, work.threads):
        tables.append(table)
        work.say(unit)
    return pd.concat(tables, ignore_index=True)

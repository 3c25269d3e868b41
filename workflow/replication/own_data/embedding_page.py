"""The page of a check of an embedding: what may be read from it and what may not, in one file that works offline."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck
from consensus_embedding.diagnostics.fidelity import METRICS
from consensus_embedding.diagnostics.page import picture_html, style
from consensus_embedding.diagnostics.plots import NUMBERED_LABELS, SHOWN_LABELS, worst_groups
from consensus_embedding.diagnostics.point_stability import FEWEST_POINTS
from consensus_embedding.diagnostics.summary import (
    answer_sentences,
    exact_percent,
    label_name,
    missed_share,
    percent,
    raw_turnover,
)
from jinja2 import Environment, FileSystemLoader, select_autoescape

from replication.own_data.contents import PARTS
from replication.platform.readable import without_controls

# Rows of a table on the page; the files have all.
SHOWN_ROWS = 15
# Names in a sentence.
_NAMED = 5
# A silhouette below this shows no group that is apart from the others (Kaufman and Rousseeuw 1990).
_SEPARATE = 0.25


def render_page(
    template: str | Path,
    title: str,
    check: EmbeddingCheck,
    figures: Mapping[str, str | Path],
    facts: Sequence[tuple[str, str]],
    *,
    ids: Sequence[str] | None = None,
    files: Sequence[tuple[str, str]] = (),
    start: tuple[str, str] | None = None,
) -> str:
    """Render the page."""
    template = Path(template)
    environment = Environment(
        loader=FileSystemLoader(template.parent), autoescape=select_autoescape(default=True), trim_blocks=True
    )
    environment.filters["embed"] = _embedded
    may, may_not = readings(check)
    n_labels = len(check.label_groups)
    words = {
        "by": "left coloured by label, right " if n_labels else "",
        "first": f" The {SHOWN_LABELS} worst of {n_labels} labels." if n_labels > SHOWN_LABELS else "",
        "largest": f" The {NUMBERED_LABELS} largest of {n_labels} labels." if n_labels > NUMBERED_LABELS else "",
    }
    page = environment.get_template(template.name).render(
        title=title,
        style=style(),
        picture=lambda still: picture_html(check, still, ids),
        answer=answer_sentences(check),
        may=may,
        may_not=may_not,
        figures=[(name, path, PARTS[name].caption.format(**words)) for name, path in figures.items()],
        tables=_tables(check, ids),
        facts=facts,
        files=files,
        start=start,
        m=len(check.embeddings),
    )
    return without_controls(page)


def readings(check: EmbeddingCheck) -> tuple[list[str], list[str]]:
    """What may be read from the picture and what may not, from the numbers."""
    may, may_not = [], []
    n, m, counts = len(check.points), len(check.embeddings), check.points.category.value_counts()
    stable, unstable = int(counts.get("stable", 0)), int(counts.get("unstable", 0))
    if stable:
        turnover = raw_turnover(check)[0][check.points.category == "stable"].mean()
        may.append(
            f"Which group the stable points ({stable} of {n}, {percent(stable / n)}) are in: the same in these {m} "
            f"runs. Inside a group they move: between two runs, {percent(turnover)} of their nearest neighbours "
            f"change. A point that {percent(missed_share(m))} of all runs put elsewhere still has a chance of 5% to be "
            "in one place in all of these runs."
        )
    if unstable:
        may_not.append(
            f"Where the unstable points are ({unstable} of {n}, {percent(unstable / n)}): another run puts them near "
            "other points."
        )
    if n - stable - unstable:
        may_not.append(
            f"Fine detail around the uncertain points ({n - stable - unstable} of {n}): too few runs, or too much "
            "change between them, to call them stable."
        )
    _read_labels(check, may, may_not)
    _read_runs(check, may, may_not)
    if check.fidelity is not None:
        correlation = check.fidelity.set_index(["of", "metric"]).value["picture", "distance_correlation"]
        line = (
            f"Long distances: the order of distances in the picture agrees with the data at a rank correlation of "
            f"{correlation:.2f} (1 = perfect)."
        )
        (may if correlation >= 0.8 else may_not).append(line)
    may_not.append("Size and density of groups: t-SNE and UMAP even them out, and this check does not test them.")
    may_not.append(
        "Truth beyond the runs: stable means that runs agree, not that they are right. Intervals are over runs of this "
        "data set; another sample of the data may look different."
    )
    return may, may_not


def _read_labels(check: EmbeddingCheck, may: list[str], may_not: list[str]) -> None:
    groups, pairs = check.label_groups, _worst_pairs(check)
    if not len(groups):
        return
    together = groups.label[groups.category == "together"].tolist()
    apart = groups.label[groups.category.isin(["mixed", "scattered"])].tolist()
    if together:
        may.append(f"That neighbours have the same label, in every run: {_listed(together)}.")
        loose = groups.label[(groups.category == "together") & (groups.silhouette < _SEPARATE)].tolist()
        if loose:
            may_not.append(
                f"These labels as one separate group: {_listed(loose)}. They are in several parts, or next to another "
                f"label (silhouette below {_SEPARATE})."
            )
    few = groups.label[groups.category == "not judged"].tolist()
    if few:
        may_not.append(
            f"Whether these labels form groups: {_listed(few)}. They have fewer than {FEWEST_POINTS} points, which may "
            "be neighbours by chance, or all points."
        )
    if apart:
        may_not.append(
            f"These labels as groups: {_listed(apart)}. Many of their points have neighbours with other labels."
        )
    counts = pairs.category.value_counts()
    if counts.get("stable", 0):
        calm = pairs[pairs.category == "stable"].iloc[::-1]
        where = "" if _is_faithful(check) else " Read it in the table, not in the picture."
        may.append(
            f"How far apart two labels are, for {counts['stable']} of {len(pairs)} pairs, such as "
            f"{_pairs_listed(calm)}.{where}"
        )
    loose = pairs[pairs.category.isin(["unstable", "uncertain"])]
    if len(loose):
        may_not.append(
            f"How far apart two labels are, for {len(loose)} of {len(pairs)} pairs, such as {_pairs_listed(loose)}: "
            "the distance changes from run to run."
        )
    if counts.get("scattered", 0):
        may_not.append(
            f"Distances to scattered labels ({counts['scattered']} of {len(pairs)} pairs): their points have no fixed "
            "position."
        )


def _read_runs(check: EmbeddingCheck, may: list[str], may_not: list[str]) -> None:
    fit, m = check.convergence, len(check.embeddings)
    tolerance = exact_percent(fit.tolerance)
    if not _is_faithful(check):
        may_not.append(
            f"Distances in the picture: they differ by {percent(check.consensus.stress)} from those of the consensus. "
            "Read these in the files."
        )
    if fit.one_run_enough:
        may.append(f"Distances in a single run: one run was enough (tolerance {tolerance}).")
        return
    may_not.append(
        f"Distances in a single run: in {percent(fit.curve.share_above.iloc[0])} of the runs they differ from the "
        f"consensus by more than the tolerance of {tolerance}."
    )
    if fit.n_enough is not None:
        where = "" if _is_faithful(check) else ", in the files"
        line = (
            f"Distances in the consensus of {m} runs{where}: {fit.n_enough} runs or more are within the tolerance of "
            f"{tolerance}"
        )
        if (check.points.category == "unstable").mean() > 0.5:
            may_not.append(f"{line}, but the runs do not agree: most points are unstable.")
        else:
            may.append(f"{line}.")
    else:
        needed = f"; by extrapolation about {fit.n_extrapolated} runs are needed" if fit.n_extrapolated else ""
        may_not.append(
            f"Distances in this consensus to within {tolerance}: {m} runs were not shown to be enough{needed}."
        )


def _is_faithful(check: EmbeddingCheck) -> bool:
    return check.consensus.stress <= check.convergence.tolerance


def _listed(names: Sequence[object]) -> str:
    shown = ", ".join(map(label_name, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _pairs_listed(pairs: pd.DataFrame) -> str:
    first = pairs.head(3)
    pairs = zip(first["first"].map(label_name), first["second"].map(label_name), strict=True)
    return ", ".join(f"{a} – {b}" for a, b in pairs)


def _tables(check: EmbeddingCheck, ids: Sequence[str] | None) -> list[dict[str, object]]:
    """Tables of the page: worst rows first, numbers as text."""
    points = check.points.sort_values("instability", ascending=False, kind="stable").head(SHOWN_ROWS)
    rows = pd.DataFrame({"point": points.point if ids is None else [ids[k] for k in points.index]})
    if "label" in points:
        rows["label"] = points.label.fillna("").to_numpy()
    rows["instability"] = _with_interval(points, "instability")
    rows["neighbours that change"] = [percent(share) for share in raw_turnover(check)[0][points.index]]
    rows["category"] = points.category.to_numpy()
    tables = [_table("points", rows, len(check.points))]
    if len(check.label_groups):
        groups = worst_groups(check)
        rows = pd.DataFrame(
            {
                "label": groups.label,
                "points": groups.n_points,
                "stable": [percent(share) for share in groups.n_stable / groups.n_points],
                "unstable": [percent(share) for share in groups.n_unstable / groups.n_points],
                "neighbours with the same label": _with_interval(groups, "same_label"),
                "by chance": [_number(chance) for chance in groups.chance],
                "silhouette": _with_interval(groups, "silhouette"),
                "category": groups.category,
            }
        )
        tables.append(_table("label_groups", rows, len(rows)))
        pairs = _worst_pairs(check)
        rows = pd.DataFrame(
            {
                "labels": [f"{a} – {b}" for a, b in zip(pairs["first"], pairs["second"], strict=True)],
                "distance (mean = 1)": [_number(distance) for distance in pairs.distance],
                "instability": _with_interval(pairs, "instability"),
                "category": pairs.category.to_numpy(),
            }
        )
        tables.append(_table("label_pairs", rows, len(rows)))
    if check.fidelity is not None:
        wide = {}
        for compared, part in check.fidelity.groupby("of", sort=False):
            wide[compared] = dict(zip(part.metric, _with_interval(part, "value", "low", "high"), strict=True))
        chance = check.fidelity.drop_duplicates("metric").set_index("metric").chance
        rows = pd.DataFrame(
            [
                {
                    "agreement": METRICS[metric],
                    **{compared: wide[compared][metric] for compared in wide},
                    "by chance": _number(chance[metric]),
                }
                for metric in METRICS
            ]
        )
        tables.append(_table("fidelity", rows, len(rows)))
    return tables


def _worst_pairs(check: EmbeddingCheck) -> pd.DataFrame:
    """Pairs of labels whose distance changes most, first."""
    return check.label_pairs.sort_values("instability", ascending=False, kind="stable")


def _table(name: str, rows: pd.DataFrame, n: int) -> dict[str, object]:
    shown = rows.head(SHOWN_ROWS)
    cells = shown.astype(str).to_numpy().tolist()
    return {"name": name, "title": PARTS[name].title, "columns": list(shown), "rows": cells, "n": n}


def _with_interval(table: pd.DataFrame, name: str, low: str | None = None, high: str | None = None) -> list[str]:
    low, high = low or f"{name}_low", high or f"{name}_high"
    return [
        _number(value) if np.isnan(a) or np.isnan(b) else f"{_number(value)} [{_number(a)}, {_number(b)}]"
        for value, a, b in zip(table[name], table[low], table[high], strict=True)
    ]


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")


def _embedded(path: str | Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(Path(path).read_bytes()).decode()}"

"""
The interactive picture of a check: one HTML file that works offline.

The points are drawn on a canvas by `page.js`. docs/by_hand.md says why no library draws them.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from consensus_embedding.consensus.stability import procrustes_align
from consensus_embedding.diagnostics.summary import answer_sentences, summary_sentences
from consensus_embedding.utils.colours import (
    FEW_LABELS,
    LINES,
    NUMBERED_LABELS,
    OTHER,
    SEQUENTIAL,
    STABILITY,
    STABILITY_MARKERS,
    look_of_label,
)

if TYPE_CHECKING:
    from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck

# Most bytes of the data: with the figures a page then has at most 8 MB. What does not fit is left out.
_MOST_BYTES = 7_000_000
# Columns that every page has, the most important first.
_ALWAYS = ("category", "label", "instability")
# Steps of a number, and the code of a missing one.
_STEPS, _MISSING = 65534, 65535
# A text column with more categories is no colour.
_MOST_CATEGORIES = 500
# Rows of the table of counts.
_SHOWN_ROWS = 30
_COLUMN_NAMES = {"category": "stability"}


def style() -> str:
    """The style sheet of a page of a check."""
    return _text("page.css")


def write_html(check: EmbeddingCheck, path: str | PathLike[str], names: Any = None, title: str | None = None) -> None:
    """Write the page of `EmbeddingCheck.write_html`."""
    from consensus_embedding.diagnostics.plots import png

    n = len(check.points)
    if names is None and not check.points.index.equals(pd.RangeIndex(n)):
        names = check.points.index
    if names is not None and len(names) != n:
        raise ValueError(f"names must have one entry per point, {n}, found {len(names)}.")
    colours = ["label", "stability"] if len(check.label_groups) else ["stability"]
    still = "".join(
        f'<figure><img alt="Consensus picture, coloured by {color}" src="{png(check, color)}"></figure>'
        for color in colours
    )
    title = "What can be trusted in this embedding?" if title is None else title
    page = Template(_text("page.html")).substitute(
        title=escape(title),
        style=style(),
        answer=_paragraphs(answer_sentences(check)),
        picture=picture_html(check, still, names),
        summary=_paragraphs(summary_sentences(check)),
    )
    Path(path).write_text(page, encoding="utf-8", errors="replace")


def picture_html(check: EmbeddingCheck, still: str, names: Any = None) -> str:
    """
    The interactive picture, for a page with the style of `style`.

    `still` is HTML of the picture without JavaScript and for print; without `names` of the points only their numbers
    are shown.
    """
    data = picture_data(check, names)
    shown, m = len(data["runs"]), len(check.embeddings)
    left = [f"{m - shown} of the {m} runs"] if shown < m else []
    left += [f"the colours by {', '.join(data['left_out'])}"] if data["left_out"] else []
    left += ["the names of the points"] if names is not None and data["names"] is None else []
    note = f"The file would be too large with all of it: {', '.join(left)} are left out." if left else ""
    heads, rows = _counts(check)
    return Template(_text("picture.html")).substitute(
        n=len(check.points),
        note=note and f'<p class="soft">{escape(note)}</p>',
        heads="".join(f"<th>{escape(head)}</th>" for head in heads),
        rows="\n".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows),
        still=still,
        # In a script element `<` alone can end the data.
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script=_text("page.js"),
    )


def picture_data(check: EmbeddingCheck, names: Any = None) -> dict[str, Any]:
    """
    What the picture shows, as JSON; arrays are packed by `_packed`.

    Coordinates are steps from `origin`, (n,) of x and then of y. Those of a run are differences to the consensus,
    modulo 2^16, which pack better where runs agree.
    """
    picture = _in_plane(check.consensus.embedding)
    runs = [on_picture(run, picture) for run in check.embeddings]
    everything = np.stack([picture, *runs])
    origin = everything.min(axis=(0, 1))
    step = float((everything.max(axis=(0, 1)) - origin).max()) / _STEPS or 1.0
    places = np.rint((everything - origin) / step).astype(np.uint16)
    points = check.points.point.to_numpy()
    data: dict[str, Any] = {
        "n": len(points),
        "origin": origin.tolist(),
        "step": step,
        "picture": _packed(places[0].T),
        "points": None if np.array_equal(points, np.arange(len(points))) else _packed(points.astype(np.uint32)),
        "names": None,
        "columns": [column for name in _ALWAYS if name in check.points for column in _column(check, name)],
        "other": OTHER,
        "chosen": LINES[1],
        "scale": SEQUENTIAL,
        "runs": [],
        "left_out": [],
    }
    size = len(json.dumps(data))

    def fits(part: object) -> bool:
        """Whether there is room for a part more, which then counts."""
        nonlocal size
        whole = size + len(json.dumps(part)) + 2
        if whole > _MOST_BYTES:
            return False
        size = whole
        return True

    if names is not None:
        packed = _deflated(json.dumps([str(name) for name in names]).encode())
        data["names"] = packed if fits(packed) else None
    for column in (column for name in check.points if name not in _ALWAYS for column in _column(check, name)):
        if fits(column):
            data["columns"].append(column)
        else:
            data["left_out"].append(column["title"])
    run_names = check.run_names or [f"run {k + 1}" for k in range(len(runs))]
    for name, run in zip(run_names, places[1:], strict=True):
        if not fits(moves := {"name": name, "moves": _packed((run - places[0]).T)}):
            break
        data["runs"].append(moves)
    return data


def on_picture(run: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """Rotate, reflect, shift and stretch a run (n, p) onto a picture (n, 2), and project it onto its plane, (n, 2)."""
    run = _in_plane(run)
    target = np.pad(_in_plane(picture), ((0, 0), (0, run.shape[1] - 2)))
    return procrustes_align(run, target, scaling=True)[:, :2]


def label_counts(check: EmbeddingCheck, column: str) -> pd.Series:
    """Number of points of each label, in the order of the check where it has them all, else in that of their names."""
    counts = check.points[column].value_counts()
    # A category may have no point.
    counts = counts[counts > 0].sort_index(key=lambda names: names.astype(str))
    known = pd.Index(check.label_groups.label if column == "label" else [])
    return counts.reindex(known, fill_value=0) if len(known) and counts.index.isin(known).all() else counts


def largest(sizes: pd.Series, most: int) -> list[object]:
    """Names of the largest, in the order of all."""
    large = set(sizes.sort_values(ascending=False, kind="stable").index[:most])
    return [name for name in sizes.index if name in large]


def _in_plane(places: np.ndarray) -> np.ndarray:
    """With two dimensions at least."""
    places = np.asarray(places, dtype=np.float64)
    return np.pad(places, ((0, 0), (0, max(0, 2 - places.shape[1]))))


def _column(check: EmbeddingCheck, name: str) -> Iterable[dict[str, Any]]:
    """A column that points can be coloured by."""
    if name in ("point", "x", "y"):
        return
    values = check.points[name]
    found = {"key": name, "title": _COLUMN_NAMES.get(name, str(name)).replace("_", " ")}
    is_label = name in ("label", "category")
    if not is_label and pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        known = np.isfinite(numbers)
        if not known.any():
            return
        low, high = float(numbers[known].min()), float(numbers[known].max())
        codes = np.full(len(numbers), _MISSING, dtype=np.uint16)
        codes[known] = np.rint((numbers[known] - low) / ((high - low) or 1.0) * _STEPS)
        yield {**found, "low": low, "high": high, "values": _packed(codes[None])}
        return
    if name == "category":
        order, looks = (
            list(STABILITY),
            [(colour, STABILITY_MARKERS[category]) for category, colour in STABILITY.items()],
        )
    else:
        counts = label_counts(check, name)
        if not 0 < len(counts) <= _MOST_CATEGORIES:
            return
        order, looks = counts.index.tolist(), _looks(counts)
    codes = pd.Index(order).get_indexer(values)
    codes[codes < 0] = len(order)
    yield {
        **found,
        "names": [str(name) for name in order],
        "numbered": name != "category" and len(order) > FEW_LABELS,
        "looks": looks,
        "codes": _packed(codes.astype(np.uint16)[None]),
    }


def _looks(sizes: pd.Series) -> list[tuple[str, str] | None]:
    """Colour and marker of each category, as in the plots; None of those that are small among many."""
    shown = largest(sizes, NUMBERED_LABELS)
    looks = {name: look_of_label(k, len(sizes) <= FEW_LABELS) for k, name in enumerate(shown)}
    return [looks.get(name) for name in sizes.index]


def _counts(check: EmbeddingCheck) -> tuple[list[str], list[list[object]]]:
    """Points of each label and stability."""
    points, stability = check.points, list(STABILITY)
    labels = points.label.map(str, na_action="ignore").fillna("no label") if "label" in points else None
    everything = pd.Series("all points", index=points.index)
    groups = [everything] if labels is None else [labels, everything]
    table = pd.concat([pd.crosstab(group, points.category) for group in groups]).reindex(
        columns=stability, fill_value=0
    )
    table.insert(0, "points", table.sum(axis=1))
    table = table.sort_values("points", ascending=False, kind="stable")
    rows = [[name, *row] for name, row in zip(table.index, table.to_numpy().tolist(), strict=True)]
    left = len(rows) - _SHOWN_ROWS
    return ["label", "points", *stability], rows[:_SHOWN_ROWS] + ([[f"{left} more labels"]] if left > 0 else [])


def _packed(array: np.ndarray) -> str:
    """An unsigned integer array as base64 of zlib; first the low bytes of all numbers, then the higher ones."""
    planes = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).view(np.uint8)
    return _deflated(planes.reshape(-1, array.dtype.itemsize).T.tobytes())


def _deflated(data: bytes) -> str:
    return b64encode(zlib.compress(data, 9)).decode()


def _paragraphs(sentences: Sequence[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _text(name: str) -> str:
    return (files("consensus_embedding.diagnostics") / name).read_text(encoding="utf-8")

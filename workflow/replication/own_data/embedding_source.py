"""What a check of an embedding works on: points, ready embeddings or an embedder, as the configuration names them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from consensus_embedding.consensus.cost import EXACT_POINTS
from consensus_embedding.io.anndata_file import DEFAULT, read_anndata, read_obsm
from consensus_embedding.io.embedding_table import PointTable, in_order_of, read_embeddings, read_labels, read_points
from consensus_embedding.utils.numbers import with_squares
from consensus_embedding.utils.seeds import stream, stream_seed
from consensus_embedding.utils.text import InputError
from sklearn.base import BaseEstimator

from replication.own_data.entry import cost_of, settings_of_item
from replication.platform.own_embeddings import OwnEmbedding
from replication.platform.steps import Job

MAX_LABELS = 500
# Package to install -> module, where the two have different names.
_PACKAGES = {"umap": "umap-learn", "sklearn": "scikit-learn"}


@dataclass(frozen=True, eq=False)
class CheckInput:
    """Points to check, with what is known of them, as the files of an item give it."""

    X: np.ndarray | None  # Of shape (n, n_features), scaled; None for ready embeddings without data.
    embeddings: list[np.ndarray] | None  # Of shape (n, n_dimensions).
    labels: np.ndarray | None  # Objects.
    ids: tuple[str, ...] | None
    rows: np.ndarray  # Of the file, counted from 0: all, or those of the sample.
    n_in_file: int
    representation: str | None = None  # Of an AnnData file: X or a key of obsm.


def _require_names(item: OwnEmbedding, ids: Mapping[str, tuple[str, ...] | None]) -> None:
    """Refuse to match by order where `id` asks for names, and only some of the files have them."""
    without = [where for where, names in ids.items() if names is None]
    if item.id is not None and 0 < len(without) < len(ids):
        raise InputError(
            f"own_embeddings, {item.name}: expected names of points in {without[0]}, because id is {item.id!r}, found "
            "none. Save it as CSV or Parquet with that column, or leave id out if the rows are in one order."
        )


def opened(job: Job, **changes: int) -> tuple[OwnEmbedding, object | None, CheckInput]:
    """The entry of a job, its embedder, and its points; changes of the entry are unchecked."""
    item = settings_of_item(job.settings["item"]).model_copy(update=changes)
    embedder = make_embedder(item)
    points = load_points(item, job.seed)
    cost = cost_of(item, len(points.rows))
    cost._require_memory(f"own_embeddings, {item.name}", "Check a random sample (sample: 5000), or fewer runs")
    job.say(f"{len(points.rows)} points read")
    return item, embedder, points


def seed_of(item: OwnEmbedding, seed: int) -> int:
    """Seed of a check and its runs."""
    return stream_seed(seed, "embedding_check", item.name)


class MadeRuns(BaseEstimator):
    """Runs that jobs of their own have made, in place of the embedder; `metric` is its."""

    def __init__(self, paths: Sequence[str] = (), metric: str | None = None, random_state: int | None = None):
        self.paths, self.metric, self.random_state = paths, metric, random_state

    def fit_transform_runs(self, X: np.ndarray, seeds: Sequence[int], **_: Any) -> np.ndarray:
        """All runs, whose jobs drew the same seeds."""
        return np.concatenate([np.load(path)["runs"] for path in self.paths])

    fit_transform = fit_transform_runs


def load_points(item: OwnEmbedding, seed: int) -> CheckInput:
    """Read what an item names."""
    points, runs = _from_anndata(item, seed) if item.anndata else _from_files(item)
    n = len(points.values) if runs is None else len(runs[0])
    labels = points.labels
    if item.labels:
        listed = read_labels(item.labels, label=item.label, id=item.id)
        _require_names(item, {item.labels: listed.ids, "the points": points.ids})
        labels = in_order_of(listed, points.ids, item.labels, "the points").labels
    for where, length in (("labels", None if labels is None else len(labels)), ("the table", len(points.values))):
        if length not in (None, n):
            raise InputError(
                f"own_embeddings, {item.name}: expected {n} rows in {where}, one per point, found {length}. Give all "
                "files the same points in the same order."
            )
    _check_labels(item, labels)
    rows = _rows(item, n, seed)
    labels = None if labels is None else labels[rows]
    if labels is not None and all(label is None for label in labels):
        raise InputError(
            f"own_embeddings, {item.name}: expected points with a label in the sample, found none among its "
            f"{len(rows)}. Take a larger sample, or name no label."
        )
    X = points.values if points.values.shape[1] else None
    return CheckInput(
        X if X is None else _scaled(X[rows], item),
        runs if runs is None else [run[rows] for run in runs],
        labels,
        points.ids if points.ids is None else tuple(points.ids[row] for row in rows),
        rows,
        n,
        points.representation,
    )


def _from_anndata(item: OwnEmbedding, seed: int) -> tuple[PointTable, list[np.ndarray] | None]:
    representation = item.representation or (None if item.obsm else DEFAULT)
    points = read_anndata(
        item.anndata,
        representation=representation,
        components=item.components,
        label=None if item.labels else item.label,
        random_state=stream_seed(seed, "embedding_check", item.name, "components"),
    )
    return points, read_obsm(item.anndata, item.obsm) if item.obsm else None


def _from_files(item: OwnEmbedding) -> tuple[PointTable, list[np.ndarray] | None]:
    label = None if item.labels else item.label
    if not item.embeddings:
        return read_points(item.table, label=label, id=item.id, drop=item.drop), None
    runs = read_embeddings(item.embeddings, id=item.id, drop=item.drop)
    if item.table:
        points = read_points(item.table, label=label, id=item.id, drop=item.drop)
        _require_names(item, {item.table: points.ids, item.embeddings[0]: runs[0].ids})
        points = in_order_of(points, runs[0].ids, item.table, item.embeddings[0])
    else:
        points = PointTable(np.empty((len(runs[0].values), 0)), (), runs[0].ids)
    return points, [run.values for run in runs]


def _check_labels(item: OwnEmbedding, labels: np.ndarray | None) -> None:
    if labels is None:
        return
    names = sorted({label for label in labels if label is not None})
    n_labels = len(names)
    if n_labels < 2:
        raise InputError(
            f"own_embeddings, {item.name}: expected at least 2 labels, found only '{names[0]}'. Name another "
            "column, or no label."
        )
    if n_labels > MAX_LABELS or 2 * n_labels > len(labels):
        raise InputError(
            f"own_embeddings, {item.name}: expected labels that are categories, at most {MAX_LABELS} and with two "
            f"points each on average, found {n_labels} labels for {len(labels)} points. Name a column of categories, "
            "put numbers into ranges, or name no label."
        )


def _rows(item: OwnEmbedding, n: int, seed: int) -> np.ndarray:
    """All rows, or a random sample in the order of the file."""
    if item.distances and min(n, item.sample or n) > EXACT_POINTS:
        raise InputError(
            f"own_embeddings, {item.name}: expected at most {EXACT_POINTS} points where the distances of all pairs are "
            f"written, found {n}; those of more are not computed. Leave out distances, or check a random sample: add "
            "sample: 5000."
        )
    if item.sample is None or item.sample >= n:
        return np.arange(n)
    return np.sort(stream(seed, "embedding_check", item.name, "sample").choice(n, item.sample, replace=False))


def _scaled(X: np.ndarray, item: OwnEmbedding) -> np.ndarray:
    X = np.asarray(X, dtype=np.float64)
    # Not by the standard deviation: that of a constant column is rounding.
    varies = X.max(axis=0) > X.min(axis=0)
    if not varies.any():
        raise InputError(
            f"own_embeddings, {item.name}: expected points that differ, found {len(X)} equal ones. Export the table "
            "again."
        )
    if item.scaled_by == "none":
        return X
    X = with_squares(X, axis=0)
    return (X - X.mean(axis=0)) / np.where(varies, X.std(axis=0), 1.0)


def make_embedder(item: OwnEmbedding) -> object | None:
    """Embedder that an item names by its import path; None for the t-SNE that `check_embedding` takes by itself."""
    if item.embedder is None:
        return None
    where = f"own_embeddings, embedder of {item.name}"
    module, _, name = item.embedder.rpartition(".")
    try:
        made = getattr(import_module(module), name)
    except ImportError as error:
        raise ValueError(f"{where}: {_not_imported(item.embedder, error)}") from error
    except AttributeError as error:
        raise ValueError(
            f"{where}: expected an import path, found {item.embedder}: the module {module} has no {name}. Correct it."
        ) from error
    if not isinstance(made, type) or not hasattr(made, "fit_transform"):
        raise ValueError(
            f"{where}: expected a class with the method fit_transform, such as umap.UMAP, found {item.embedder}, which "
            "is not one."
        )
    accepted = inspect.signature(made).parameters
    unknown = sorted(set(item.parameters) - set(accepted))
    if unknown and not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted.values()):
        raise ValueError(
            f"own_embeddings, parameters of {item.name}: {item.embedder} does not take {', '.join(unknown)}; it takes "
            f"{', '.join(accepted)}."
        )
    try:
        return made(**item.parameters)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"own_embeddings, parameters of {item.name}: {item.embedder} does not accept them: {error}"
        ) from error


def start_of(embedder: object | None) -> tuple[str, str] | None:
    """Where all runs of an embedder start, and the parameter that says so; empty where there is none."""
    for name in ("init", "initialization"):
        value = getattr(embedder, name, None)
        # "warn" is scikit-learn's mark of a default that will change; it is random until then.
        if value is not None and not (isinstance(value, str) and value in ("random", "warn")):
            return (f"{name}={value!r}" if isinstance(value, str) else f"{name} given"), name
    # Its fit_transform would take another start, and no parameter does.
    is_pacmap = "PaCMAP" in {kind.__name__ for kind in type(embedder).__mro__}
    return ("principal components", "") if is_pacmap else None


def _not_imported(path: str, error: ImportError) -> str:
    """Whether the package is missing or only the module in it, in words."""
    package = path.partition(".")[0]
    missing = getattr(error, "name", None)
    if missing == package:
        return (
            f"{path} needs the package {_PACKAGES.get(package, package)}, which is not installed. Install it: pip "
            f"install {_PACKAGES.get(package, package)} (umap-learn, openTSNE and pacmap are the extra embedders), or "
            "correct the import path."
        )
    if missing and path.startswith(missing):
        return f"expected an import path, found {path}: there is no module {missing}. Correct it."
    return f"{path} cannot be imported: {error}. Repair the installation of {_PACKAGES.get(package, package)}."

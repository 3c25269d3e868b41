"""Files of a check of an embedding: tables, figures, distances, a copy of the AnnData file, and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck
from consensus_embedding.io import anndata_file, anndata_object
from consensus_embedding.utils.colours import STABILITY

from replication.own_data.contents import PARTS
from replication.own_data.embedding_figures import FIGURES
from replication.own_data.embedding_page import render_page
from replication.own_data.embedding_source import CheckInput
from replication.platform.files import complete_file, write_text
from replication.platform.own_embeddings import OwnEmbedding
from replication.shared.figures import save_figure, styled
from replication.shared.tidy import write_table

# What each of the other files is, on the page.
OTHERS = {
    "distances": "consensus distances of all pairs of points, condensed as by scipy.spatial.distance.pdist, for NumPy",
    "anndata": "a copy of the AnnData file with obsm['X_consensus'] and columns of obs",
}


def write_results(
    item: OwnEmbedding,
    points: CheckInput,
    check: EmbeddingCheck,
    output: Mapping[str, str],
    figures: Mapping[str, Sequence[str]],
    template: str,
    seed: int,
    start: tuple[str, str] | None = None,
) -> None:
    """Write what a check found; its points have the numbers of `number_by_rows`."""
    tables = {
        "points": points_table(points, check),
        "label_groups": check.label_groups,
        "label_pairs": check.label_pairs,
        "convergence": check.convergence.curve,
        "fidelity": check.fidelity,
    }
    for name, table in tables.items():
        if name in output:
            write_table(table, output[name])
    with styled():
        for name, paths in figures.items():
            save_figure(FIGURES[name](check), *paths)
    if "distances" in output:
        with complete_file(output["distances"]) as partial, open(partial, "wb") as file:
            np.save(file, check.consensus.distances)
    if "anndata" in output:
        _write_anndata(item, points, check, output["anndata"], seed)
    described = {name: PARTS[name].table for name in tables} | OTHERS
    files = [(Path(output[name]).name, what) for name, what in described.items() if name in output]
    shown = {name: next(path for path in paths if path.endswith(".png")) for name, paths in figures.items()}
    page = render_page(
        template, item.name, check, shown, _facts(item, points, check, seed), ids=points.ids, files=files, start=start
    )
    write_text(page, output["page"])


def number_by_rows(check: EmbeddingCheck, rows: np.ndarray) -> EmbeddingCheck:
    """Points are called by their rows in the file, from 0, also those of a sample."""
    return replace(check, points=check.points.assign(point=rows), far_points=rows[check.far_points])


def points_table(points: CheckInput, check: EmbeddingCheck) -> pd.DataFrame:
    """Rows of points.tsv."""
    table = check.points.copy()
    if points.ids is not None:
        table.insert(0, "id", points.ids)
    return table


def _write_anndata(item: OwnEmbedding, points: CheckInput, check: EmbeddingCheck, path: str, seed: int) -> None:
    """Into the rows of the sample; other points have no result."""
    columns = anndata_object.point_columns(check).set_axis(points.rows).reindex(range(points.n_in_file))
    picture = np.full((points.n_in_file, 2), np.nan)
    picture[points.rows] = check.consensus.embedding
    settings = {
        "embedder": None if item.obsm else item.embedder or "consensus_embedding t-SNE",
        "embeddings": item.obsm or None,
        "representation": points.representation,
        **{key: getattr(item, key) for key in ("components", "scaling", "sample", "label")},
        "n_embeddings": len(check.embeddings),
        "n_neighbors": check.n_neighbors,
        "tolerance": check.convergence.tolerance,
        "seed": seed,
        "parameters": item.parameters,
    }
    colours = {"stability": list(STABILITY.values())}
    anndata_file.write_results(item.anndata, path, picture, columns, settings, colours)


def _facts(item: OwnEmbedding, points: CheckInput, check: EmbeddingCheck, seed: int) -> list[tuple[str, str]]:
    source = item.table or item.anndata or f"{len(item.embeddings)} files of ready embeddings"
    n = f"{len(points.rows)} points" if len(points.rows) == points.n_in_file else (
        f"a random sample of {len(points.rows)} of {points.n_in_file} points"
    )  # fmt: skip
    facts = [("data", f"{source}: {n}" + (f", {points.X.shape[1]} columns" if points.X is not None else ""))]
    if item.embeddings or item.obsm:
        facts.append(("embeddings", f"ready ones: {', '.join(item.embeddings or item.obsm)}"))
    else:
        given = ", ".join(f"{key}={value!r}" for key, value in item.parameters.items())
        embedder = item.embedder or "t-SNE of consensus_embedding"
        facts.append(("embedder", f"{embedder}{f' ({given})' if given else ''}"))
    if points.X is not None:
        facts.append(("scaling of the columns", item.scaled_by))
    facts.append(("runs", str(len(check.embeddings))))
    facts.append(("nearest neighbours compared", str(check.n_neighbors)))
    facts.append(("tolerance", f"{check.convergence.tolerance:g} of the size of the consensus distances"))
    facts.append(("seed", str(seed)))
    return facts

"""An AnnData file whose points, labels and embeddings are read, and into a copy of which results are written."""

from pathlib import Path
from shutil import copyfile

import numpy as np
import pandas as pd
from consensus_embedding.io.anndata_file import read_anndata, read_obsm, write_results
from consensus_embedding.utils.text import InputError
from test_anndata_file import CELLS
from trials import expect


def write_cells(path: Path) -> None:
    """One that AnnData wrote."""
    copyfile(CELLS, path)


def read_cells(path: Path) -> list[np.ndarray]:
    """Principal components, names, labels and embeddings; what is written into a copy is there."""
    points = read_anndata(path, components=3, label="kind")
    runs = read_obsm(path, ["X_run_0", "X_run_1"])
    picture = np.arange(2.0 * len(points.ids)).reshape(-1, 2)
    results = pd.DataFrame({"spread": picture[:, 0], "stability": np.resize(["stable", "unstable"], len(picture))})
    copy = path.with_name("copy.h5ad")
    try:
        write_results(path, copy, picture, results, {"n_embeddings": 2})
    except InputError:
        expect(not copy.exists(), "a copy that cannot be written is there")
        raise
    try:
        again = read_anndata(copy, representation="X_consensus", label="stability")
        expect(
            np.array_equal(again.values, picture)
            and again.ids == points.ids
            and again.labels.tolist() == results["stability"].tolist(),
            "the copy has other results",
        )
        expect(all(map(np.array_equal, read_obsm(copy, ["X_run_0", "X_run_1"]), runs)), "the copy has other embeddings")
    except InputError as error:
        expect(False, f"the copy cannot be read: {error}")
    return [points.values, np.array(points.ids), points.labels, *runs]

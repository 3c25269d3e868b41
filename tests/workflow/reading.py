"""Import every public name of the installed library, read what it reads, and ask for each extra; prints what came out.

Run by `test_wheel.py` with the Python of an environment that has the base dependencies only.
"""

import sys
from importlib import import_module
from pathlib import Path

import consensus_embedding
import numpy as np
from consensus_embedding.io.anndata_file import read_obsm
from consensus_embedding.io.embedding_table import read_points

FOLDER = Path(sys.argv[1])
POINTS = np.random.default_rng(0).normal(size=(8, 2)).round(3)


def main():
    assert all(hasattr(consensus_embedding, name) for name in consensus_embedding.__all__)
    for suffix, separator in ((".csv", ","), (".tsv", "\t")):
        path = FOLDER / f"points{suffix}"
        path.write_text("".join(f"{separator.join(map(str, row))}\n" for row in (["x", "y"], *POINTS.tolist())))
        assert np.array_equal(read_points(path).values, POINTS), path
        print(suffix)
    np.save(FOLDER / "points.npy", POINTS)
    assert np.array_equal(read_points(FOLDER / "points.npy").values, POINTS)
    print(".npy")
    for name in ("cells.h5ad", "points.parquet"):
        (FOLDER / name).touch()
    for ask in (
        lambda: read_obsm(FOLDER / "cells.h5ad", ["X_umap"]),
        lambda: read_points(FOLDER / "points.parquet"),
        lambda: import_module("consensus_embedding.diagnostics.plots"),
        lambda: consensus_embedding.haralick_features(np.eye(9), np.ones((9, 9), bool), implementation="mahotas"),
    ):
        try:
            ask()
        except ImportError as error:
            print(str(error).partition("pip install ")[2])
    print(consensus_embedding.__version__)


if __name__ == "__main__":
    main()

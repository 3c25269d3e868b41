"""Import every public name of the installed library, and read and write one file of each format; prints what was read.

Run by `test_wheel.py` with the Python of an environment that has the base dependencies only.
"""

import sys
from pathlib import Path

import consensus_embedding
import h5py
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
    with h5py.File(FOLDER / "cells.h5ad", "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        obs = file.create_group("obs")
        obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0"})
        obs.attrs.update({"_index": "cell", "column-order": np.array([], dtype="S1")})
        obs["cell"] = [f"cell {k}" for k in range(8)]
        file["obsm/X_umap"] = POINTS
    assert np.array_equal(read_obsm(FOLDER / "cells.h5ad", ["X_umap"])[0], POINTS)
    print(".h5ad")
    print(consensus_embedding.__version__)


if __name__ == "__main__":
    main()

"""Import every public name of the installed library, and write and read one file of each format; prints what was read.

Run by `test_wheel.py` with the Python of an environment that has the base dependencies only.
"""

import sys
from pathlib import Path

import consensus_embedding
import numpy as np
from consensus_embedding.readers.expression import load_split, save_split
from consensus_embedding.readers.spectra import load_studies, save_studies
from consensus_embedding.readers.volumes import read_raw, read_volume, write_nifti
from nifti_mrs.create_nmrs import gen_nifti_mrs
from scipy.io import netcdf_file

FOLDER = Path(sys.argv[1])
RNG = np.random.default_rng(0)
PPM = np.linspace(4.2, 1.9, 16)


def lines(rows, separator=","):
    return "\n".join(separator.join(map(str, row)) for row in rows) + "\n"


def written(name, text):
    (FOLDER / name).write_text(text)
    return FOLDER / name


def expression_files():
    """Two genes of eight samples in each of the four formats of text."""
    values = RNG.normal(size=(8, 2)).round(3)
    rows = [[*sample, "ab"[k % 2]] for k, sample in enumerate(values)]
    header = ["g1", "g2", "class"]
    arff = "@relation genes\n@attribute g1 numeric\n@attribute g2 numeric\n@attribute class {a,b}\n@data\n"
    yield written("genes.csv", lines([header, *rows]))
    yield written("genes.tsv", lines([header, *rows], "\t"))
    yield written("genes.data", lines(rows))
    yield written("genes.arff", arff + lines(rows))


def minc(path):
    with netcdf_file(path, "w") as file:
        for name in ("zspace", "yspace", "xspace"):
            file.createDimension(name, 2)
            axis = file.createVariable(name, "i", ())
            axis.start, axis.step, axis.spacing = 0.0, 1.0, "regular__"
        image = file.createVariable("image", "b", ("zspace", "yspace", "xspace"))
        image[:] = np.arange(8, dtype=np.int8).reshape(2, 2, 2)
        image.signtype, image.valid_range = b"unsigned", np.array([0.0, 7.0])
        for name, value in (("image-min", 0.0), ("image-max", 7.0)):
            file.createVariable(name, "d", ("zspace",))[:] = value
    return path


def main():
    assert all(hasattr(consensus_embedding, name) for name in consensus_embedding.__all__)
    tables = list(expression_files())
    for path in tables:
        label = None if path.suffix == ".data" else "class"
        table = consensus_embedding.read_expression(str(path), label=label)
        assert table.values.shape == (8, 2), path
        print(path.suffix)
    split = consensus_embedding.read_split({"training": str(tables[0]), "test": str(tables[1]), "label": "class"})
    save_split(FOLDER / "genes.npz", split)
    assert load_split(FOLDER / "genes.npz").test.values.shape == (8, 2)
    print(".npz of genes")

    items = [[f"item {k}", "ab"[k % 2], *point] for k, point in enumerate(RNG.normal(size=(8, 2)).round(3))]
    path = written("items.csv", lines([["item", "label", "x", "y"], *items]))
    assert consensus_embedding.read_items({"name": "mine", "table": str(path)}).values.shape == (8, 2)
    print("table of items")

    voxels = [[k, 0, 0, *spectrum] for k, spectrum in enumerate(RNG.uniform(1, 2, size=(12, len(PPM))).round(3))]
    path = written("spectra.tsv", lines([["x", "y", "z", *PPM.round(3)], *voxels], "\t"))
    study = consensus_embedding.read_own_study({"name": "mine", "table": str(path)})
    assert study.spectra.shape == (12, len(PPM))
    print("table of spectra")
    np.savez(FOLDER / "spectra.npz", **save_studies([study]))
    assert len(load_studies(FOLDER / "spectra.npz")) == 1
    print(".npz of spectra")

    time = np.arange(256) / 1000
    signal = RNG.uniform(1, 2, size=(3, 4, 1, 1)) * np.exp(2j * np.pi * -180 * time - 20 * time)
    gen_nifti_mrs(signal.astype(np.complex64), 1 / 1000, 123.0, nucleus="1H", affine=np.eye(4)).save(
        str(FOLDER / "spectra.nii.gz")
    )
    study = consensus_embedding.read_own_study({"name": "mine", "nifti": str(FOLDER / "spectra.nii.gz")})
    assert len(study.spectra) == 12
    print("NIfTI-MRS")

    volume = np.arange(8, dtype=np.int16).reshape(2, 2, 2)
    write_nifti(volume, FOLDER / "image.nii.gz")
    assert read_volume(FOLDER / "image.nii.gz").data.shape == (2, 2, 2)
    print("NIfTI")
    assert read_volume(minc(FOLDER / "image.mnc")).data.max() == 7
    print("MINC")
    (FOLDER / "image.raws").write_bytes(volume.tobytes())
    assert read_raw(FOLDER / "image.raws", (2, 2, 2), "<i2").max() == 7
    print("raw")
    print(consensus_embedding.__version__)


if __name__ == "__main__":
    main()

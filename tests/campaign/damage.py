"""Damaged files for every reader: what is accepted must be right, what is refused needs words of the reader's own."""

import gzip
import random
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path

import numpy as np
from cells import read_cells, write_cells
from consensus_embedding.io.embedding_table import read_points
from consensus_embedding.utils.text import InputError
from replication.data.readers.expression import load_split, read_split, save_split
from replication.data.readers.expression_table import SplitExpression, read_expression
from replication.data.readers.item_table import read_items
from replication.data.readers.planted_expression import planted_expression
from replication.data.readers.spectra import load_studies, read_own_study, save_studies
from replication.data.readers.volumes import load_image_and_mask, read_raw, read_volume, write_nifti
from test_spectra_data import make_study, save_spectra, signals, table_rows
from test_volumes import write_minc, write_minc2
from trials import expect

SHAPE = (5, 4, 3)


@dataclass(frozen=True)
class Reader:
    """
    A reader and a file that it reads.

    Attributes
    ----------
    file : str
        Name of the file.
    write : callable
        Writes it, given its path.
    read : callable
        Reads it, given its path.
    kind : {"table", "binary", "checked"}
        A table of text; binary; binary with a checksum, so that no damage may go unseen.
    gaps : bool
        Whether a cell may be missing.
    """

    file: str
    write: Callable[[Path], object]
    read: Callable[[Path], object]
    kind: str = "table"
    gaps: bool = False


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(5.0, 2.0, shape).round(4)


def _text(rows: list[list], separator: str = ",") -> Callable[[Path], object]:
    return lambda path: path.write_text("\n".join(separator.join(map(str, row)) for row in rows) + "\n")


def _genes() -> list[list]:
    values = _numbers(8, 5).tolist()
    return [["sample 1", "g1", "g2", "g3", "g4", "class"]] + [[*row, "AB"[k % 2]] for k, row in enumerate(values)]


def _arff(path: Path) -> None:
    header, *rows = _genes()
    lines = [
        "@relation r",
        *(f"@attribute '{name}' numeric" for name in header[:-1]),
        "@attribute class {A,B}",
        "@data",
    ]
    path.write_text("\n".join([*lines, *(",".join(map(str, row)) for row in rows)]) + "\n")


def _items(columns: list[str], values: np.ndarray) -> list[list]:
    rows = [[f"item {k}", "ab"[k % 2], *row] for k, row in enumerate(values.tolist())]
    return [["item", "label", *columns], *rows]


def _distances() -> np.ndarray:
    points = _numbers(6, 2)
    return np.abs(points[:, None] - points).sum(axis=2).round(4)


def _image(path: Path) -> None:
    write_nifti(np.arange(60.0).reshape(SHAPE), path)


def _mask(path: Path) -> Path:
    mask = path.with_name("mask_beside.nii")
    write_nifti(np.ones(SHAPE, dtype=bool), mask)
    return mask


def _raw() -> bytes:
    return np.arange(60, dtype="<i2").tobytes()


def _save_studies(path: Path) -> None:
    with open(path, "wb") as file:
        np.savez(file, **save_studies([make_study()]))


READERS = [
    Reader("genes.csv", _text(_genes()), lambda path: read_expression(path, label="class"), gaps=True),
    Reader("genes.tsv", _text(_genes(), "\t"), lambda path: read_expression(path, label="class"), gaps=True),
    Reader("genes.data", _text(_genes()[1:]), read_expression, gaps=True),
    Reader("genes.arff", _arff, read_expression, gaps=True),
    Reader(
        "split.csv",
        _text([[*row, part] for row, part in zip(_genes(), ["part", *["train"] * 4, *["test"] * 4], strict=True)]),
        lambda path: read_split({"table": str(path), "label": "class", "split": "part"}),
        gaps=True,
    ),
    Reader(
        "items.csv", _text(_items(["f1", "f2", "f3"], _numbers(6, 3))), lambda path: read_items({"table": str(path)})
    ),
    Reader(
        "distances.csv",
        _text(_items([f"item {k}" for k in range(6)], _distances())),
        lambda path: read_items({"dissimilarities": str(path)}),
    ),
    Reader(
        "points.csv",
        _text(_items(["f1", "f2", "f3"], _numbers(6, 3))),
        lambda path: read_points(path, label="label", id="item"),
    ),
    Reader("points.npy", lambda path: np.save(path, _numbers(6, 3)), read_points, "binary"),
    Reader("cells.h5ad", write_cells, read_cells, "binary"),
    Reader(
        "spectra.csv", _text(table_rows(make_study())), lambda path: read_own_study({"name": "p", "table": str(path)})
    ),
    Reader("split.npz", lambda path: save_split(path, _planted()), load_split, "binary"),
    Reader("studies.npz", _save_studies, load_studies, "binary"),
    Reader("image.nii", _image, read_volume, "binary"),
    Reader("image.nii.gz", _image, read_volume, "checked"),
    Reader(
        "image.mnc",
        lambda path: write_minc(path, np.arange(60).reshape(SHAPE), (0, 0, 0), (1, 1, 1), 400.0),
        read_volume,
        "binary",
    ),
    Reader(
        "image2.mnc",
        lambda path: write_minc2(path, np.arange(60, dtype=np.uint8).reshape(SHAPE)),
        read_volume,
        "binary",
    ),
    Reader("masked.nii.gz", _image, lambda path: load_image_and_mask(path, _mask(path)), "checked"),
    Reader(
        "mask.nii.gz",
        lambda path: write_nifti(np.ones(SHAPE, dtype=bool), path),
        lambda path: load_image_and_mask(_beside(path, _image), path),
        "checked",
    ),
    Reader("numbers.raw", lambda path: path.write_bytes(_raw()), lambda path: read_raw(path, SHAPE, "<i2"), "binary"),
    Reader(
        "numbers.raw.gz",
        lambda path: path.write_bytes(gzip.compress(_raw(), mtime=0)),
        lambda path: read_raw(path, SHAPE, "<i2"),
        "checked",
    ),
    Reader(
        "spectra.nii.gz",
        lambda path: save_spectra(path, signals()),
        lambda path: read_own_study({"name": "p", "nifti": str(path)}),
        "checked",
    ),
]


def _planted() -> SplitExpression:
    return planted_expression(n_genes=6, n_informative=2, effect=1.0, training=(4, 4), test=(3, 3), seed=0)


def _beside(path: Path, write: Callable) -> Path:
    other = path.with_name("image_beside.nii")
    write(other)
    return other


@cache
def _original(number: int) -> tuple[bytes, list[np.ndarray]]:
    """Bytes of the undamaged file, and what it holds."""
    reader = READERS[number]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, reader.file)
        reader.write(path)
        return path.read_bytes(), arrays_of(reader.read(path))


def prepare() -> None:
    """Import what readers import when they are called, and read the undamaged files."""
    for number in range(len(READERS)):
        _original(number)


def arrays_of(value: object) -> list[np.ndarray]:
    """All that a reader or an estimator gives, as a list of arrays."""
    if is_dataclass(value):
        return [array for field in fields(value) for array in arrays_of(getattr(value, field.name))]
    if isinstance(value, list | tuple) and any(is_dataclass(one) or isinstance(one, np.ndarray) for one in value):
        return [array for one in value for array in arrays_of(one)]
    if value is None:
        return []
    return [value.toarray() if hasattr(value, "toarray") else np.asarray(value)]


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return len(first) == len(second) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")
        for a, b in zip(first, second, strict=True)
    )


def _differences(first: list[np.ndarray], second: list[np.ndarray]) -> int | None:
    """How many entries differ; None if shapes do."""
    if [a.shape for a in first] != [b.shape for b in second]:
        return None
    return sum(int(np.count_nonzero((a != b) & ~((a != a) & (b != b)))) for a, b in zip(first, second, strict=True))


# Damages of bytes. Each returns the damaged content.


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _flips(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(2, 20)):
        content = _flip(content, rng)
    return content


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.choice([rng.randrange(len(content)), len(content) - rng.randint(1, 9)])]


def _lose(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.randint(1, 40) :]


def _repeat(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + content[start : start + rng.randint(1, 40)] * 2 + content[start:][40:]


def _blank(content: bytes, rng: random.Random) -> bytes:
    start, size = rng.randrange(len(content)), rng.randint(1, 64)
    return (content[:start] + bytes(size) + content[start + size :])[: len(content)]


def _another(content: bytes, rng: random.Random) -> bytes:
    return _original(rng.randrange(len(READERS)))[0]


BYTES = {
    "a flipped bit": _flip,
    "several flipped bits": _flips,
    "cut off": _cut,
    "bytes lost": _lose,
    "bytes doubled": _repeat,
    "a block of zeros": _blank,
    "another file's content": _another,
    "empty": lambda content, rng: b"",
    "noise": lambda content, rng: rng.randbytes(len(content)),
}
# Of tables: what one cell is replaced by, and whether that must be refused.
CELLS = {
    "inf": True,
    "-inf": True,
    "1e999": True,
    "1_000": True,
    "0x1F": True,
    "text": True,
    "1,5": True,
    "1\t5": True,
    '"': True,
    "\x00": True,
    "nan": False,
    "": False,
    "1e300": False,
    "1e-320": False,
    "-1e-300": False,
}
TEXTS = {
    "Latin-1": lambda text: text.replace("1", "\xb9", 1).encode("latin-1"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "a byte order mark": lambda text: text.encode("utf-8-sig"),
    "Windows line ends": lambda text: text.replace("\n", "\r\n").encode(),
    "no rows": lambda text: text.split("\n")[0].encode(),
    "blank lines at the end": lambda text: (text + "\n\n").encode(),
}
HARMLESS = ("a byte order mark", "Windows line ends", "blank lines at the end")
NAMES = ["with space", "$x$ & <b>", "naïve-Ω-名", "#1%20", "-rf", "x" * 200, "'quoted\"", "new\nline"]


def damage_file(k: int, rng: random.Random) -> None:
    """Damage the file of one reader and read it."""
    number = k % len(READERS)
    reader = READERS[number]
    content, expected = _original(number)
    ways = [*BYTES, "another name"]
    ways += [*TEXTS, *["a cell", "a row"] * 4] if reader.kind == "table" else []
    ways += [*["values"] * 4] if reader.file.endswith((".nii", ".nii.gz")) and "spectra" not in reader.file else []
    way = rng.choice(ways)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, reader.file)
        if way == "values":
            damage_values(reader, path, rng)
            return
        must_refuse = must_keep = False
        if way in BYTES:
            damaged = BYTES[way](content, rng)
            # A whole file of the same format is as good as any.
            must_keep = (reader.kind == "checked" and way != "another file's content") or damaged == content
        elif way in TEXTS:
            damaged = TEXTS[way](content.decode())
            # Without a header the first row is all that is left.
            must_keep, must_refuse = way in HARMLESS, way in ("Latin-1", "UTF-16")
        elif way == "another name":
            name = rng.choice(NAMES)
            path, damaged, must_keep = path.with_name(name + "".join(Path(reader.file).suffixes)), content, True
            way += f" {name!r}"
        else:
            damaged, way, must_refuse = _changed_table(reader, content.decode(), way, rng)
        path.write_bytes(damaged)
        try:
            found = arrays_of(reader.read(path))
        except InputError as error:
            expect(
                not (must_keep and damaged == content) and way not in HARMLESS,
                f"{reader.file}, {way}: refused: {error}",
            )
            expect(
                path.name in str(error) or reader.file.startswith(("spectra", "split")),
                f"{reader.file}, {way}: the file is not named: {error}",
            )
            return
        expect(not must_refuse, f"{reader.file}, {way}: accepted")
        if must_keep:
            # A slice is called after its file.
            both = [[a for a in arrays if a.dtype.kind != "U" or a.ndim] for arrays in (found, expected)]
            expect(same(*both), f"{reader.file}, {way}: accepted with other content")
        if way == "a flipped bit" and reader.kind == "table":
            _expect_one_change(reader, content, damaged, found, expected)


def _changed_table(reader: Reader, text: str, way: str, rng: random.Random) -> tuple[bytes, str, bool]:
    """A table with one cell, or one row, that is not as it should be."""
    separator = "\t" if reader.file.endswith(".tsv") else ","
    lines = text.rstrip("\n").split("\n")
    first = lines.index("@data") + 1 if reader.file.endswith(".arff") else 0 if reader.file.endswith(".data") else 1
    row = rng.randrange(first, len(lines))
    cells = lines[row].split(separator)
    if way == "a row":
        change = rng.choice(["a cell less", "a cell more", "twice"])
        if change == "twice":
            lines.insert(row, lines[row])
        else:
            lines[row] = separator.join(cells[:-1] if change == "a cell less" else [*cells, "1"])
        # Two samples may have the same values; two items or voxels of one name or place may not.
        return "\n".join(lines).encode(), f"a row: {change}", change != "twice" or not reader.gaps
    cell, refused = rng.choice(list(CELLS.items()))
    numeric = [k for k, one in enumerate(cells) if re.fullmatch(r"-?[\d.]+", one)]
    cells[rng.choice(numeric)] = cell
    lines[row] = separator.join(cells)
    if cell == separator.join("15"):
        cell = "a separator"
    elif cell in ("1,5", "1\t5"):
        cell = f"{cell!r}"
    refused = refused or (cell in ("nan", "") and not reader.gaps)
    return ("\n".join(lines) + "\n").encode(), f"a cell: {cell!r}", refused


def _expect_one_change(reader: Reader, content: bytes, damaged: bytes, found: list, expected: list) -> None:
    """A bit of a row may change one cell; a row that it makes a comment is gone."""
    position = next(k for k, (a, b) in enumerate(zip(content, damaged, strict=True)) if a != b)
    header = content.index(b"@data") + 6 if reader.file.endswith(".arff") else content.index(b"\n")
    if position <= header and not reader.file.endswith(".data"):
        return
    if b"\n%" in damaged:
        return
    changes = _differences(found, expected)
    # Both entries of a pair of items hold the mean of the two.
    expect(changes is not None and changes <= 2, f"{reader.file}, bit at byte {position}: {changes} entries differ")


def damage_values(reader: Reader, path: Path, rng: random.Random) -> None:
    """An image of another type, shape or scale: the voxels that were written, or a message."""
    shape = rng.choice([SHAPE, SHAPE, (1, 1, 1), (5, 4), (60,), (5, 4, 3, 2), (5, 4, 3, 1), (4, 5, 3)])
    array = np.arange(float(np.prod(shape))).reshape(shape)
    scale = rng.choice([1.0, 1e-30, 1e30, 1e38, 0.0, -1.0])
    array = array * scale
    hole = rng.choice([None, np.nan, np.inf, -np.inf])
    if hole is not None:
        array[tuple(rng.randrange(n) for n in shape)] = hole
    kind = rng.choice(["f4", "f8", "u1", "i2", "i4", "u2", "i8", "u8", "c8", "RGB"])
    with np.errstate(all="ignore"):
        array = np.zeros(shape, [("R", "u1"), ("G", "u1"), ("B", "u1")]) if kind == "RGB" else array.astype(kind)
    import nibabel

    made = nibabel.Nifti1Image(array, np.eye(4), dtype=array.dtype)
    slope = rng.choice([1.0, 1.0, np.nan, 0.0, 2.0, 1e30])
    made.header["scl_slope"], made.header["scl_inter"] = slope, 0.0
    way = f"{kind} {shape} x {scale:g}, {hole}, slope {slope:g}"
    raw = made.to_bytes()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    try:
        found = reader.read(path)
    except InputError as error:
        expect(path.name in str(error), f"{reader.file}, {way}: the file is not named: {error}")
        return
    finally:
        _delete_beside(path)
    expect(array.dtype.kind not in "cV", f"{reader.file}, {way}: accepted")
    if reader.read is read_volume:
        with np.errstate(all="ignore"):
            wanted = np.asanyarray(nibabel.Nifti1Image.from_bytes(raw).dataobj)
        values = found.data
        expect(values.size == wanted.size, f"{reader.file}, {way}: {values.shape} voxels of {wanted.shape}")
        with np.errstate(all="ignore"):
            expect(
                np.array_equal(values.ravel(), wanted.ravel(), equal_nan=wanted.dtype.kind == "f"),
                f"{reader.file}, {way}: other values",
            )
        return
    images = arrays_of(found)
    expect(
        all(np.isfinite(a).all() for a in images if a.dtype.kind == "f"), f"{reader.file}, {way}: accepted with gaps"
    )


def _delete_beside(path: Path) -> None:
    for other in path.parent.glob("*_beside.nii"):
        other.unlink()

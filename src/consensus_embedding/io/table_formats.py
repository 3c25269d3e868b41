"""File formats of gene expression: .data of the Kent Ridge repository, dense ARFF, CSV and TSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from consensus_embedding.io.memory import require_memory
from consensus_embedding.io.text_tables import read_cells, require_file, shown
from consensus_embedding.utils.text import InputError, require_plain

FORMATS = (".data", ".arff", ".csv", ".tsv")

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+(?P<name>{_QUOTED}|[^\s{{]+)(?:\s+|(?={{))"
    r"(?P<kind>{[^{}]*}|(?:numeric|real|integer|string|date)\b)(?:\s.*)?",
    re.IGNORECASE,
)
_CELL = re.compile(rf"\s*(?P<cell>{_QUOTED}|[^,]*?)\s*(?P<end>,|$)")
_NUMERIC = frozenset({"numeric", "real", "integer"})

# Number of the line in the file, and the cells as text.
Rows = Iterator[tuple[int, list[str]]]


@dataclass(frozen=True)
class Columns:
    """What the columns of a file are."""

    names: Sequence[str]  # in the order of the file
    said_by: str  # what in the file says how many there are, for messages
    # Columns declared as something else than numbers, with the values they may have if these are declared.
    text: Mapping[str, frozenset[str] | None] = field(default_factory=dict)
    label: str | None = None  # column with the class, where the format says which


def generated_names(n_genes: int) -> np.ndarray:
    """Make up names of genes, (n_genes,), str: "gene 1", "gene 2" ..."""
    return np.array([f"gene {k}" for k in range(1, n_genes + 1)], dtype=str)


def open_table(path: Path) -> tuple[Columns, Rows]:
    """Find the columns of a file, and read its rows one by one."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: expected a file name ending in {', '.join(FORMATS)}; convert the table to CSV.")
    if suffix in (".csv", ".tsv"):
        names, cells, lines = read_cells(path, "sample")
        return Columns(names, "the header"), zip(lines.tolist(), map(list, cells), strict=True)
    text = _read_text(path)
    return _open_data(text) if suffix == ".data" else _open_arff(path, text)


def _read_text(path: Path) -> str:
    require_file(path)
    # The text twice, once with up to four bytes for each, and numbers of a digit as eight bytes.
    require_memory(path, [path.stat().st_size], "V9", remedy="Take fewer samples or columns")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: expected text in UTF-8, found byte {error.object[error.start]:#04x} at position {error.start}. "
            "Save the table as text in UTF-8."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error
    for number, line in enumerate(text.split("\n"), 1):
        require_plain([line], f"{path}, line {number}")
    if not text.strip():
        raise InputError(f"{path}: expected a table, found an empty file. Delete it, and fetch or export it again.")
    return text


def _open_data(text: str) -> tuple[Columns, Rows]:
    """Columns and rows of a file without header; its first row says how many columns there are."""
    lines = text.split("\n")
    first, cells = next(_data_rows(lines))
    names = [*generated_names(len(cells) - 1).tolist(), "class"]
    return Columns(names, f"line {first}", label="class"), _data_rows(lines)


def _data_rows(lines: Sequence[str]) -> Rows:
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped:
            yield number, stripped.split(",")


def _open_arff(path: Path, text: str) -> tuple[Columns, Rows]:
    """Columns and rows of a dense ARFF file; keywords in any case, a line with % first is a comment."""
    names: list[str] = []
    kinds: dict[str, frozenset[str] | None] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        keyword = stripped.split(maxsplit=1)[0].lower() if stripped else "%"
        if keyword.startswith(("%", "@relation")):
            continue
        if keyword == "@data":
            if not names:
                raise InputError(
                    f"{path}, line {number}: expected @attribute lines before @data, found none. Export it again."
                )
            columns = Columns(names, "the @attribute lines", kinds, names[-1] if names[-1] in kinds else None)
            return columns, _arff_rows(path, lines[number:], number + 1)
        declared = _ATTRIBUTE.fullmatch(stripped)
        if declared is None:
            raise InputError(
                f"{path}, line {number}: expected '@attribute name numeric', '@attribute name {{a,b}}' or '@data', "
                f"found {shown(stripped)}. Correct the line; put names with blanks in quotes."
            )
        name, kind = _unquoted(declared["name"]), declared["kind"]
        names.append(name)
        if kind.lower() not in _NUMERIC:
            kinds[name] = frozenset(_quoted_cells(kind[1:-1])) if kind.startswith("{") else None
    raise InputError(
        f"{path}: expected a line '@data', found none; the file may be cut off. Delete it and fetch it again."
    )


def _arff_rows(path: Path, lines: Sequence[str], first: int) -> Rows:
    for number, line in enumerate(lines, first):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        if stripped.startswith("{"):
            raise InputError(
                f"{path}, line {number}: expected a dense row (value,value,...), found a sparse one, "
                f"{shown(stripped)}. Save the table as dense ARFF or as CSV."
            )
        yield number, _quoted_cells(stripped) if "'" in stripped or '"' in stripped else stripped.split(",")


def _quoted_cells(line: str) -> list[str]:
    """Split at commas outside of quotes; a quote that does not end before a comma is an ordinary character."""
    cells = []
    for match in _CELL.finditer(line):
        cells.append(_unquoted(match["cell"]))
        if not match["end"]:
            break
    return cells


def _unquoted(word: str) -> str:
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1]).strip()
    return word

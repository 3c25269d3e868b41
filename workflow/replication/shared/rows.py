"""The size of a table that may not be there yet."""

from functools import cache
from pathlib import Path

_TABLES = (".csv", ".tsv")


def number_of_rows(path: str) -> int:
    """Rows of a CSV or TSV table, without its head; 0 if it does not exist yet, or for another kind of file."""
    if Path(path).suffix.lower() not in _TABLES or not Path(path).is_file():
        return 0
    stat = Path(path).stat()
    return _counted(path, stat.st_size, stat.st_mtime_ns)


@cache
def _counted(path: str, _size: int, _mtime_ns: int) -> int:
    """Rows of a table of this size and time stamp: each of its jobs asks for them."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        return max(sum(bool(line.strip()) and not line.startswith("#") for line in lines) - 1, 0)

"""The size of a table that may not be there yet."""

from pathlib import Path


def number_of_rows(path: str) -> int:
    """Rows of a table, without its head; 0 if it does not exist yet."""
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines() if Path(path).is_file() else []
    return max(sum(bool(line.strip()) and not line.startswith("#") for line in lines) - 1, 0)

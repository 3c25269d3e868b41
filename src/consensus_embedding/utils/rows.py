"""Names and numbers of the rows of tables: rows are matched by position, and their numbers are not features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from consensus_embedding.utils.numbers import dense
from consensus_embedding.utils.text import InputError

# In a table with fewer rows, a measurement may count them by chance.
_MIN_COUNTED = 10


def check_features(
    values: np.ndarray | csr_matrix, names: Sequence[object] | np.ndarray, where: str, remedy: str
) -> None:
    """
    Refuse a column that numbers the rows: 0, 1, 2 ... or 1, 2, 3 ..., in a table of 10 rows or more.

    It would make rows that are next to each other alike, and classes of a sorted table look like groups. The message
    begins with `where` and the name of the column, and ends with `remedy`, a sentence that says what to do.
    """
    if values.shape[0] < _MIN_COUNTED:
        return
    first = dense(values[:3])
    starts = np.isin(first[0], (0, 1)) & (np.diff(first.astype(np.float64), axis=0) == 1).all(axis=0)
    for k in np.flatnonzero(starts).tolist():
        column = dense(values[:, [k]]).ravel()
        if np.array_equal(column, np.arange(len(column)) + int(first[0, k])):
            raise InputError(
                f"{where}, column '{names[k]}': expected a feature, found the numbers of the rows ({column[0]:g}, "
                f"{column[1]:g} ... {column[-1]:g}), which make neighbouring rows look alike. {remedy}"
            )


def titles(n: int, names: Sequence[str] = ()) -> list[str]:
    """What messages call embeddings: by their names, if they have any, or else by their numbers."""
    return [f"Embedding '{name}'" for name in names] or [f"Embedding {k}" for k in range(n)]


def titled(embeddings: Sequence[object], names: Sequence[str] = ()) -> dict[str, object]:
    """Embeddings by their titles."""
    return dict(zip(titles(len(embeddings), names), embeddings, strict=True))


def check_row_order(**tables: object) -> None:
    """
    Refuse data frames and Series with the same row names in another order, since rows are matched by position.

    The message calls the tables by the names under which they are given here.
    """
    frames = [(name, table.index) for name, table in tables.items() if isinstance(table, pd.DataFrame | pd.Series)]
    for name, rows in frames[1:]:
        first, expected = frames[0]
        if len(rows) != len(expected) or rows.equals(expected):
            continue
        counted = any(isinstance(index, pd.RangeIndex) for index in (rows, expected))
        if not counted and not set(rows) & set(expected):
            # AnnData makes text of numbers.
            rows, expected = rows.map(str), expected.map(str)
        shared = len(set(rows) & set(expected))
        if shared == len(set(expected)) or (shared and not counted):
            k = next((k for k, (row, wanted) in enumerate(zip(rows, expected, strict=True)) if row != wanted), None)
            # The same names of other types, as one instant in two time zones.
            if k is None:
                continue
            raise ValueError(
                f"{name} must have its rows in the order of {first}, because rows are matched by position; expected "
                f"'{expected[k]}' as row {k} (from 0), found '{rows[k]}'. Put them in order, as in "
                "df.loc[first.index], under the same names."
            )

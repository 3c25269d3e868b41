"""Row names of tables whose rows are matched by position."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd


def check_row_order(X: object = None, labels: object = None, embeddings: Sequence[object] = ()) -> None:
    """
    Refuse data frames and Series with the same row names in another order, since rows are matched by position.

    Parameters
    ----------
    X : array-like, optional
        A table. Only data frames and Series have row names; others are not looked at.
    labels : array-like, optional
    embeddings : sequence of array-like
        Embeddings of X.

    Raises
    ------
    ValueError
        If one has the row names of the first in another order, or only some of them. Names that are all different, or
        numbers that count the rows, are taken for another way to name the same rows.
    """
    named = [("X", X), *((f"Embedding {k}", embedding) for k, embedding in enumerate(embeddings)), ("labels", labels)]
    frames = [(name, table.index) for name, table in named if isinstance(table, pd.DataFrame | pd.Series)]
    for name, found in frames[1:]:
        first, expected = frames[0]
        if len(found) != len(expected) or found.equals(expected):
            continue
        counted = any(isinstance(index, pd.RangeIndex) for index in (found, expected))
        shared = len(set(found) & set(expected))
        if shared == len(set(expected)) or (shared and not counted):
            k = next(k for k, (one, other) in enumerate(zip(found, expected, strict=True)) if one != other)
            raise ValueError(
                f"{name} must have its rows in the order of {first}, because rows are matched by position; expected "
                f"'{expected[k]}' as row {k} (from 0), found '{found[k]}'. Put them in order, as in "
                "df.loc[first.index], under the same names."
            )

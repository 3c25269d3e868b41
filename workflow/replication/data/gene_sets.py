"""Tables of gene expression against what the registry of data files says of them."""

from __future__ import annotations

from collections import Counter

from consensus_embedding.io.table_formats import ExpressionError

from replication.data.readers.expression_table import ExpressionTable
from replication.platform.registry import DataFile


def check_against_registry(table: ExpressionTable, data_file: DataFile) -> None:
    """Check the shape and the classes of a table, as far as the entry in the registry says them."""
    expected, actual = [], []
    if data_file.shape is not None and data_file.shape != table.values.shape:
        for words, shape in ((expected, data_file.shape), (actual, table.values.shape)):
            words.append(f"{' x '.join(map(str, shape))} (samples x genes)")
    counts = Counter(table.classes.tolist())
    if data_file.classes is not None and data_file.classes != counts:
        for words, classes in ((expected, data_file.classes), (actual, counts)):
            words.append(f"classes {', '.join(f'{name} {n}' for name, n in sorted(classes.items()))}")
    if expected:
        raise ExpressionError(
            f"{data_file.name}: expected {' and '.join(expected)}, found {' and '.join(actual)}. Delete the file and "
            "fetch it again."
        )

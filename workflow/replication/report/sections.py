"""An experiment's section of the report, read from the files that the experiment made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from replication.catalogue.experiments import EXPERIMENTS, PAPER_OF
from replication.platform.declarations import Own
from replication.report.views import Section
from replication.shared.tidy import read_table


def section_of(
    name: str,
    metrics: str,
    figures: Sequence[str],
    tables: Sequence[str],
    own: Own | None,
    seconds: float | None = None,
) -> Section:
    """Section of an experiment, by its metrics, and by its own among the figures and tables of a study."""
    declared, folder = EXPERIMENTS[name], Path(metrics).parent
    figures, tables = ([path for path in paths if folder in Path(path).parents] for paths in (figures, tables))
    table = read_table(metrics)
    read = {f"tables/{Path(path).name}": read_table(path) for path in tables}
    captions = {stem: figure.caption for stem, figure in declared.figures.items()} | (own.captions if own else {})
    # Own data without labels may have nothing to score.
    named = list(table[["dataset", "source"]].drop_duplicates().itertuples(index=False))
    *others, (dataset, source) = named or [("none", "nothing to score")]
    return Section(
        name=name,
        title=declared.title,
        paper=PAPER_OF[name],
        metrics=table,
        text=own.text if own else declared.text,
        source=source,
        dataset="".join(f"{d} ({s}), " for d, s in others) + dataset,
        # Own data have no rows in some tables.
        tables={name: rows for name, rows in read.items() if len(rows) or not own},
        figures={path: captions[Path(path).stem] for path in figures},
        seconds=seconds,
    )

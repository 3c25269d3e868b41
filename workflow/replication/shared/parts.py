"""Experiments whose parts are scored by jobs of their own. Light: the rules read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


def gather(experiment: str, parts: Callable[[Study], Sequence[str]], does: str, takes: Seconds | None = None) -> Step:
    """The step that ends an experiment scored in parts by jobs of their own: all rows, in the order of parts."""
    return Step(
        name=f"run_{experiment}",
        run=gather_parts,
        does=does,
        makes={"metrics": f"{experiment}/metrics.tsv"},
        reads=lambda study, _: {"parts": [f"{experiment}/parts/{part}.tsv" for part in parts(study)]},
        memory_mb=1000,
        takes=takes,
    )


def gather_parts(job: Job) -> Results:
    """Write the rows of all parts into one table."""
    from replication.shared.tidy import read_table

    return {"metrics": [read_table(path) for path in job.inputs.parts]}

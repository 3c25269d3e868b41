"""How long the user's own items take, for `snakemake plan`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from replication.papers.sparks2011.gland_retrieval import own_grid, own_seconds
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.platform.settings import settings_of
from replication.shared.rows import number_of_rows


def retrieval_seconds(path: str, config: Mapping[str, Any]) -> float | None:
    """Seconds by the number of items; None for another job, or if the run makes their table."""
    part = re.search(r"gland_retrieval/parts/(.+)_pictures\.npz", path)
    items = [own for own in config["gland_retrieval"]["own"] if part and own["name"] == part[1]]
    n = number_of_rows(items[0].get("table") or items[0]["dissimilarities"]) if items else 0
    if n == 0:
        return None
    grid = settings_of(OutOfSample, config["out_of_sample"], "out_of_sample")
    return own_seconds(own_grid(grid, n, every_share=items[0].get("every_share", False)), n)

"""How long the jobs of a study take, from measured times and the sizes that the configuration asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.catalogue.papers import PAPERS, own_seconds
from replication.data.digits import N_DIGITS
from replication.own_data.embedding_source import OwnEmbedding
from replication.platform.settings import settings_of
from replication.platform.study import Study
from replication.shared.rows import number_of_rows

# Of 1797 points, on the reference machine: the t-SNE of this project and scikit-learn's; UMAP stands for all others.
_SECONDS_OF_A_RUN = {None: 0.78, "sklearn.manifold.TSNE": 5.0}


def core_seconds(job: Any, config: Mapping[str, Any]) -> float:
    """Processor time of a job on the reference machine."""
    for own_seconds_of in (*own_seconds(), _own_check_seconds):
        own = own_seconds_of(job.output_file, config)
        if own is not None:
            return job.fixed + own
    runs = re.search(r"(?:runs|draws)_(\d+)-(\d+)", job.output_file)
    units = {**pd.json_normalize(dict(config)).iloc[0], "": 1}
    for paper in PAPERS.values():
        units |= paper.units(Study(config))
    units["runs"] = int(runs[2]) - int(runs[1]) if runs else None
    many = prod(len(unit) if isinstance(unit, list) else unit for unit in map(units.get, job.unit.split("*")))
    return job.fixed + job.seconds * many * (units.get("digits.n_samples", N_DIGITS) / N_DIGITS) ** job.power


def _own_check_seconds(path: str, config: Mapping[str, Any]) -> float | None:
    """Seconds of the check of an embedding by its points and runs; None for another job."""
    page = re.search(r"embedding_check/(.+)/check\.html", path)
    items = [own for own in config["own_embeddings"] if page and own["name"] == page[1]]
    if not items:
        return None
    item = settings_of(OwnEmbedding, items[0], "own_embeddings")
    ready = item.embeddings or item.obsm
    # As many as the digits where it is not known: the run makes the file, or has to open it to know.
    points = _number_of_points(item.embeddings[0] if item.embeddings else item.table or "") or N_DIGITS
    share = min(points, item.sample or points) / N_DIGITS
    runs = 0.0 if ready else _SECONDS_OF_A_RUN.get(item.embedder, 3.0) * share**1.25
    return (len(ready) if ready else item.n_embeddings) * (runs + 0.17 * share**1.6)


def _number_of_points(path: str) -> int:
    """Rows of a table or of an array; 0 if they are not known without more. What is wrong with a file, the run says."""
    if Path(path).suffix == ".npy":
        try:
            return len(np.load(path, mmap_mode="r"))
        except (OSError, TypeError, ValueError, EOFError):
            return 0
    return number_of_rows(path) if Path(path).suffix in (".csv", ".tsv") else 0

"""
Experiments 1 and 2 of Viswanath and Madabhushi 2012 on a few quarters of brain slices, for one universe of choices.

The claims are CE-02, CE-03 and their readings of theta, CE-05 and CE-20-brain (brain_readings), CE-04 and CE-21-brain
(brain_grid), and CE-06 and CE-07 (ml_estimators). Those of brain_readings are judged at the theta that the paper prints
in every universe, read in each of the ways that have a row: what a universe says of theta (CH-09) moves the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream_seed

from replication.data.brainweb import about_subject
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012 import brain_grid, brain_readings, ml_estimators
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, EmbeddedSlice, embed_slice
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics

# The claims name the paper's kind of objects and its threshold, and the grey levels of config.yaml. A universe puts its
# own choice in their place, and its rows bear the names that the claims ask for.
PAPER_KIND = "mean_shift"
PAPER_THETA = 0.15
JUDGED_LEVELS = 128
# The draw of the noise that is judged.
DRAW = 0
# Slices are taken evenly spaced from those of the study, and a quarter of each: mean shift takes most of the time, and
# it grows with the pixels. A quarter has about 4500, the paper's slice had 5589.
MOST_SLICES = 4


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """
    White against grey matter, and median against mean, in the main unit of the brain experiments.

    The controls of brain_grid are left out, except the best single embedding: no claim is about them.
    """
    brain, settings = config["brain"], settings_of(ImageSettings, config["image_embedding"], "image_embedding")
    one_theta = settings.replace(exploratory_theta=settings.theta)
    printed_theta = settings.replace(theta=PAPER_THETA, theta_reading="literal")
    data = about_subject(brain["source"]).values()
    grid = Metrics("brain_grid", *data, brain_grid.CONDITIONS)
    readings = Metrics("brain_readings", *data, brain_readings.CONDITIONS)
    estimators = Metrics("ml_estimators", *data, ml_estimators.CONDITIONS)
    levels = product(brain["noise"], brain["inhomogeneity"])
    for (noise, inhomogeneity), path in zip(levels, files["images"], strict=True):
        slices = embed_quarters(path, str(files["labels"]), brain, settings, stream_seed(seed, "brain", DRAW))
        at = {"noise": noise, "inhomogeneity": inhomogeneity, "draw": DRAW}
        brain_grid.score_combination(grid, slices, None, settings, controls=False, seed=seed, objects=PAPER_KIND, **at)
        brain_readings.score_combination(
            readings, slices, printed_theta, config["brain_readings"]["readings"], levels=JUDGED_LEVELS,
            noise=noise, inhomogeneity=inhomogeneity,
        )  # fmt: skip
        ml_estimators.score_combination(estimators, slices, one_theta, config["ml_estimators"]["estimators"], **at)
    return {
        "brain_grid": grid.table(),
        "brain_readings": readings.table(),
        "ml_estimators": estimators.table().assign(theta=PAPER_THETA),
    }


def embed_quarters(
    image: str, labels: str, brain: Mapping, settings: ImageSettings, seed: int
) -> dict[int, EmbeddedSlice]:  # fmt: skip
    """Texture, objects and base embeddings of a quarter of some slices, another quarter of each in turn."""
    values, tissue = _volume(image), _volume(labels)
    before, n = len(brain["calibration_slices"]), len(brain["slices"])
    if not values.shape[2] == tissue.shape[2] == before + n:
        raise ValueError(
            f"Expected {before + n} slices (brain.calibration_slices and brain.slices) in {image} and {labels}, found "
            f"{values.shape[2]} and {tissue.shape[2]}; the multiverse takes the slices of the study as they are."
        )
    slices = {}
    for k, index in enumerate(chosen_slices(n)):
        labelled = tissue[..., before + index]
        slices[brain["slices"][index]] = embed_slice(
            values[..., before + index], quarter(labelled > 0, k), labelled == WHITE_MATTER, settings, seed=seed
        )
    return slices


def chosen_slices(n: int) -> list[int]:
    """Indices of at most MOST_SLICES of n slices, evenly spaced, the first and the last among them."""
    return sorted(set(np.linspace(0, n - 1, min(n, MOST_SLICES)).round().astype(int).tolist()))


def quarter(mask: np.ndarray, which: int) -> np.ndarray:
    """One of the four parts into which the medians of its rows and of its columns cut a mask."""
    rows, columns = np.nonzero(mask)
    low = np.arange(mask.shape[0])[:, None] < np.median(rows)
    left = np.arange(mask.shape[1])[None] < np.median(columns)
    return mask & (low == (which % 2 == 0)) & (left == (which // 2 % 2 == 0))


# All universes of a job read the same volumes.
@lru_cache(maxsize=16)
def _volume(path: str) -> np.ndarray:
    return read_volume(path).data

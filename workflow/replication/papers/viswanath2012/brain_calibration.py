"""
Defaults for the details that Viswanath and Madabhushi 2012 leave open, by the rule of shared/calibration.py.

An option scores by the accuracy on the calibration slices, which are not evaluation slices, averaged over three votes
of equal weight: the features and their MDS, which are nearly one method, together; GE; and consensus GE at
theta = 0.15 x max. Where the best option is an end of its grid of numbers, the start value stays too: what is beyond
might be better still, so that the grid shows no best value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from consensus_embedding.clustering.mean_shift import Objects, representative_objects
from joblib import delayed

from replication.papers.viswanath2012.brain_grid import paper_spaces
from replication.papers.viswanath2012.experiments.brain_calibration import BrainCalibration
from replication.papers.viswanath2012.image_slices import embed_slice, slice_features, space_accuracy
from replication.papers.viswanath2012.settings import ImageSettings, TextureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.calibration import Scored, add_scores, go_through_options
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["choice", "option", "noise", "inhomogeneity", "slice"]
# Methods that vote together, by the name of their vote.
VOTES = {"features and MDS": ["features", "mds"], "GE": ["graph_embedding"], "consensus GE": ["consensus"]}
# Parameters that a method has by itself; the consensus has those of the graph embedding too.
OWN = {
    "graph_embedding": ("kernel", "sigma", "self_affinity", "eigenvectors"),
    "consensus": ("subset_size", "normalization", "mds"),
}


def run(
    images: Mapping[tuple[int, int, int], tuple[np.ndarray, np.ndarray, np.ndarray]],
    settings: ImageSettings,
    parameters: BrainCalibration,
    *,
    about: Mapping[str, str],
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option, and pick."""
    metrics = Metrics("brain_calibration", **about, conditions=CONDITIONS)
    cases = [{"noise": noise, "inhomogeneity": rf, "slice": z} for noise, rf, z in images]

    # Most options leave the objects as they are.
    @lru_cache(maxsize=1)
    def objects_of(**options: object) -> list[Objects]:
        made = settings.replace(**options)
        calls = (delayed(_make_objects)(image, mask, made, work.seed) for image, mask, _ in images.values())
        return list(results_of(calls, work.threads))

    def score(tried: Mapping) -> pd.DataFrame:
        changed = settings.replace(**tried)
        made = objects_of(**changed.only(*TextureSettings.model_fields, "max_objects"))
        calls = (
            delayed(_accuracies)(*image, changed, work.seed, objects)
            for image, objects in zip(images.values(), made, strict=True)
        )
        return pd.DataFrame(results_of(calls, work.threads))

    scored, picks = go_through_options(
        parameters.options, {**vars(settings), "n_embeddings": parameters.n_embeddings}, score,
        margin=parameters.margin, votes=VOTES, inside=True, progress=work.say,
    )  # fmt: skip
    add_scores(metrics, "accuracy", scored, cases)
    _add_spreads(metrics, scored, cases)
    return metrics.table(), picks


def _add_spreads(metrics: Metrics, scored: Scored, cases: Sequence[Mapping]) -> None:
    """Add the SD of the accuracy over the options of a parameter, averaged over those of a method, per image."""
    # Parameters of a method: its own, those of the graph embedding, which the consensus has too, or both.
    shared = OWN["graph_embedding"]
    for which in ("own", "shared", "all"):
        for method, own in OWN.items():
            keys = {"own": own, "shared": shared, "all": dict.fromkeys((*shared, *own))}[which]
            spreads = []
            for key in keys:
                accuracies = [table[method].to_numpy() for choice, _, table in scored if choice == key]
                if len(accuracies) > 1:
                    spreads.append(np.std(accuracies, axis=0, ddof=1))
            for case, spread in zip(cases, np.mean(spreads, axis=0) if spreads else (), strict=False):
                metrics.add(method, "spread", spread, choice=which, **case)


def _make_objects(image: np.ndarray, mask: np.ndarray, settings: ImageSettings, seed: int) -> Objects:
    features = slice_features(image, mask, settings)
    return representative_objects(features, settings.objects, max_objects=settings.max_objects, seed=seed)


def _accuracies(
    image: np.ndarray, mask: np.ndarray, positive: np.ndarray, settings: ImageSettings, seed: int, objects: Objects
) -> dict[str, float]:
    embedded = embed_slice(image, mask, positive, settings, seed=seed, objects=objects)
    return {
        method: space_accuracy(embedded, space, settings) for method, space in paper_spaces(embedded, settings).items()
    }

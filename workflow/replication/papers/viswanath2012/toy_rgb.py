"""Two one-dimensional graph embeddings combined, against clustering of all colours (Fig. 1; CE-01)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd
from consensus_embedding.clustering.clustering import clustering_accuracy, replicated_kmeans
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from consensus_embedding.manifold.graph_embedding import graph_embedding
from joblib import delayed

from replication.data.toy_image import ToyImage, toy_image
from replication.papers.viswanath2012.experiments.toy_rgb import ToyStudy
from replication.papers.viswanath2012.method_names import TOY_METHODS
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["noise", "red_noise", "graph", "baselines"]
# What the paper compares the consensus with, and the mean accuracy below which they fail: half-way between guessing
# and a perfect partition. In the paper's Fig. 1 neither shows any region.
BASELINES = ("k_means", "graph_embedding")
FAILURE = 0.75
_PAIRS = {"red_green": [0, 1], "red_blue": [0, 2], "green_blue": [1, 2]}


def run(parameters: ToyStudy, work: Work = QUIET) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """
    Score the consensus of Fig. 1 and what it is compared with, over noise draws.

    Of two distances the mean is the median, so there is one consensus. The paper combines the two pairs of colours
    that contain red, which takes the answer for granted; the consensus of all three pairs does not.
    """
    metrics = Metrics("toy_rgb", "toy_image", "simulated", CONDITIONS)
    levels = list(product(parameters.graphs, parameters.red_noise, parameters.noise))
    calls = (delayed(_score_level)(parameters, *level, work.seed) for level in levels)
    for (graph, red_noise, noise), accuracies in zip(levels, results_of(calls, work.threads), strict=True):
        work.say(f"{len(accuracies)} images, noise {noise:g}, noise on red {red_noise:g}, graph {graph}")
        _add_level(metrics, accuracies, noise=noise, red_noise=red_noise, graph=graph)
    shown = parameters.picture
    image = toy_image(parameters.size, noise=shown.noise, red_noise=shown.red_noise, seed=work.seed, draw=shown.draw)
    return metrics.table(), pictures(image, parameters.graphs[shown.graph], parameters.n_components)


def _score_level(parameters: ToyStudy, graph: str, red_noise: float, noise: float, seed: int) -> list[dict[str, float]]:
    """Accuracy of each method on each image of a noise level."""
    scores = []
    for draw in range(parameters.n_draws):
        image = toy_image(parameters.size, noise=noise, red_noise=red_noise, seed=seed, draw=draw)
        clusters = partitions(image, parameters.graphs[graph], parameters.n_components)
        scores.append(
            {method: clustering_accuracy(found, image.foreground.ravel()) for method, found in clusters.items()}
        )
    return scores


def partitions(image: ToyImage, graph: Mapping, n_components: int = 2) -> dict[str, np.ndarray]:
    """Two clusters of the pixels of an image, by each method."""
    colours = image.rgb.reshape(-1, 3)
    spaces = {"k_means": colours, "graph_embedding": graph_embedding(colours, n_components, **graph)}
    for name, pair in _PAIRS.items():
        spaces[name] = graph_embedding(colours[:, pair], 1, **graph)
    bases = {
        "consensus": [spaces["red_green"], spaces["red_blue"]],
        "consensus_all_pairs": [spaces[name] for name in _PAIRS],
        "consensus_features": [colours[:, _PAIRS["red_green"]], colours[:, _PAIRS["red_blue"]]],
    }
    for name, base in bases.items():
        spaces[name] = combine_embeddings(np.array(base), n_components=n_components, estimator="median").embedding
    return {method: replicated_kmeans(spaces[method], 2) for method in TOY_METHODS}


def pictures(image: ToyImage, graph: Mapping, n_components: int = 2) -> dict[str, np.ndarray]:
    """Arrays of the figure of one image."""
    truth = image.foreground
    result = {"clean": image.clean, "noisy": image.rgb, "truth": truth}
    for method, clusters in partitions(image, graph, n_components).items():
        mask = clusters.reshape(truth.shape) == 1
        result[method] = mask if (mask == truth).mean() >= 0.5 else ~mask
    return result


def _add_level(metrics: Metrics, accuracies: list[dict[str, float]], **at: object) -> None:
    """Add the accuracies of all draws at a noise level, and whether the baselines fail."""
    failing = all(np.mean([scores[method] for scores in accuracies]) < FAILURE for method in BASELINES)
    at = {**at, "baselines": "fail" if failing else "succeed"}
    for draw, scores in enumerate(accuracies):
        for method, accuracy in scores.items():
            metrics.add(method, "accuracy", accuracy, draw, **at)

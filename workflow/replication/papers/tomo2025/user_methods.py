"""Methods that a configuration adds, among the ways to combine the same t-SNE runs of the digits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from consensus_embedding.consensus.stability import picture_distances
from consensus_embedding.manifold.distance_matrices import validate_embeddings
from consensus_embedding.utils.seeds import stream_seed

from replication.data.digits import digits_name, digits_source, read_digits
from replication.papers.tomo2025.consensus_comparison import (
    CONDITIONS,
    Comparison,
    add_distances_between,
    reference_of,
    runs_of,
)
from replication.platform.methods import AddedMethod
from replication.platform.steps import Work
from replication.shared.tidy import Metrics
from replication.shared.user_methods import combine, embed, has_unit_of_embeddings


def score_comparison(
    method: AddedMethod,
    work: Work,
    pool: str,
    gram: str,
    n_samples: int,
    reference_runs: int,
    parameters: Mapping,
    median_consensus: Mapping,
) -> Metrics:
    """
    Score an added method of consensus_comparison as the others are: the same runs, the same reference.

    A consensus combines the runs of each repetition; an embedding is one run on the images, with a seed of the
    repetition. Distances that are not in the unit of the runs are brought to the norm of the reference.
    """
    X, labels = read_digits(n_samples)
    dataset = digits_name(n_samples)
    runs = validate_embeddings(np.load(pool)["embeddings"])
    solver = {key: median_consensus[key] for key in ("tolerance", "max_iter")}
    reference = reference_of(runs, np.load(gram), reference_runs, solver, work.threads)
    comparison = Comparison(X, labels, reference, parameters["n_neighbors"])
    metrics = Metrics("consensus_comparison", dataset, digits_source(n_samples), CONDITIONS)
    rescaled, combined_distances = not has_unit_of_embeddings(method), []
    for r in range(parameters["repetitions"]):
        work.say(f"repetition {r + 1} of {parameters['repetitions']}")
        own, picture = stream_seed(work.seed, dataset, "added methods", r), None
        if method.kind == "consensus":
            combined = runs[runs_of(r, reference_runs, parameters["n_embeddings"])]
            picture, distances = combine(method, combined, n_components=2, mds=median_consensus["mds"], seed=own)
        else:
            distances = picture_distances(embed(method, X, n_components=2, seed=own))
        if rescaled:
            distances = distances * (np.linalg.norm(reference) / np.linalg.norm(distances))
        comparison.add_scores(metrics, method.label, r, distances, picture)
        combined_distances.append(distances.astype(np.float32))
    add_distances_between(metrics, method.label, combined_distances)
    return metrics

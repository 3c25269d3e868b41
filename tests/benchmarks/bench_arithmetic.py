"""
Time the inner loops with portable and with native arithmetic, each in a process of its own, in turn.

    .venv/bin/python tests/benchmarks/bench_arithmetic.py    two minutes

Portable arithmetic uses AVX2 on every processor, so that the numbers are the same everywhere; native arithmetic uses
all that this one has. One line per loop: both times (medians over the rounds) and portable / native, with its range.
"""

import json
import os
import subprocess
import sys
import time

ROUNDS = 5
ARITHMETICS = ("portable", "native")


def loops():
    """Name -> a call that takes some ten milliseconds to a second."""
    import numpy as np
    from consensus_embedding import (
        GraphEmbedding,
        haralick_features,
        hierarchical_clusters,
        lle_embeddings,
        mean_shift_objects,
    )
    from consensus_embedding.diagnostics.retrieval import retrieval_scores
    from consensus_embedding.features.feature_filters import gini_scores, t_scores
    from consensus_embedding.manifold.distance_matrices import combined_distances, distance_gram
    from consensus_embedding.manifold.tsne import joint_probabilities, random_start, tsne_runs
    from replication.data.domains.shape_distance import shape_distances
    from sklearn.datasets import load_digits
    from sklearn.manifold import TSNE

    X, rng = load_digits().data, np.random.default_rng(0)
    affinities, start = joint_probabilities(X), random_start(len(X), 0)
    embeddings = rng.normal(size=(40, len(X), 2)).astype(np.float32)
    image, mask = rng.uniform(size=(64, 64)), np.ones((64, 64), dtype=bool)
    pixels, labels = rng.normal(size=(2000, 13)), np.arange(400) % 2
    genes, points = rng.normal(size=(400, 3000)), rng.normal(size=(400, 5))
    turns = np.exp(2j * np.pi * np.linspace(0, 1, 64, endpoint=False))
    outlines = turns * rng.uniform(1, 1.2, size=(40, 64))
    return {
        "t-SNE, 250 iterations": lambda: tsne_runs(affinities, [start], max_iter=250),
        "t-SNE by Barnes-Hut, 250 iterations": lambda: tsne_runs(
            affinities, [start], max_iter=250, method="barnes_hut"
        ),
        "t-SNE of scikit-learn, 250 iterations": lambda: TSNE(
            init="random", random_state=0, n_jobs=1, max_iter=250
        ).fit_transform(X),
        "inner products of 40 distance matrices": lambda: distance_gram(embeddings),
        "mean of 40 distance matrices": lambda: combined_distances(embeddings, np.full(40, 1 / 40)),
        "Haralick features of 4096 pixels": lambda: haralick_features(image, mask, window=5, levels=32),
        "mean shift of 2000 pixels": lambda: mean_shift_objects(pixels, max_objects=200),
        "graph embedding of 400 samples": lambda: GraphEmbedding(3).fit_transform(genes),
        "LLE of 400 samples, 10 kappas": lambda: lle_embeddings(genes, list(range(5, 15)), 3),
        "hierarchical clusters of 400 samples": lambda: hierarchical_clusters(points, 3),
        "t and Gini scores of 3000 features": lambda: (t_scores(genes, labels), gini_scores(genes, labels)),
        "retrieval scores of 400 items": lambda: retrieval_scores(points, labels),
        "distances of 40 outlines": lambda: shape_distances(outlines),
    }


def time_loops():
    """Print name -> seconds as JSON: the least of three calls after one that is not counted."""
    from threadpoolctl import threadpool_limits

    found = {}
    with threadpool_limits(1):
        for name, call in loops().items():
            call()
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                call()
                seconds.append(time.perf_counter() - start)
            found[name] = min(seconds)
    print(json.dumps(found))


def bench_arithmetic():
    """One line a loop."""
    from statistics import median

    from consensus_embedding.utils.arithmetic import VARIABLES, set_portable, why_not_portable
    from rows import add

    reason = why_not_portable()
    if reason is not None:
        print(f"Portable arithmetic is not to be had here: {reason}.")
        return
    native = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environments = {"native": native, "portable": dict(native)}
    set_portable(environments["portable"])
    times = {name: [] for name in ARITHMETICS}
    for _ in range(ROUNDS):
        for name in ARITHMETICS:
            command = [sys.executable, __file__, "time"]
            done = subprocess.run(command, env=environments[name], capture_output=True, text=True, check=True)
            times[name].append(json.loads(done.stdout.splitlines()[-1]))
    print(f"Portable arithmetic beside native, one core, {ROUNDS} rounds in turn")
    for loop in times["native"][0]:
        portable, native = ([one[loop] for one in times[name]] for name in ARITHMETICS)
        ratios = [one / other for one, other in zip(portable, native, strict=True)]
        times_of = (f"{1e3 * median(portable):.1f} ms", f"{1e3 * median(native):.1f} ms")
        ratio = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        add((loop, *times_of, ratio), columns=("loop", "portable", "native", "portable / native"))
        print(f"{loop}: portable {times_of[0]}, native {times_of[1]}, portable / native {ratio}", flush=True)


if __name__ == "__main__":
    time_loops() if sys.argv[1:] == ["time"] else bench_arithmetic()

"""
Time the library beside what a user would pick instead, in one process, on the same inputs.

    .venv/bin/python tests/benchmarks/bench.py                 an hour on two slow cores
    .venv/bin/python tests/benchmarks/bench.py --write         the same, and docs/speed_table.md with what was measured
    .venv/bin/python tests/benchmarks/bench.py --only tsne     one benchmark; with --write, its section of that page
    .venv/bin/python tests/benchmarks/bench.py --only million  t-SNE of a million points; half an hour, only if named
    .venv/bin/python tests/benchmarks/bench.py --seeds 20      t-SNE from so many starts; a minute and a half more

Prints one line per comparison; nothing is asserted, because a busy machine is no defect.
"""

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "library"))

import numpy as np
from bench_arithmetic import bench_arithmetic
from bench_check import bench_check
from bench_features import bench_features
from bench_genes import bench_genes
from bench_growth import (
    RUNS,
    bench_fft_tsne,
    bench_large_median,
    bench_large_tsne,
    bench_median_growth,
    bench_tsne_growth,
)
from bench_images import bench_images
from bench_large import bench_base_runs, bench_fine, bench_head, bench_own_retrieval
from bench_retrieval import bench_retrieval
from bench_scale import bench_million, bench_scale
from bench_spectra import bench_spectra
from bench_texture import bench_texture
from consensus_embedding import classical_mds, median_consensus, smacof
from consensus_embedding.manifold.tsne import (
    joint_probabilities,
    kl_divergence,
    random_start,
    tsne_runs,
)
from rows import clock, in_words, note, once, say, section, write
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.manifold import smacof as sklearn_smacof
from threadpoolctl import threadpool_limits

N_JOBS = 2
# What takes longest runs only if named.
ON_REQUEST = ("million",)


def direct_weiszfeld(embeddings, average, tolerance=1e-5, max_iter=500):
    """Algorithm 1 of the paper as one would write it in NumPy: all distance matrices are stored."""
    X = np.array([squareform(pdist(y)) for y in embeddings])
    x = X.mean(axis=0)
    for _ in range(max_iter):
        weights = 1.0 / (np.linalg.norm(X - x, axis=(1, 2)) + 1e-15)
        moved = average(weights / weights.sum(), X)
        if np.linalg.norm(moved - x) < tolerance:
            return moved
        x = moved
    return x


def plain_average(weights, X):
    """Line 11 of Algorithm 1, term by term."""
    return (weights[:, None, None] * X).sum(axis=0)


def blas_average(weights, X):
    """The same as one matrix product, for those who think of it."""
    return np.tensordot(weights, X, axes=1)


def bench_tsne(X, n_seeds):
    """Both kernels of our t-SNE and scikit-learn's in turn, one core each; all losses by the same exact formula."""
    affinities = joint_probabilities(X)
    tsne_runs(affinities, [random_start(len(X), 0)], max_iter=250)

    def ours(method, seed):
        # Each run pays for its own affinities, as a single call would.
        embeddings, _, _ = tsne_runs(joint_probabilities(X), [random_start(len(X), seed)], method=method)
        return embeddings[0]

    kernels = {
        "exact": lambda seed: ours("exact", seed),
        "Barnes-Hut": lambda seed: ours("barnes_hut", seed),
        "scikit-learn": lambda seed: TSNE(init="random", random_state=seed, n_jobs=1).fit_transform(X),
    }
    seconds, losses = ({name: [] for name in kernels} for _ in range(2))
    with threadpool_limits(1):
        for seed in range(n_seeds):
            for name, kernel in kernels.items():
                took, embedding = once(kernel, seed)
                seconds[name].append(took)
                losses[name].append(kl_divergence(affinities, embedding))
    theirs = np.array(seconds.pop("scikit-learn"))
    for name, took in seconds.items():
        agreement = f"mean loss {np.mean(losses[name]):.4f} and {np.mean(losses['scikit-learn']):.4f}"
        what = f"t-SNE, {name}, 1797 digits, median of {n_seeds} seeds"
        say(what, np.median(took), "scikit-learn", np.median(theirs), agreement)


def bench_median(X, m=200):
    """Median consensus of m runs against the direct iteration on stored matrices."""
    affinities = joint_probabilities(X)
    embeddings, _, _ = tsne_runs(affinities, [random_start(len(X), s) for s in range(m)], n_jobs=N_JOBS)
    with threadpool_limits(1):
        ours, found = clock(median_consensus, embeddings, repeats=3)
        stored = embeddings.astype(np.float64)
        took, expected = once(direct_weiszfeld, stored, plain_average)
        with_blas, _ = once(direct_weiszfeld, stored, blas_average)
    error = np.linalg.norm(found.distance_matrix - expected) / np.linalg.norm(expected)
    what = f"Median consensus, m = {m}, 1797 points, picture included"
    agreement = f"relative difference of the medians {error:.1e}"
    say(what, ours, "the direct iteration in plain NumPy", took, agreement)
    say(what, ours, "the direct iteration with BLAS", with_blas, agreement)


def bench_smacof(X, m=10, n_iter=100):
    """Stress majorisation of a consensus of digits and scikit-learn's: same start, same number of steps, one core."""
    affinities = joint_probabilities(X)
    embeddings, _, _ = tsne_runs(affinities, [random_start(len(X), s) for s in range(m)], n_jobs=N_JOBS)
    distances = median_consensus(embeddings, n_jobs=N_JOBS).distance_matrix
    start = classical_mds(distances)
    smacof(distances, max_iter=1, start=start)
    with threadpool_limits(1):
        ours, found = once(smacof, distances, max_iter=n_iter, tolerance=0.0, start=start)
        theirs, (expected, _) = once(
            sklearn_smacof, distances, n_components=2, init=start, n_init=1, max_iter=n_iter, eps=0.0,
            normalized_stress=False,
        )  # fmt: skip
    error = np.abs(found - (expected - expected.mean(axis=0))).max() / np.abs(found).max()
    what = f"SMACOF, {len(X)} points, {n_iter} steps from one start"
    say(what, ours, "scikit-learn smacof", theirs, f"relative difference of the pictures {error:.1e}")


def bench_memory(m=1000):
    """Median consensus of many runs in a process of its own: time and peak memory."""
    code = (
        f"import json, sys, time; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import numpy as np\n"
        "from consensus_embedding import median_consensus\n"
        "from rows import peak_memory\n"
        f"pool = np.random.default_rng(0).normal(scale=30, size=({m}, 1797, 2)).astype(np.float32)\n"
        "pool += 100 * np.random.default_rng(1).normal(size=(1797, 2)).astype(np.float32)\n"
        f"median_consensus(pool[:2], n_jobs={N_JOBS})\n"
        "start = time.perf_counter()\n"
        f"median_consensus(pool, n_jobs={N_JOBS})\n"
        "print(json.dumps([time.perf_counter() - start, peak_memory()]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, peak = json.loads(result.stdout)
    what = f"Median consensus, m = {m}, 1797 points, {N_JOBS} cores, on the clock"
    note(what, in_words(seconds), f"peak memory of the process {peak:.2f} GB")


def benchmarks(n_seeds):
    """Name -> the benchmark."""
    digits = load_digits().data
    return {
        "memory": bench_memory,
        "tsne": lambda: bench_tsne(digits, n_seeds),
        "large_tsne": bench_large_tsne,
        "fft_tsne": bench_fft_tsne,
        "median": lambda: bench_median(digits),
        "large_median": bench_large_median,
        "smacof": lambda: bench_smacof(digits),
        "images": lambda: bench_images(N_JOBS),
        "texture": bench_texture,
        "genes": bench_genes,
        "spectra": bench_spectra,
        "retrieval": bench_retrieval,
        "features": bench_features,
        "large_fine": bench_fine,
        "large_retrieval": bench_own_retrieval,
        "base_runs": bench_base_runs,
        "whole_head": bench_head,
        "growth_tsne": bench_tsne_growth,
        **{f"growth_median_{m}": partial(bench_median_growth, m) for m in RUNS},
        "arithmetic": bench_arithmetic,
        "check": bench_check,
        "scale": bench_scale,
        "million": bench_million,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="number of t-SNE runs of each kind")
    parser.add_argument("--write", action="store_true", help="write docs/speed_table.md, or with --only sections of it")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="benchmarks to run: " + ", ".join(benchmarks(1)))
    arguments = parser.parse_args()
    available = benchmarks(arguments.seeds)
    unknown = sorted(set(arguments.only or ()) - set(available))
    if unknown:
        parser.error(f"--only takes names of benchmarks ({', '.join(available)}), found {', '.join(unknown)}.")
    for name in arguments.only or [name for name in available if name not in ON_REQUEST]:
        with section(name):
            available[name]()
    if arguments.write:
        write(keep=None if arguments.only else ON_REQUEST)

"""
Time t-SNE and the median consensus of more and more points, each size in a process of its own, on one core.

    .venv/bin/python tests/benchmarks/bench.py --only {large,fft,growth}_tsne large_median growth_median_{10,100,1000}

Half an hour in all. A size is left out where the one before it, at quadratic growth, says that it takes more than five
minutes.

The embeddings of the consensus are ready ones of the kind that t-SNE makes: thirty groups that keep their shape, turned
at random in each run and for two fifths of the groups somewhere else.
"""

from importlib.util import find_spec

import numpy as np
from consensus_embedding.consensus.geometric_median import geometric_median
from consensus_embedding.consensus.large_median import draw_consensus
from consensus_embedding.manifold.distance_matrices import distance_gram
from consensus_embedding.manifold.large_mds import ConsensusPairs, large_smacof
from consensus_embedding.manifold.tsne import (
    MOST_EXACT_NEIGHBORS,
    joint_probabilities,
    kl_divergence,
    random_start,
    tsne_runs,
)
from rows import add, elsewhere, in_words, measure, note, once, peak_memory, say
from scipy.sparse import csr_array, csr_matrix
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

SIZES, RUNS = (2000, 5000, 10_000, 20_000, 50_000), (10, 100, 1000)
GROUPS = 30
FFT_ITERATIONS = 750
# Processor seconds that a size may be expected to take.
BUDGET = 300.0


def pictures(n, m, seed=0):
    """m ready embeddings of n points, as of t-SNE."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, n)
    x, y = (rng.normal(size=(n, 2)) * rng.uniform(3, 10, size=(GROUPS, 1))[group]).T
    home, runs = rng.uniform(-80, 80, size=(GROUPS, 2)), np.empty((m, n, 2), np.float32)
    for run in runs:
        moves = rng.random((GROUPS, 1)) < 0.4
        places = np.where(moves, rng.uniform(-80, 80, size=(GROUPS, 2)), home)[group]
        turn = rng.uniform(0, 2 * np.pi, GROUPS)[group]
        run[:, 0] = x * np.cos(turn) - y * np.sin(turn)
        run[:, 1] = x * np.sin(turn) + y * np.cos(turn)
        run += places + rng.normal(size=(n, 2))
    return runs


def samples(n, seed=0, n_features=30):
    """Table of n samples of 30 or 50 features: twenty groups on curved surfaces of ten dimensions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10)) * 0.8 + (rng.normal(size=(20, 10)) * 3)[np.arange(n) % 20]
    columns = [X, np.sin(X), np.square(X) / 4, np.cos(X), X * np.roll(X, 1, axis=1) / 4][: n_features // 10]
    return np.hstack(columns) + 0.1 * rng.normal(size=(n, n_features))


def measure_consensus(n, m):
    """Seconds of the inner products and of the picture, its steps and stress."""
    # Compiled before the clock starts.
    warm = pictures(200, 2)
    geometric_median(distance_gram(warm))
    draw_consensus(warm, np.full(2, 0.5), max_memory_gb=0, mds="landmark")
    for points in (200, 6000):
        draw_consensus(pictures(points, 1), np.ones(1))
    runs, steps = pictures(n, m), []
    gram_seconds, gram = once(distance_gram, runs)
    weights = geometric_median(gram).weights
    seconds, (_, _, stress) = once(draw_consensus, runs, weights, progress=steps.append)
    n_steps = sum(step.startswith("SMACOF") for step in steps)
    return {"gram": gram_seconds, "picture": seconds, "steps": n_steps, "stress": stress}


def measure_tsne(n, theirs):
    """Seconds and losses of one run by Barnes-Hut, of scikit-learn too if wanted, and peak memory in GB."""
    X = samples(n)
    tsne_runs(joint_probabilities(X[:300]), [random_start(300, 0)], max_iter=250, method="barnes_hut")
    found = {}
    found["ours"], (_, loss, _) = once(
        lambda: tsne_runs(joint_probabilities(X), [random_start(n, 0)], method="barnes_hut")
    )
    found["loss"] = float(loss[0])
    found["peak"] = peak_memory()
    if theirs:
        found["theirs"], embedding = once(TSNE(init="random", random_state=0, n_jobs=1).fit_transform, X)
        found["their_loss"] = kl_divergence(joint_probabilities(X), embedding)
    return found


def measure_fft(n, trees):
    """
    Seconds of affinities and descent, and losses: ours on a grid, openTSNE if it is installed, ours by trees if wanted.

    Start, iterations, exaggeration, momenta and steps are the same; openTSNE leaves the factor 4 out of the gradient.
    Each has its own affinities; the losses of all are exact, on ours and on those of openTSNE.
    """
    X, start, rate = samples(n, n_features=50), random_start(n, 0), n / 48
    methods = {"fft": "fft"} | ({"our Barnes-Hut": "barnes_hut"} if trees else {})
    few = joint_probabilities(X[:300])
    found, pictures = {}, {}
    if n > MOST_EXACT_NEIGHBORS:
        from pynndescent import NNDescent

        # Compiled before the clock starts, as all other loops are.
        found["compiling"], _ = once(
            lambda: NNDescent(X[:2000].astype(np.float32), n_neighbors=92, n_jobs=1).neighbor_graph
        )
    found["affinities fft"], affinities = once(joint_probabilities, X)
    for name, method in methods.items():
        options = {"method": method, "learning_rate": rate, "max_iter": FFT_ITERATIONS, "min_grad_norm": 0}
        tsne_runs(few, [start[:300]], **options)
        found[name], (runs, _, _) = once(tsne_runs, affinities, [start], **options)
        pictures[name] = runs[0]
    tables = {"our": affinities}
    if find_spec("openTSNE"):
        from openTSNE.affinity import PerplexityBasedNN

        PerplexityBasedNN(X[:2000], n_jobs=1)
        found["affinities openTSNE"], theirs = once(PerplexityBasedNN, X, n_jobs=1, random_state=0)
        found["openTSNE"], pictures["openTSNE"] = once(_open_tsne, theirs.P, start, 4 * rate)
        tables["its"] = csr_array(theirs.P / theirs.P.sum())
    for name, picture in pictures.items():
        for whose, table in tables.items():
            found[f"loss {name}, {whose} affinities"] = kl_divergence(table, picture)
    return found


def _open_tsne(affinities, start, rate):
    from openTSNE.tsne import gradient_descent, kl_divergence_fft

    P, embedding = csr_matrix(affinities), start.astype(np.float64)
    for n_iter, momentum, exaggeration in ((250, 0.5, 12.0), (FFT_ITERATIONS - 250, 0.8, None)):
        _, embedding = gradient_descent()(
            embedding, P, n_iter, kl_divergence_fft, rate, momentum, exaggeration, max_step_norm=None, n_jobs=1
        )
    return embedding


def exponent(sizes, seconds):
    """Slope of the logarithm of the time on that of the size; of two sizes or more."""
    return np.polyfit(np.log(sizes), np.log(seconds), 1)[0]


def expected_seconds(times, n):
    """Of n points, at quadratic growth from the largest size measured; `times` maps sizes to seconds."""
    return times[max(times)] * (n / max(times)) ** 2 if times else 0.0


def bench_large_tsne(n=20_000):
    """One run each, of 1000 iterations; losses by the same exact formula."""
    found = elsewhere(__file__, "tsne", n, 1)
    agreement = f"loss {found['loss']:.4f} and {found['their_loss']:.4f}"
    say(f"t-SNE by Barnes-Hut, {n} samples, 1000 iterations", found["ours"], "scikit-learn", found["theirs"], agreement)


def bench_fft_tsne(sizes=(20_000, 60_000, 200_000)):
    """Whole fits and their descents alone, one core; losses by the same exact formula on the same affinities."""
    for n in sizes:
        trees = n < 100_000
        found = elsewhere(__file__, "fft", n, int(trees))
        what = f"t-SNE by FFT, {n} samples of 50 features, {FFT_ITERATIONS} iterations"
        if trees:
            say(
                f"{what}, descent",
                found["fft"],
                "our Barnes-Hut",
                found["our Barnes-Hut"],
                _losses(found, "our Barnes-Hut"),
            )
        if "openTSNE" in found:
            say(f"{what}, descent", found["fft"], "openTSNE by FFT", found["openTSNE"], _losses(found, "openTSNE"))
            ours, theirs = (found[name] + found[f"affinities {name}"] for name in ("fft", "openTSNE"))
            say(f"{what}, affinities and descent", ours, "openTSNE by FFT", theirs)
        note(f"Affinities of {n} samples", in_words(found["affinities fft"]))
        if "compiling" in found:
            note("Compiling pynndescent, not counted above", in_words(found["compiling"]))


def _losses(found, other):
    return "; ".join(
        f"on {whose} affinities loss {found[f'loss fft, {whose} affinities']:.4f} and "
        f"{found[f'loss {other}, {whose} affinities']:.4f}"
        for whose in ("our", "its")
        if f"loss {other}, {whose} affinities" in found
    )


def bench_large_median(n=20_000, m=20, few=2000):
    """A consensus with its picture, and how far the way for many points is from that for few."""
    found = elsewhere(__file__, "consensus", n, m)
    note(
        f"Median consensus of {m} ready embeddings of {n} points with its picture",
        f"{found['gram'] + found['picture']:.0f} s, peak memory {found['peak']:.2f} GB",
        f"{found['steps']} steps, stress {found['stress']:.4f}",
    )
    runs = pictures(few, m)
    weights = geometric_median(distance_gram(runs)).weights
    _, table, _ = draw_consensus(runs, weights)
    picture = large_smacof(ConsensusPairs(runs, weights))
    left, _, right = np.linalg.svd(picture.T @ table)
    apart = np.linalg.norm(picture @ left @ right - table) / np.linalg.norm(table)
    note(f"The same of {few} points, with and without a square table", f"the pictures differ by {apart:.0e}")


def bench_median_growth(m, sizes=SIZES, budget=BUDGET):
    """Table of the times of a consensus of m runs by size, and the fitted exponent."""
    columns = ("runs m", "points n", "inner products", "picture", "steps", "stress", "peak memory")

    def measure(n):
        found = elsewhere(__file__, "consensus", n, m)
        row = (
            m, n, f"{found['gram']:.1f} s", f"{found['picture']:.1f} s", found["steps"] or "", f"{found['stress']:.4f}",
            f"{found['peak']:.2f} GB",
        )  # fmt: skip
        print("Median consensus:", *(f"{name} {cell}" for name, cell in zip(columns, row, strict=True)), flush=True)
        add(row, columns)
        return found["gram"] + found["picture"]

    _grow(f"Median consensus, m = {m}", measure, sizes, budget)


def bench_tsne_growth(sizes=SIZES, budget=BUDGET):
    """Times of a run by size, and the fitted exponent."""

    def measure(n):
        found = elsewhere(__file__, "tsne", n, 0)
        note(f"t-SNE by Barnes-Hut, {n} samples", f"{found['ours']:.1f} s", f"peak memory {found['peak']:.2f} GB")
        return found["ours"]

    _grow("t-SNE by Barnes-Hut", measure, sizes, budget)


def _grow(what, measure, sizes, budget):
    """Measure the sizes that the budget allows; rows for those left out and for the exponent."""
    times = {}
    for n in sizes:
        expected = expected_seconds(times, n)
        if expected > budget:
            note(f"{what}, n = {n}", "left out", f"expected to take {in_words(expected)}, more than {in_words(budget)}")
        else:
            times[n] = measure(n)
    if len(times) > 1:
        power = exponent(list(times), list(times.values()))
        note(f"{what}, n from {min(times)} to {max(times)}", f"time grows as n to the power {power:.2f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        measure(tsne=measure_tsne, fft=measure_fft, consensus=measure_consensus)

"""
Time the check of many points on two cores, and how near its way for many points is to that for few.

    .venv/bin/python tests/benchmarks/bench.py --only scale      a quarter of an hour
    .venv/bin/python tests/benchmarks/bench.py --only million    t-SNE of a million points, one core; half an hour

Times are on the clock, since cores are part of the question; each size has a process of its own, whose loops are
compiled before. Ready embeddings are simulated, of thirty groups that change their places; the samples of t-SNE are of
twenty groups on curved surfaces in 50 features.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from bench_growth import pictures, samples
from consensus_embedding import FourierTSNE, check_embedding
from consensus_embedding.consensus.runs import draw_seeds, run_embeddings
from consensus_embedding.diagnostics import embedding_check
from consensus_embedding.manifold.tsne import default_tsne
from rows import elsewhere, in_words, measure, note
from scipy.stats import spearmanr

N_JOBS, ROUNDS = 2, 5


def clock(function, *arguments, **options):
    """Seconds on the clock of one call, and the result."""
    start = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - start, result


def check(**options):
    return check_embedding(**options, n_jobs=N_JOBS, random_state=0, verbose=False)


def measure_ready(n, m):
    """A check of m ready embeddings."""
    check(embeddings=pictures(10_100, 3))
    runs = pictures(n, m)
    seconds, _ = clock(check, embeddings=runs)
    return {"seconds": seconds}


def measure_whole(n, m):
    """m runs of t-SNE with their check, and its page."""
    check(X=samples(10_100, n_features=50), n_embeddings=3)
    X = samples(n, n_features=50)
    seconds, found = clock(check, X=X, n_embeddings=m)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "check.html"
        more, _ = clock(found.write_html, page)
        return {"seconds": seconds + more, "page": page.stat().st_size / 1e6}


def measure_adds(n, m):
    """Runs of few points alone, and with their check; medians over rounds."""
    X, found = samples(n, n_features=50), []
    for _ in range(ROUNDS + 1):
        alone, _ = clock(run_embeddings, default_tsne(n), X, draw_seeds(0, m), n_jobs=N_JOBS)
        together, _ = clock(check, X=X, n_embeddings=m)
        found.append((alone, together, together - alone))
    alone, together, more = np.median(found[1:], axis=0)
    return {"alone": alone, "seconds": together, "more": more}


def measure_agreement(n, m):
    """The same runs compared with all points and with landmarks: simulated ones, and those of t-SNE."""
    found = {}
    runs = {"simulated": pictures(n, m)}
    runs["t-SNE"] = run_embeddings(FourierTSNE(), samples(n, n_features=50), draw_seeds(0, m), n_jobs=N_JOBS)
    for name, embeddings in runs.items():
        exact = check(embeddings=embeddings).points
        embedding_check.EXACT_POINTS, before = n - 1, embedding_check.EXACT_POINTS
        few = check(embeddings=embeddings).points
        embedding_check.EXACT_POINTS = before
        found[name] = {
            "correlation": spearmanr(exact["instability"], few["instability"]).statistic,
            "differ": float((exact["category"] != few["category"]).mean()),
        }
    return found


def measure_million(n, _):
    """One run of t-SNE."""
    FourierTSNE(random_state=0).fit_transform(samples(10_100, n_features=50))
    seconds, _ = clock(FourierTSNE(random_state=0).fit_transform, samples(n, n_features=50))
    return {"seconds": seconds}


def bench_scale():
    found = elsewhere(__file__, "adds", 700, 20)
    what = f"Check of 20 runs of t-SNE, 700 samples of 50 features, {N_JOBS} cores, on the clock"
    runs = f"the runs alone {in_words(found['alone'])}; the check adds {in_words(found['more'])}"
    note(what, in_words(found["seconds"]), f"{runs} (medians of {ROUNDS} rounds)")
    for n, m in ((20_000, 10), (1_000_000, 5)):
        found = elsewhere(__file__, "ready", n, m)
        what = f"Check of {m} ready embeddings of {n} points, {N_JOBS} cores, on the clock"
        note(what, in_words(found["seconds"]), f"peak memory {found['peak']:.2f} GB")
    found = elsewhere(__file__, "whole", 100_000, 10)
    what = f"10 runs of t-SNE, consensus, picture and page, 100000 samples of 50 features, {N_JOBS} cores, on the clock"
    note(what, in_words(found["seconds"]), f"peak memory {found['peak']:.2f} GB; page {found['page']:.1f} MB")
    for name, how in elsewhere(__file__, "agreement", 10_000, 10).items():
        if name != "peak":
            what = f"Instability of 10000 points by landmarks and by all points, 10 {name} runs"
            note(what, f"rank correlation {how['correlation']:.4f}", f"{how['differ']:.2%} have another category")


def bench_million():
    found = elsewhere(__file__, "million", 1_000_000, 1)
    what = "t-SNE by FFT, 1000000 samples of 50 features, 1000 iterations, one core, on the clock"
    note(what, in_words(found["seconds"]), f"peak memory {found['peak']:.2f} GB")


if __name__ == "__main__":
    measure(
        ready=measure_ready, whole=measure_whole, adds=measure_adds, agreement=measure_agreement,
        million=measure_million,
    )  # fmt: skip

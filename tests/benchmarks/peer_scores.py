"""
Scores of points by one tool, in a process of its own, which may be of another Python; see bench_peers.py.

    .venv/bin/python tests/benchmarks/peer_scores.py TOOL CASE.npz ...

Prints JSON: for each case scores, calls, processor seconds and peak memory.

A case has runs (m, n, 2), data (n, p), groups and the embedder that made the runs ("t-SNE", "UMAP", or "" if
simulated). Of a score of points, high is unstable.
"""

import contextlib
import io
import json
import os
import sys
import time
import warnings

# One thread, before NumPy is imported.
for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402
from rows import peak_memory  # noqa: E402

SEED = 1


def check(case):
    """The check on the runs; with the data, if there are any, also their fidelity."""
    from consensus_embedding import check_embedding

    labels = np.where(case["group"] < 0, np.nan, case["group"])
    X = case["X"] if case["embedder"] else None
    found = check_embedding(X, embeddings=case["runs"], labels=labels, random_state=0)
    pairs = found.label_pairs[["first", "second", "instability", "category"]].to_numpy().tolist()
    yield {
        "score": found.points.instability.to_numpy(),
        "stable": (found.points.category == "stable").to_numpy(),
        "pairs": pairs,
    }


def dynamicviz(case):
    """Variance scores of DynamicViz on the runs, from the distances to the 20 nearest in the data and from all."""
    import pandas as pd

    m, n, _ = case["runs"].shape
    table = pd.DataFrame(case["runs"].reshape(-1, 2).astype(float), columns=["x1", "x2"])
    table["original_index"], table["bootstrap_number"] = np.tile(np.arange(n), m), np.repeat(np.arange(m), n)
    yield from _variances(table, case["X"])


def dynamicviz_bootstrap(case):
    """The same scores as DynamicViz is meant: of bootstrap samples of the data, embedded by scikit-learn or umap."""
    from dynamicviz import boot

    method = {"t-SNE": "tsne", "UMAP": "umap"}[case["embedder"]]
    start = time.process_time()
    table = boot.generate(case["X"], method, B=len(case["runs"]), random_seed=SEED, init="random")
    runs = time.process_time() - start
    for row in _variances(table, case["X"]):
        yield {**row, "seconds_runs": runs}


def _variances(table, X):
    from dynamicviz import score

    for name, options in (("nearest", {"method": "local", "X_orig": X}), ("all", {"method": "global"})):
        yield {"variant": name, "score": score.variance(table, **options)}


def ghostumap(case):
    """(r, d)-stability of GhostUMAP2 with its defaults, from its spectral start and from a random one."""
    from ghostumap import GhostUMAP2

    for init in ("spectral", "random"):
        model = GhostUMAP2(init=init, random_state=SEED)
        # Without dropping, each point has a distance.
        model.fit_transform(case["X"], dropping=False)
        yield {"variant": init, "score": model.get_distances(), "stable": ~model.get_unstable_ghosts()}


def scstability(case):
    """
    Mean Kendall tau between the coordinates of two runs after Procrustes alignment: a stand-in for compareEmb.

    By the description of scStability 1.0.3 on CRAN, whose code is R. Its own scale has no limit.
    """
    from scipy.spatial import procrustes
    from scipy.stats import kendalltau

    runs = case["runs"]
    pairs = [procrustes(runs[a], runs[b])[:2] for a in range(len(runs)) for b in range(a)]
    yield {"value": np.mean([kendalltau(a.ravel(), b.ravel())[0] for a, b in pairs])}


def pydrmetrics(case):
    """Fidelity of the first run: mean trustworthiness of pyDRMetrics."""
    from pyDRMetrics.pyDRMetrics import DRMetrics

    yield {"value": DRMetrics(case["X"], case["runs"][0]).AUC_T}


def distortions(case):
    """Broken links of the first run: share of the 15 nearest in the data that it flags as outliers in the picture."""
    from anndata import AnnData
    from distortions.geometry.neighborhoods import identify_broken_box, neighborhood_distances, neighborhoods
    from sklearn.neighbors import kneighbors_graph

    table = AnnData(case["X"], obsm={"X_run": case["runs"][0].astype(float)})
    table.obsp["distances"] = kneighbors_graph(case["X"], 15, mode="distance")
    score, stable = np.zeros(len(case["X"])), np.ones(len(case["X"]), dtype=bool)
    # Without any outlier, 0.0.5 fails by this error.
    with contextlib.suppress(KeyError):
        broken = identify_broken_box(neighborhood_distances(table, embed_key="X_run"))
        score = broken.groupby("center").brokenness.mean().sort_index().to_numpy(dtype=float)
        stable[list(neighborhoods(table, embed_key="X_run"))] = False
    yield {"score": score, "stable": stable}


def embedr(case):
    """P-values of EMBEDR from five embeddings of the data and five of its null; stable is below 0.05."""
    from EMBEDR import EMBEDR

    model = EMBEDR(
        DRA={"t-SNE": "tsne", "UMAP": "umap"}[case["embedder"]],
        n_data_embed=5,
        n_null_embed=5,
        do_cache=False,
        verbose=0,
    )
    model.fit(case["X"].astype(float))
    yield {"score": model.pValues, "stable": model.pValues < 0.05}


def scdeed(case):
    """
    Reliability of scDEED, by its paper, of the first run and one of permuted columns: a stand-in, its code is R.

    Correlation of the distances in the picture to the nearest half in the data with those to the nearest half in the
    picture. Trustworthy is above the 95 % quantile of the permuted data, which is called stable here.
    """
    from sklearn.metrics import pairwise_distances

    def reliability(X, Y):
        half = len(X) // 2
        original, shown = pairwise_distances(X), pairwise_distances(Y)
        by_data = np.take_along_axis(shown, np.argsort(original, axis=1), axis=1)[:, 1 : half + 1]
        return np.array(
            [np.corrcoef(a, b)[0, 1] for a, b in zip(by_data, np.sort(shown)[:, 1 : half + 1], strict=True)]
        )

    rng = np.random.default_rng(SEED)
    permuted = rng.permuted(case["X"], axis=0)
    start = time.process_time()
    if case["embedder"] == "UMAP":
        from umap import UMAP

        null = UMAP(init="random", random_state=SEED, n_jobs=1).fit_transform(permuted)
    else:
        from sklearn.manifold import TSNE

        null = TSNE(init="random", random_state=SEED).fit_transform(permuted)
    runs = time.process_time() - start
    found = reliability(case["X"], case["runs"][0])
    yield {"score": -found, "stable": found > np.quantile(reliability(permuted, null), 0.95), "seconds_runs": runs}


TOOLS = {
    tool.__name__: tool
    for tool in (
        check, dynamicviz, dynamicviz_bootstrap, ghostumap, embedr, scdeed, distortions, scstability, pydrmetrics
    )
}  # fmt: skip


def measure(tool, cases):
    """Results for each case, with processor seconds and the peak memory (GB) so far; an earlier call may compile."""
    first = {**cases[0], "runs": cases[0]["runs"][:3]}
    for _ in tool(first):
        pass
    for case in cases:
        rows, start = [], time.process_time()
        for row in tool(case):
            row["seconds"] = time.process_time() - start - row.get("seconds_runs", 0.0) * (not rows)
            row["memory"] = peak_memory()
            rows.append(
                {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in row.items()}
            )
            start = time.process_time()
        yield rows


def load(path):
    """A stored case."""
    with np.load(path) as stored:
        case = {name: stored[name] for name in stored.files}
    return {**case, "embedder": str(case["embedder"])}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.random.seed(SEED)  # noqa: NPY002 - some tools draw from it
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            results = list(measure(TOOLS[sys.argv[1]], [load(path) for path in sys.argv[2:]]))
        except ImportError as error:
            results = str(error)
    print(json.dumps(results))

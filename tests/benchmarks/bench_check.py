"""
Instability of points with a planted truth: ours and the variance score of DynamicViz, on the same runs.

    .venv/bin/python tests/benchmarks/bench_check.py                ten fresh draws; five minutes
    .venv/bin/python tests/benchmarks/bench_check.py --calibrate    all scores on the calibration draws; five minutes

One line per comparison. DynamicViz (Sun, Ma and Zou 2022) is not a dependency: its release asks for packages of 2022.
`pip install --no-deps dynamicviz` is enough for its scores; without it only our own lines are printed.
"""

import argparse
import contextlib
import io
import time

import numpy as np
import pandas as pd
from consensus_embedding import ExactTSNE, check_embedding
from planted_places import CALIBRATION, JUDGING, KINDS, N_NEIGHBORS, N_RUNS, SCORES, Runs, draw
from scipy.stats import t as student
from sklearn.metrics import roc_auc_score

try:
    from dynamicviz import score as dynamicviz
except ImportError:
    dynamicviz = None
N_JOBS = 2


def areas(kind, score):
    """Area under the ROC curve of all planted points, and of each kind, against the members of clusters."""
    member = kind == "member"
    groups = {"all": np.ones(len(kind), dtype=bool), **{name: member | (kind == name) for name in KINDS}}
    return {name: roc_auc_score(~member[use], score[use]) for name, use in groups.items()}


def mean_with_interval(values):
    """Mean over draws with its 95 % t interval, in words."""
    values = np.asarray(values)
    reach = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.4f} ({values.mean() - reach:.4f} to {min(1.0, values.mean() + reach):.4f})"


def their_scores(embeddings, X):
    """Variance scores of DynamicViz over all points and over the nearest in the data, with seconds of the processor."""
    m, n, _ = embeddings.shape
    table = pd.DataFrame(embeddings.reshape(-1, 2).astype(float), columns=["x1", "x2"])
    table["original_index"], table["bootstrap_number"] = np.tile(np.arange(n), m), np.repeat(np.arange(m), n)
    for name, options in (("all points", {"method": "global"}), ("nearest 20", {"method": "local", "X_orig": X})):
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            score = dynamicviz.variance(table, **options)
        yield f"DynamicViz, {name}", score, time.process_time() - start


def bench_check(seeds=JUDGING):
    """Ten fresh draws. Seconds of the processor; ours are of the complete check with consensus and picture."""
    rows = []
    for seed in seeds:
        places = draw(seed)
        runs = ExactTSNE().fit_transform_runs(places.X, range(N_RUNS), n_jobs=N_JOBS)
        if not rows:
            check_embedding(embeddings=runs[:3], n_neighbors=N_NEIGHBORS)
        start = time.process_time()
        check = check_embedding(embeddings=runs, n_neighbors=N_NEIGHBORS, random_state=0)
        took = time.process_time() - start
        results = [("check_embedding", check.points.instability.to_numpy(), took)]
        results += [("check_embedding, turnover of neighbours alone", check.points.neighbor_turnover.to_numpy(), took)]
        if dynamicviz is not None:
            results += their_scores(runs, places.X)
        category = check.points.category.to_numpy()
        member = places.kind == "member"
        for name, score, seconds in results:
            rows.append({"score": name, "seconds": seconds, "n": len(places.X), **areas(places.kind, score)})
        rows[-len(results)] |= {
            "planted unstable": np.mean(category[~member] == "unstable"),
            "members stable": np.mean(category[member] == "stable"),
            "members unstable": np.mean(category[member] == "unstable"),
        }
    table = pd.DataFrame(rows)
    ours = table[table.score == "check_embedding"].reset_index()
    print(
        f"Categories, {len(ours)} draws: {ours['planted unstable'].mean():.1%} of the planted points are unstable; "
        f"of the members {ours['members stable'].mean():.1%} are stable, "
        f"{ours['members unstable'].mean():.1%} unstable",
        flush=True,
    )
    for name, found in table.groupby("score", sort=False):
        found = found.reset_index()
        kinds = ", ".join(f"{kind} {found[kind].mean():.4f}" for kind in KINDS)
        line = f"Instability, {name}: mean AUROC over {len(found)} draws {mean_with_interval(found['all'])}; {kinds}"
        if name.startswith("DynamicViz"):
            ratio = np.median(found.seconds / ours.seconds)
            line += (
                f"; {found.seconds.median():.3g} s against {ours.seconds.median():.3g} s for the complete check "
                f"of {ours.n.min()} to {ours.n.max()} points and {N_RUNS} runs, {ratio:.0f} times slower; difference "
                f"of the areas (ours - theirs) {mean_with_interval(ours['all'] - found['all'])}"
            )
        print(line, flush=True)
    if dynamicviz is None:
        print("DynamicViz is not installed: no comparison (pip install --no-deps dynamicviz)", flush=True)


def calibrate():
    """Mean areas of all candidate scores over the calibration draws, lowest first."""
    rows = []
    for seed in CALIBRATION:
        places = draw(seed)
        runs = Runs(ExactTSNE().fit_transform_runs(places.X, range(N_RUNS), n_jobs=N_JOBS))
        rows += [{"score": name, **areas(places.kind, score(runs))} for name, score in SCORES.items()]
    print(pd.DataFrame(rows).groupby("score").mean().sort_values("all").round(4).to_string(), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calibrate", action="store_true", help="the candidate scores on the calibration draws")
    calibrate() if parser.parse_args().calibrate else bench_check()

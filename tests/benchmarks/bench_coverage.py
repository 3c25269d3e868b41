"""
Coverage of the intervals of `check_embedding`, and errors of its categories, on t-SNE runs of real data.

    .venv/bin/python tests/benchmarks/bench_coverage.py    prints the table of docs/check_validation.md; half an hour

The truth of a data set is the value of 1000 runs. The check is done with 10 and with 20 of 1000 other runs, 200 times
each. Runs of t-SNE with its defaults and the arithmetic of this processor.
"""

import warnings

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.point_stability import (
    label_group_table,
    label_pair_table,
    point_table,
    run_distances,
)
from consensus_embedding.manifold.tsne import default_tsne
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from statsmodels.datasets import anes96

N_TRUTH, N_OTHER, N_CHECKS, SIZES = 1000, 1000, 200, (10, 20)


def voters():
    """944 voters: nine answers and the vote."""
    table = anes96.load_pandas().data
    return table.drop(columns=["vote", "logpopul"]).to_numpy(), table.vote.to_numpy()


def data_sets():
    """Name -> features and labels; the number of unseen runs was chosen on the first four."""
    digits = load_digits()
    yield "digits (300)", digits.data[:300], digits.target[:300]
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        yield name, StandardScaler().fit_transform(X), y
    yield "digits (300 others)", digits.data[300:600], digits.target[300:600]
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", StandardScaler().fit_transform(X), y > np.median(y)
    X, y = voters()
    yield "voters", StandardScaler().fit_transform(X), y


def tables(runs, labels):
    """Points, pairs of labels and labels of some runs."""
    names, codes = np.unique(labels, return_inverse=True)
    distances = run_distances(runs, codes, 15, n_jobs=2)
    points = point_table(distances, np.zeros((len(labels), 2)), None)
    groups = label_group_table(distances, names, codes, points.category.to_numpy())
    pairs = label_pair_table(distances, names, codes, np.zeros(len(names), dtype=bool))
    return points, pairs, groups


def covered(truth, found, column):
    """Share of the intervals that have the true value, up to rounding."""
    true = truth[column].to_numpy()
    low, high = (found[f"{column}_{end}"].to_numpy() for end in ("low", "high"))
    return np.mean((low - 1e-9 <= true) & (true <= high + 1e-9))


def coverage(name, X, labels):
    """Rows of the table, for 10 and 20 runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = default_tsne(len(X)).fit_transform_runs(X, range(N_TRUTH + N_OTHER), n_jobs=2)
    truth = tables(runs[:N_TRUTH], labels)
    value, others = truth[0].instability.to_numpy(), runs[N_TRUTH:]
    rng = np.random.default_rng(0)
    for m in SIZES:
        checks = [tables(others[rng.choice(N_OTHER, m, replace=False)], labels) for _ in range(N_CHECKS)]
        category = np.array([points.category for points, _, _ in checks])
        errors = {}
        for word, wrong in (("stable", value > 0.05), ("unstable", value < 0.1)):
            calls = category == word
            errors[word] = (calls & wrong).sum(), calls.sum()
        yield {
            "data": name,
            "runs": m,
            "points": np.mean([covered(truth[0], points, "instability") for points, _, _ in checks]),
            "pairs": np.mean([covered(truth[1], pairs, "instability") for _, pairs, _ in checks]),
            "groups": np.mean([covered(truth[2], groups, "same_label") for _, _, groups in checks]),
            "silhouettes": np.mean([covered(truth[2], groups, "silhouette") for _, _, groups in checks]),
            **{f"{word} calls": n for word, (_, n) in errors.items()},
            **{f"{word} wrong": wrong / max(n, 1) for word, (wrong, n) in errors.items()},
        }


def main():
    rows = []
    for data in data_sets():
        rows += list(coverage(*data))
        print(pd.DataFrame(rows[-len(SIZES) :]).round(4).to_string(index=False), flush=True)
    table = pd.DataFrame(rows)
    shares = [column for column in table if column not in ("data", "runs") and "calls" not in column]
    table[shares] = table[shares].map("{:.1%}".format)
    print(table.to_markdown(index=False))


if __name__ == "__main__":
    main()

"""Tables of the image experiments, derived from their tidy metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.papers.viswanath2012.method_names import DETECTORS, METHODS, PAPER_METHODS, READINGS, method_of_reading
from replication.platform.methods import MARK, with_added
from replication.shared.statistics import holm, paired_comparison
from replication.shared.tables import mean_sd_table, rounded

COMBINATION = ["noise", "inhomogeneity"]
MARGIN = 0.02
_SIGNIFICANT = 0.05
_P_VALUES = ["p (first larger)", "p (Holm)", "equivalent (TOST p)"]
BASELINES = ["features", "mds", "graph_embedding"]


def first_rows(metrics: pd.DataFrame, metric: str, *columns: str) -> pd.DataFrame:
    """Rows of one metric on the first data set, and under the first value of some columns, if they are there."""
    rows = metrics[(metrics["metric"] == metric) & (metrics["dataset"] == metrics["dataset"].iloc[0])]
    for column in columns:
        if column in rows:
            rows = rows[rows[column] == rows[column].iloc[0]]
    return rows


def main_scores(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on the first data set, first draw, and the first kind of objects."""
    return first_rows(metrics, "accuracy", "draw", "objects")


def accuracy_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """
    Layout of the paper's Table 3: mean ± SD over slices per combination and method, the best of the paper's named.

    Added methods have columns of their own.
    """
    rows = main_scores(metrics)
    names = with_added(PAPER_METHODS, rows["method"])
    table = []
    for combination, group in rows.groupby(COMBINATION):
        scores = {m: group[group["method"] == m]["value"] for m in names}
        best = max(PAPER_METHODS, key=lambda m: scores[m].mean())
        row = dict(zip(("noise (%)", "non-uniformity (%)"), combination, strict=True))
        row |= {name: f"{scores[m].mean():.3f} ± {scores[m].std():.3f}" for m, name in names.items()}
        table.append(row | {"highest": PAPER_METHODS[best], "source": group["source"].iloc[0]})
    return pd.DataFrame(table)


def paired_tests(
    metrics: pd.DataFrame, pairs: list[tuple[str, str]], by: list[str], unit: list[str], names: dict[str, str]
) -> pd.DataFrame:
    """Paired t-tests under each condition, with effect size, interval, Holm's correction and equivalence."""
    tables = []
    for first, second in pairs:
        rows = []
        for condition, group in metrics.groupby(by):
            wide = group.pivot_table(index=unit, columns="method", values="value")
            if first not in wide or second not in wide or len(wide) < 2:
                continue
            a, b = wide[first].to_numpy(), wide[second].to_numpy()
            test = paired_comparison(a, b, alternative="greater", margin=MARGIN)
            row = {"first": names[first], "second": names[second], **dict(zip(by, condition, strict=True))}
            row |= {"difference": test.mean_difference, "CI low": test.ci_low, "CI high": test.ci_high}
            row |= {"t": test.t, "p (first larger)": test.p_value, "effect size d_z": test.effect_size}
            rows.append(row | {"equivalent (TOST p)": test.tost_p, "n": test.n})
        table = pd.DataFrame(rows)
        if len(table):
            table.insert(len(table.columns) - 3, "p (Holm)", holm(table["p (first larger)"].to_numpy()))
            tables.append(table)
    if not tables:
        return pd.DataFrame()
    table = pd.concat(tables, ignore_index=True)
    return table.round(6).assign(**table[_P_VALUES].map(rounded))


def grid_tests(metrics: pd.DataFrame) -> pd.DataFrame:
    """
    The paper's paired t-tests over slices: consensus against each method, GE against F and MDS, F against MDS.

    Added methods are compared with each of the paper's.
    """
    rows = main_scores(metrics)
    names = with_added(METHODS, rows["method"])
    pairs = [("consensus", other) for other in BASELINES]
    pairs += [("graph_embedding", "features"), ("graph_embedding", "mds"), ("features", "mds")]
    pairs += [("consensus_strict", other) for other in (*BASELINES, "best_single")]
    pairs += [(added, other) for added in names if added.startswith(MARK) for other in PAPER_METHODS]
    return paired_tests(rows, pairs, COMBINATION, ["slice"], names)


def readings_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Per number of grey levels and reading of theta: mean accuracies, and in how many combinations who is ahead."""
    table = []
    for levels, rows in metrics.groupby("levels"):
        wide = rows[rows["metric"] == "accuracy"].pivot_table(
            index=[*COMBINATION, "slice"], columns="method", values="value"
        )
        kept = rows[rows["metric"] == "n_selected"].groupby("method")["value"].mean()
        per = wide.groupby(level=COMBINATION).mean()
        ge_first = (per["graph_embedding"] > per[["features", "mds"]].max(axis=1)).sum()
        for reading, name in READINGS.items():
            method = method_of_reading(reading)
            if method not in per:
                continue
            significant = [
                all(
                    paired_comparison(group[method].to_numpy(), group[other].to_numpy(), alternative="greater").p_value
                    < _SIGNIFICANT
                    for other in BASELINES
                )
                for _, group in wide.groupby(level=COMBINATION)
                if len(group) > 1
            ]
            table.append(
                {
                    "grey levels": int(levels),
                    "theta": name,
                    "embeddings used": round(kept[method], 1),
                    **{PAPER_METHODS[baseline]: round(per[baseline].mean(), 4) for baseline in BASELINES},
                    PAPER_METHODS["consensus"]: round(per[method].mean(), 4),
                    "combinations": len(per),
                    "highest": int((per[method] > per[BASELINES].max(axis=1)).sum()),
                    "significantly": int(sum(significant)),
                    "above GE": int((per[method] > per["graph_embedding"]).sum()),
                    "GE above F, MDS": int(ge_first),
                }
            )
    return pd.DataFrame(table)


def controls_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of every method over all combinations and slices of the first draw, per kind of objects."""
    rows = first_rows(metrics, "accuracy", "draw")
    selected = first_rows(metrics, "n_selected", "draw").groupby(["objects", "method"])["value"].mean()
    names = with_added(METHODS, rows["method"])
    table = []
    for kind in rows["objects"].unique():
        here = rows[rows["objects"] == kind]
        per = here.groupby([*COMBINATION, "method"])["value"].mean().unstack("method")
        baselines = per[BASELINES].max(axis=1)
        for method in [m for m in names if m in per]:
            values = here[here["method"] == method]["value"]
            table.append(
                {
                    "objects": kind.replace("_", " "),
                    "method": names[method],
                    "mean accuracy": round(values.mean(), 4),
                    "SD": round(values.std(), 4),
                    "above F, MDS and GE": f"{int((per[method] > baselines).sum())} of {len(per)}",
                    "embeddings used": round(selected.get((kind, method), np.nan), 1),
                }
            )
    return pd.DataFrame(table)


def units_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """
    Mean accuracy per unit (subject and draw of the noise), then the mean over units and the difference from GE.

    Images and noise of the units are independent; the feature subsets are not, since subjects share those of a draw.
    """
    rows = metrics[(metrics["metric"] == "accuracy") & (metrics["objects"] == metrics["objects"].iloc[0])]
    names = with_added(METHODS, rows["method"])
    rows = rows[rows["method"].isin(names)]
    wide = rows.pivot_table(index=["dataset", "source", "draw"], columns="method", values="value", sort=False)
    wide = wide[[m for m in names if m in wide and wide[m].notna().all()]].rename(columns=names)
    table = wide.round(4).reset_index()
    if len(wide) > 1:
        table = table.astype(object)
        table.loc[len(table)] = ["mean of all units", "", "", *wide.mean().round(4)]
        differences = wide.sub(wide[METHODS["graph_embedding"]], axis=0)
        cells = []
        for name in wide:
            if name == METHODS["graph_embedding"]:
                cells.append("")
                continue
            test = paired_comparison(differences[name].to_numpy(), np.zeros(len(differences)))
            cells.append(f"{test.mean_difference:+.3f} ({test.ci_low:+.3f} to {test.ci_high:+.3f})")
        table.loc[len(table)] = ["difference from GE (95 % interval over units)", "", "", *cells]
    return table


def estimators_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Layout of the paper's Table 4, with the difference of the estimators and its tests per combination."""
    rows = main_scores(metrics)
    table = []
    for theta in sorted(rows["theta"].unique()):
        here = rows[rows["theta"] == theta]
        tests = paired_tests(here, [("median", "mean")], COMBINATION, ["slice"], {"median": "median", "mean": "mean"})
        means = here.groupby([*COMBINATION, "method"])["value"].agg(["mean", "std"])
        for test in tests.to_dict("records"):
            at = (test["noise"], test["inhomogeneity"])
            row = {"theta": theta, "noise (%)": at[0], "non-uniformity (%)": at[1]}
            for name in ("median", "mean"):
                row[name] = "{:.4f} ± {:.4f}".format(*means.loc[(*at, name)])
            row |= {key: test[key] for key in ("difference", "CI low", "CI high", "p (first larger)")}
            table.append(row | {"equivalent (TOST p)": test["equivalent (TOST p)"]})
    return pd.DataFrame(table)


def of_images(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of images in a table that may have gene expression too."""
    return metrics[metrics["kind"] == "images"] if "kind" in metrics else metrics


def sensitivity_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy and number of embeddings kept per threshold; accuracy per number K; of images only."""
    metrics = of_images(metrics)
    rows = []
    for column, method in (("theta", "consensus"), ("n_selected", "consensus_of_k")):
        here = metrics[(metrics["method"] == method) & metrics[column].notna()]
        for value, group in here.groupby(column):
            accuracy = group[group["metric"] == "accuracy"]
            kept = group[group["metric"] == "n_selected"]["value"]
            means = accuracy.groupby("repetition")["value"].mean()
            rows.append(
                {
                    "varied": {"theta": "theta / max", "n_selected": "K"}[column],
                    "value": value,
                    "mean accuracy": round(means.mean(), 4),
                    "SD over repetitions": round(means.std(), 4),
                    "embeddings kept": round(kept.mean(), 1) if len(kept) else value,
                    "fewest kept": kept.min() if len(kept) else value,
                }
            )
    alone = metrics[metrics["method"] == "graph_embedding"]["value"]
    if len(alone):
        rows.append({"varied": "GE of all features", "value": "", "mean accuracy": round(alone.mean(), 4)})
    return pd.DataFrame(rows)


def dimension_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Dimension per space, of images by noise and non-uniformity, of genes by data set."""
    return mean_sd_table(metrics, ["dataset", "source", "space", *COMBINATION])


def real_images_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the real slices and of their re-simulation."""
    rows = metrics[metrics["method"] == "simulator"]
    table = rows.pivot_table(index=["slice", "tissue"], columns="metric", values="value", sort=False)
    return table.reset_index().round(4)


def real_accuracy_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method on the real slices and on their re-simulation."""
    rows = metrics[metrics["metric"] == "accuracy"]
    wide = rows.pivot_table(index="method", columns="source", values="value", sort=False)
    wide = wide.loc[[m for m in METHODS if m in wide.index]].rename(index=METHODS)
    return wide.round(4).reset_index()


def runtime_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Seconds per step, the paper's and ours."""
    paper = {("create", False): 121.33, ("select", False): 12.22, ("combine", False): 35.75, ("total", True): 119.0}
    names = {
        "texture": "texture features",
        "subsampling": "mean shift",
        "create": "CreateEmbed",
        "select": "SelEmbed",
        "combine": "CalcConsEmbed",
        "total": "ConsEmbedMS, texture included",
    }
    rows = []
    seconds = metrics[metrics["metric"] == "seconds"]
    for (n_pixels, n_objects, step), group in seconds.groupby(["n_pixels", "n_objects", "method"], sort=False):
        rows.append(
            {
                "step": names[step],
                "pixels": int(n_pixels),
                "objects": int(n_objects),
                "seconds": round(group["value"].mean(), 3),
                "paper (8 cores of 2007)": paper.get((step, n_objects != n_pixels), np.nan),
            }
        )
    return pd.DataFrame(rows)


def detection_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Scores, and the number of embeddings that are combined, per contrast, scheme and method."""
    scores = ["accuracy", "sensitivity", "specificity", "balanced_accuracy"]
    rows = metrics[metrics["metric"].isin(scores)]
    grouped = rows.groupby(["contrast", "scheme", "method", "metric"])["value"].agg(["mean", "std"])
    numbers = metrics[metrics["metric"] == "n_selected"].groupby(["contrast", "scheme", "method"])["value"]
    selected = numbers.mean().map("{:.1f}".format).to_dict()
    table = []
    for (contrast, scheme), _ in rows.groupby(["contrast", "scheme"]):
        for method, name in DETECTORS.items():
            row = {"contrast": contrast, "left out": scheme, "method": name}
            for score in scores:
                mean, std = grouped.loc[(contrast, scheme, method, score)]
                row[score.replace("_", " ")] = f"{mean:.3f} ± {std:.3f}"
            row["embeddings"] = selected.get((contrast, scheme, method), "")
            table.append(row)
    return pd.DataFrame(table)


def detection_tests(metrics: pd.DataFrame) -> pd.DataFrame:
    """Paired t-tests over pairs of glands, or the slices of one: the consensus against GE, by contrast and scheme."""
    rows = metrics[metrics["metric"].isin(["accuracy", "specificity", "sensitivity"])]
    rows = rows.rename(columns={"scheme": "left out"})
    pairs = [("consensus", "graph_embedding"), ("consensus_strict", "graph_embedding"), ("consensus", "nothing")]
    by = ["metric", "contrast", "left out"]
    tables = [
        paired_tests(group, pairs, by, ["pair"] if group["pair"].nunique() > 1 else ["gland", "slice"], DETECTORS)
        for _, group in rows.groupby(["metric", "contrast"])
    ]
    return pd.concat(tables, ignore_index=True)

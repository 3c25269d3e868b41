"""Tables of the experiments on median consensus embeddings, derived from their tidy metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.papers.tomo2025.margins import CONSENSUS_MARGIN, MARGINS
from replication.platform.methods import MARK
from replication.shared.tables import difference_words, mean_sd_table


def convergence_table(metrics: pd.DataFrame, claims: Sequence[Mapping]) -> pd.DataFrame:
    """Both distances of Tomo and Yoneoka 2025, Section 5.3, with the paper's if the data are: these have its unit."""
    paper = {
        (metric, claim["test"]["at"]): value
        for claim in claims
        if claim["experiment"] == "mce_convergence" and claim["kind"] == "value/redraws"
        for metric, value in claim["test"]["paper"].items()
    }
    comparable = metrics["dataset"].iloc[0] == "digits"
    rows = []
    for metric in ("distance_to_reference", "pairwise_distance"):
        chosen = metrics[metrics["metric"] == metric]
        redrawn = metrics[metrics["metric"] == f"mean_{metric}_redrawn"]
        for m in sorted(chosen["n_embeddings"].unique()):
            here = chosen[chosen["n_embeddings"] == m]
            values = here[here["space"] == "consensus"]["value"]
            band = redrawn[redrawn["n_embeddings"] == m]["value"].quantile([0.05, 0.95])
            rows.append(
                {
                    "distance": metric.replace("_", " "),
                    "m": m,
                    "mean": values.mean(),
                    "SD": values.std(),
                    "band 5 %": band.iloc[0],
                    "band 95 %": band.iloc[1],
                    "paper": paper.get((metric, m), float("nan")) if comparable else float("nan"),
                    "mean on the picture": here[here["space"] == "picture"]["value"].mean(),
                }
            )
    return pd.DataFrame(rows).round(1)


def equivalence_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Loss, size and consensus distance of each implementation, mean and standard deviation over runs."""
    shown = metrics[~metrics["metric"].str.contains("_difference")]
    return mean_sd_table(shown, ["method", "n_embeddings"])


def difference_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """How far implementations differ, with the margins within which they count as equivalent."""
    rows = []
    for name, chosen in metrics[metrics["method"].str.contains(" vs ")].groupby("method", sort=False):
        values = chosen.set_index("metric")["value"]
        for metric, margin in MARGINS.items():
            parts = [values[f"{metric}_difference{part}"] for part in ("", "_low", "_high", "_p_value")]
            rows.append([name, metric.replace("_", " "), *(100 * part for part in parts[:3]), 100 * margin, parts[3]])
        if "consensus_distance_of_halves" in values:
            share = values["consensus_distance"] / values["consensus_distance_of_halves"]
            rows.append([name, "consensus", 100 * share, np.nan, np.nan, 100 * CONSENSUS_MARGIN, np.nan])
    columns = ["comparison", "quantity", "difference (%)", "low", "high", "margin (%)", "equivalence p value"]
    return pd.DataFrame(rows, columns=columns).round(dict.fromkeys(columns[2:6], 3))


def comparison_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """
    Scores of every way to combine the same runs, mean and standard deviation over repetitions.

    An added method also has its paired differences from the geometric median, with 95 % intervals over the repetitions.
    """
    table = mean_sd_table(metrics, ["method", "space"])
    added = table["method"].str.startswith(MARK)
    for metric in ("distance_to_reference", "neighborhood_preservation", "silhouette") if added.any() else ():
        column = f"{metric.replace('_', ' ')} minus geometric median"
        rows = metrics[metrics["metric"] == metric]
        wide = {
            space: here.pivot(index="repetition", columns="method", values="value")
            for space, here in rows.groupby("space")
        }
        table[column] = [
            difference_words(wide[space], method, "geometric_median") if is_added and space in wide else ""
            for method, space, is_added in zip(table["method"], table["space"], added, strict=True)
        ]
    return table


def extensions_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Scores over other sources of instability, mean and standard deviation over repetitions."""
    return mean_sd_table(metrics, ["kind", "method", "n_embeddings"])


def tail_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Deviation levels of mce_tail: epsilon, slope of the exponential law, and the mean AIC of both over sub-pools."""
    names = ["epsilon", "exponential_slope_pooled", "exponential_aic", "power_aic"]
    chosen = metrics[metrics["metric"].isin(names)]
    table = chosen.pivot_table(index="level", columns="metric", values="value", sort=False)[names]
    return table.reset_index().round(3)


def cost_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Seconds of mce_cost at the largest m and n, and how they grow."""
    seconds = metrics.groupby(["method", "n_embeddings", "n_samples"], sort=False)["value"].median().reset_index()
    rows = []
    for method, group in seconds.groupby("method", sort=False):
        logs = np.log(group[["n_embeddings", "n_samples", "value"]].astype(float))
        design = np.column_stack([np.ones(len(logs)), logs["n_embeddings"], logs["n_samples"]])
        slopes = np.linalg.lstsq(design, logs["value"], rcond=None)[0][1:]
        slopes[[group["n_embeddings"].nunique() < 2, group["n_samples"].nunique() < 2]] = np.nan
        most = group.sort_values(["n_embeddings", "n_samples"]).iloc[-1]
        rows.append(
            {
                "step": method,
                "m": int(most["n_embeddings"]),
                "n": int(most["n_samples"]),
                "seconds": most["value"],
                "slope on m": slopes[0],
                "slope on n": slopes[1],
            }
        )
    return pd.DataFrame(rows).round(4)

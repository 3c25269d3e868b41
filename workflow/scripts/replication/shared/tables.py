"""Tables a person can read, derived from the tidy metrics."""

from __future__ import annotations

import pandas as pd


def convergence_table(metrics: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """
    Both distances of Tomo and Yoneoka 2025, Section 5.3, beside the paper's.

    Parameters
    ----------
    metrics : DataFrame
        Of the experiment mce_convergence.
    claims : DataFrame
        Of `read_claims`; the paper's values are taken from it.

    Returns
    -------
    DataFrame
        One row per distance and number of runs: mean and standard deviation over the repetitions, 5-95 % band
        over redraws, the paper's value, and the mean on the pictures.
    """
    paper = {
        (metric, claim.test["at"]): value
        for claim in claims.itertuples()
        if claim.experiment == "mce_convergence" and claim.kind == "value"
        for metric, value in claim.test["paper"].items()
    }
    same_data = metrics["dataset"].iloc[0] == "digits"
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
                    "paper": paper.get((metric, m), float("nan")) if same_data else float("nan"),
                    "mean on the picture": here[here["space"] == "picture"]["value"].mean(),
                }
            )
    return pd.DataFrame(rows).round(1)


def tail_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Deviation levels of mce_tail: epsilon, slope of the exponential law, and the AIC of both laws."""
    names = ["epsilon", "exponential_slope_pooled", "exponential_aic", "power_aic"]
    chosen = metrics[metrics["metric"].isin(names)]
    table = chosen.pivot_table(index="level", columns="metric", values="value", sort=False)[names]
    return table.reset_index().round(3)


def mean_sd_table(metrics: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """
    Mean and standard deviation of every metric over repetitions, one row per combination of `by`.

    Parameters
    ----------
    metrics : DataFrame
        Tidy metrics.
    by : list of str
        Columns that tell the rows apart.

    Returns
    -------
    DataFrame
        Columns `by`, then per metric "mean ± SD" (the mean alone where there is one value).
    """
    grouped = metrics.groupby([*by, "metric"], sort=False, dropna=False)["value"].agg(["mean", "std"])
    text = [
        format_number(mean) if pd.isna(std) else f"{format_number(mean)} ± {format_number(std)}"
        for mean, std in grouped.itertuples(index=False)
    ]
    table = pd.Series(text, index=grouped.index).unstack("metric", sort=False, fill_value="")
    table.columns = [str(column).replace("_", " ") for column in table.columns]
    return table.reset_index()


def format_number(value: float) -> str:
    """A number as a table shows it: whole from 1000 on, else three significant digits, nothing for NaN."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def to_markdown(table: pd.DataFrame) -> str:
    """A table in GitHub's Markdown, numbers by `format_number`."""
    cells = [[format_number(v) if isinstance(v, int | float) else str(v) for v in row] for row in table.to_numpy()]
    lines = [list(map(str, table.columns)), ["---"] * len(table.columns), *cells]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"

"""
The claims ledger: from tidy metrics to a verdict on each published claim.

A claim has up to three parts, judged apart:

* direction: is the effect of the stated sign?
* significance: does the sign hold beyond chance (in 95 % of redraws, or by a 95 % interval)?
* magnitude: does the stated size, or form, lie inside the margin of config/claims.tsv?

The verdict follows from the parts: all reproduced -> "reproduced"; none reproduced -> "not reproduced", or
"inconclusive" if all are; some -> "partly". On data other than the paper's a claim about an order or a trend can
only hold, hold partly or not hold "on the substitute", and a claim about a value is "not testable". So is a claim
whose experiment or numbers are missing; the reason is given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from consensus_embedding.comparison_judges import COMPARISON_KINDS
from consensus_embedding.fine_judges import FINE_KINDS
from consensus_embedding.gene_judges import GENE_KINDS
from consensus_embedding.judgements import (
    CONTEXT,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    PARTLY,
    REPRODUCED,
    Judgement,
    NotTestable,
    all_of,
    has_value,
    part_of_share,
    select_rows,
)
from consensus_embedding.retrieval_judges import RETRIEVAL_KINDS
from consensus_embedding.spectra_judges import SPECTRA_KINDS

SUBSTITUTE = {
    REPRODUCED: "holds on the substitute",
    PARTLY: "partly holds on the substitute",
    NOT_REPRODUCED: "does not hold on the substitute",
    INCONCLUSIVE: INCONCLUSIVE,
    CONTEXT: CONTEXT,
}
# The data of a claim that is true, or not, of any data: an identity.
ANY_DATA = "any"
VERDICTS = [REPRODUCED, PARTLY, NOT_REPRODUCED, *list(SUBSTITUTE.values())[:3], INCONCLUSIVE, CONTEXT, NOT_TESTABLE]
COLUMNS = [
    "id",
    "paper",
    "where",
    "experiment",
    "kind",
    "statement",
    "paper_value",
    "margin",
    "dataset",
    "test",
]


def read_claims(path: str | Path) -> pd.DataFrame:
    """
    Read and check the list of claims.

    Parameters
    ----------
    path : path-like
        Tab-separated, columns `COLUMNS`; `test` holds the parameters of the kind of test as JSON.

    Returns
    -------
    DataFrame
        With `test` as dicts.

    Raises
    ------
    ValueError
        If columns are missing, an id stands twice, a kind is unknown, a test is not JSON, or the data sets of a claim
        across data sets are not a list of names.
    """
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    if list(table.columns) != COLUMNS:
        raise ValueError(f"{path}: expected the columns {', '.join(COLUMNS)}, found {', '.join(table.columns)}.")
    repeated = table["id"][table["id"].duplicated()]
    if len(repeated):
        raise ValueError(f"{path}: the id {repeated.iloc[0]} stands twice.")
    for claim in table.itertuples():
        if claim.kind not in KINDS:
            raise ValueError(f"{path}: {claim.id} has the kind {claim.kind!r}; known: {', '.join(KINDS)}.")
    try:
        table["test"] = [json.loads(text) for text in table["test"]]
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: a test is not valid JSON: {error}") from error
    for claim in table.itertuples():
        across = claim.test.get("across", ["any"])
        if not (isinstance(across, list) and across and all(isinstance(name, str) for name in across)):
            raise ValueError(f"{path}: {claim.id} needs a list of data sets as across, found {across!r}.")
    return table


def judge_claims(claims: pd.DataFrame, metrics: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """
    Judge every claim from the metrics alone.

    Parameters
    ----------
    claims : DataFrame
        Of `read_claims`.
    metrics : mapping
        Experiment -> its tidy metrics. Experiments that were not run are left out.

    Returns
    -------
    DataFrame
        One row a claim: what the paper says, what was measured, the parts, the verdict, the source, and for
        claims that could not be judged the reason.
    """
    rows = []
    for claim in claims.itertuples():
        row = {"id": claim.id, "paper": claim.paper, "where": claim.where, "experiment": claim.experiment}
        row |= {"statement": claim.statement, "paper_value": claim.paper_value, "margin": claim.margin}
        row |= {"measured": "", "direction": "", "significance": "", "magnitude": "", "reason": ""}
        try:
            if claim.experiment not in metrics:
                raise NotTestable(f"the experiment {claim.experiment} was not run in this study")
            table = metrics[claim.experiment]
            for column, value in claim.test.get("subset", {}).items():
                table = table[has_value(table[column], value)]
            if table.empty:
                raise NotTestable("this study has no such rows")
            table, dataset, source, of_the_paper = _judged_rows(table, claim.dataset, claim.test.get("across", []))
            row |= {"dataset": dataset, "source": source}
            if claim.kind == "value" and not of_the_paper:
                raise NotTestable(f"the paper's value is for {claim.dataset}, this study ran {dataset}")
            judgement = KINDS[claim.kind](table, claim.test)
            row |= {part: getattr(judgement, part) for part in ("measured", "direction", "significance", "magnitude")}
            row["verdict"] = judgement.verdict if of_the_paper else SUBSTITUTE[judgement.verdict]
        except NotTestable as reason:
            row |= {"verdict": NOT_TESTABLE, "reason": str(reason)}
        rows.append(row)
    order = [*COLUMNS[:4], *COLUMNS[5:8], "dataset", "source", "measured", "direction", "significance"]
    columns = [*order, "magnitude", "verdict", "reason"]
    return pd.DataFrame([{column: row.get(column, "") for column in columns} for row in rows])


def _judged_rows(table: pd.DataFrame, wanted: str, across: list[str]) -> tuple[pd.DataFrame, str, str, bool]:
    """
    Rows that a claim is judged on, what to call their data and source, and whether they are the data of the paper.

    A claim across several data sets is judged on all that are there; it is of the paper's data if these are the ones
    that it names, all from their original source. Any other claim is judged on one data set: the one that it names
    as its only one, if there, else the first. Further data sets of an experiment are shown beside it. An identity is
    judged on all data sets, and any data are as good as the paper's.
    """
    names = table["dataset"].unique()
    if len(across) < 2 and wanted != ANY_DATA:
        one = across[0] if across and across[0] in names else names[0]
        table = table[table["dataset"] == one]
    found, sources = list(table["dataset"].unique()), list(table["source"].unique())
    if across and set(found) == set(across) and sources == ["original"]:
        return table, wanted, "original", True
    dataset, source = (", ".join(map(str, listed)) for listed in (found, sources))
    return table, dataset, source, not across and wanted in (dataset, ANY_DATA)


def summary_line(ledger: pd.DataFrame) -> str:
    """Counts of the verdicts in one line, e.g. "reproduced: 4; partly: 5; not reproduced: 1 (of 10 claims)"."""
    counts = ledger["verdict"].value_counts()
    found = [f"{verdict}: {counts[verdict]}" for verdict in VERDICTS if verdict in counts]
    return f"{'; '.join(found)} (of {len(ledger)} claims)"


def _means(table: pd.DataFrame, metric: str, sizes: list[int]) -> np.ndarray:
    """Mean over the repetitions at each number of runs, judged on the consensus distances."""
    return np.array([select_rows(table, metric, space="consensus", n_embeddings=m)["value"].mean() for m in sizes])


def _redraws(table: pd.DataFrame, metric: str, sizes: list[int]) -> np.ndarray:
    """The same means for each redraw of the repetitions, shape (draws, len(sizes))."""
    name = f"mean_{metric}_redrawn"
    return np.column_stack([select_rows(table, name, n_embeddings=m)["value"].to_numpy() for m in sizes])


def judge_value(table: pd.DataFrame, test: dict) -> Judgement:
    """Value: the paper's numbers lie inside the 5-95 % bands; direction against a neighbouring size."""
    size = test["at"]
    (sign, other), *_ = test["than"].items()
    factor = 1.0 if sign == "lower" else -1.0
    words, inside, ordered, shares = [], [], [], []
    for metric, paper in test["paper"].items():
        here, there = _means(table, metric, [size, other])
        draws = _redraws(table, metric, [size, other])
        low, high = np.quantile(draws[:, 0], [0.05, 0.95])
        words.append(f"{metric.replace('_', ' ')} {here:.0f} (band {low:.0f} to {high:.0f}; paper {paper:.0f})")
        inside.append(low <= paper <= high)
        ordered.append(factor * (there - here) > 0)
        shares.append(np.mean(factor * (draws[:, 1] - draws[:, 0]) > 0))
    return Judgement("; ".join(words), all_of(ordered), part_of_share(min(shares)), all_of(inside))


def judge_trend(table: pd.DataFrame, test: dict) -> Judgement:
    """Trend: every step down, in the repetitions and in the redraws."""
    words, down, shares = [], [], []
    for metric in test["metrics"]:
        means = _means(table, metric, test["sizes"])
        down.append(bool((np.diff(means) < 0).all()))
        shares.append(float((np.diff(_redraws(table, metric, test["sizes"]), axis=1) < 0).all(axis=1).mean()))
        words.append(
            f"{metric.replace('_', ' ')} {' > '.join(f'{mean:.0f}' for mean in means)}, "
            f"every step down in {shares[-1]:.0%} of the redraws"
        )
    return Judgement("; ".join(words), all_of(down), part_of_share(min(shares)))


def judge_share(table: pd.DataFrame, test: dict) -> Judgement:
    """Share of a fall that is reached at the middle of three sizes."""
    words, more, shares = [], [], []
    for metric in test["metrics"]:
        first, middle, last = _means(table, metric, test["sizes"])
        share = (first - middle) / (first - last)
        draws = _redraws(table, metric, test["sizes"])
        redrawn = (draws[:, 0] - draws[:, 1]) / (draws[:, 0] - draws[:, 2])
        low, high = np.quantile(redrawn, [0.05, 0.95])
        words.append(f"{metric.replace('_', ' ')}: {share:.0%} of the fall (band {low:.0%} to {high:.0%})")
        more.append(share >= test["at_least"])
        shares.append(float(np.mean(redrawn >= test["at_least"])))
    return Judgement("; ".join(words), all_of(more), part_of_share(min(shares)))


def judge_decay(table: pd.DataFrame, test: dict) -> Judgement:
    """Exponential decay: slope below zero, by its interval over sub-pools; no worse than a power law (AIC)."""
    level = test["level"]
    slopes = select_rows(table, "exponential_slope", level=level)["value"].to_numpy()
    pooled = select_rows(table, "exponential_slope_pooled", level=level)["value"].iloc[0]
    exponential = select_rows(table, "exponential_aic", level=level)["value"].iloc[0]
    power = select_rows(table, "power_aic", level=level)["value"].iloc[0]
    error = stats.sem(slopes)
    low, high = slopes.mean() + stats.t.ppf([0.025, 0.975], len(slopes) - 1) * error
    words = (
        f"slope of log Pr in m {pooled:.3f} (95 % interval over sub-pools {low:.3f} to {high:.3f}); "
        f"AIC {exponential:.0f} exponential, {power:.0f} power law"
    )
    significance = REPRODUCED if high < 0 else NOT_REPRODUCED if low > 0 else INCONCLUSIVE
    return Judgement(
        words,
        REPRODUCED if pooled < 0 else NOT_REPRODUCED,
        significance,
        REPRODUCED if exponential <= power else NOT_REPRODUCED,
    )


def judge_equivalence(table: pd.DataFrame, test: dict) -> Judgement:
    """Equivalence: every value of a gap is within the margin."""
    gaps = select_rows(table, test["metric"])
    sizes = gaps.groupby("n_embeddings")["value"].mean()
    words = ", ".join(f"{gap:.3f} (m = {size})" for size, gap in sizes.items())
    within = bool((gaps["value"] <= test["at_most"]).all())
    return Judgement(f"relative gap {words}", magnitude=REPRODUCED if within else NOT_REPRODUCED)


KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "value": judge_value,
    "trend": judge_trend,
    "share": judge_share,
    "decay": judge_decay,
    "equivalence": judge_equivalence,
    **COMPARISON_KINDS,
    **GENE_KINDS,
    **SPECTRA_KINDS,
    **RETRIEVAL_KINDS,
    **FINE_KINDS,
}

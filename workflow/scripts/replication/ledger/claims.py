"""
The claims ledger: from tidy metrics to a verdict on each published claim.

A claim has up to three parts, judged apart:

* direction: is the effect of the stated sign?
* significance: does the sign hold beyond chance (in 95 % of redraws, or by a 95 % interval)?
* magnitude: does the stated size, or form, lie inside the margin of config/claims.tsv?

The verdict follows from the parts: all reproduced -> "reproduced"; none reproduced -> "not reproduced", or
"inconclusive" if all are; some -> "partly". On data other than the paper's a claim can only hold, hold partly or not
hold "on the substitute", and one of the kind "value" is "not testable". So is a claim whose experiment or numbers are
missing; the reason is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from replication.papers.ginsburg2016.fine_judges import FINE_KINDS
from replication.papers.sparks2011.retrieval_judges import RETRIEVAL_KINDS
from replication.papers.tiwari2008.spectra_judges import SPECTRA_KINDS
from replication.papers.viswanath2012.gene_judges import GENE_KINDS
from replication.platform.claim_kinds import COLUMNS, read_rows, which_holm_family, which_test
from replication.shared.comparison_judges import COMPARISON_KINDS
from replication.shared.count_judges import COUNT_KINDS
from replication.shared.general_judges import GENERAL_KINDS
from replication.shared.judgements import (
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
    recorded_rows,
    select_rows,
)
from replication.shared.statistics import mean_interval

SUBSTITUTE = {
    REPRODUCED: "holds on the substitute",
    PARTLY: "partly holds on the substitute",
    NOT_REPRODUCED: "does not hold on the substitute",
    INCONCLUSIVE: INCONCLUSIVE,
    CONTEXT: CONTEXT,
}
# The data of a claim that is true, or not, of any data: an identity.
ANY_DATA = "any"
# How the reason of a claim ends whose experiment is not of the study.
NOT_RUN = "was not run in this study"
VERDICTS = [REPRODUCED, PARTLY, NOT_REPRODUCED, *list(SUBSTITUTE.values())[:3], INCONCLUSIVE, CONTEXT, NOT_TESTABLE]


def read_claims(paths: str | Path | Sequence[str | Path], experiments: Iterable[str] | None = None) -> pd.DataFrame:
    """
    Read and check one or several files of claims.

    Parameters
    ----------
    paths : path-like or sequence of them
        Tab-separated, columns `COLUMNS`; `test` holds the parameters of the kind of test as JSON.
    experiments : iterable of str, optional
        Known experiments; without them the names are not checked.

    Returns
    -------
    DataFrame
        One row a claim, in the order of the files, with `test` as dicts.

    Raises
    ------
    ValueError
        If columns are missing, an id stands twice, an experiment or a kind is unknown, a test is not JSON, or lacks a
        parameter or has one that its kind does not take; file, line, claim, expected and found are named.
    """
    return pd.DataFrame(read_rows(paths, experiments), columns=COLUMNS)


def judge_claims(
    claims: pd.DataFrame, metrics: Mapping[str, pd.DataFrame], rows_used: dict[str, pd.Index] | None = None
) -> pd.DataFrame:
    """
    Judge every claim from the metrics alone.

    Parameters
    ----------
    claims : DataFrame
        Of `read_claims`.
    metrics : mapping
        Experiment -> its tidy metrics. Experiments that were not run are left out.
    rows_used : dict, optional
        Filled with claim -> index of the rows of the metrics that its verdict rests on: those that its kind of test
        selects, or, if it selects none by `note_rows`, all that it was given.

    Returns
    -------
    DataFrame
        One row a claim: what the paper says, which test it is and its Holm family, what was measured, the parts, the
        verdict, the source, and for claims that could not be judged the reason.
    """
    rows = []
    for claim in claims.itertuples():
        row = {"id": claim.id, "paper": claim.paper, "where": claim.where, "experiment": claim.experiment}
        row |= {"statement": claim.statement, "paper_value": claim.paper_value, "margin": claim.margin}
        row |= {"test": which_test(claim.kind, claim.test), "holm_family": which_holm_family(claim.kind, claim.test)}
        row |= {"measured": "", "direction": "", "significance": "", "magnitude": "", "reason": ""}
        try:
            if claim.experiment not in metrics:
                raise NotTestable(f"the experiment {claim.experiment} {NOT_RUN}")
            table = metrics[claim.experiment]
            for column, value in claim.test.get("subset", {}).items():
                table = table[has_value(table[column], value)]
            if table.empty:
                raise NotTestable("this study has no such rows")
            table, dataset, source, of_the_paper = _judged_rows(table, claim.dataset, claim.test.get("across", []))
            row |= {"dataset": dataset, "source": source}
            if claim.kind == "value" and not of_the_paper:
                raise NotTestable(f"the paper's value is for {claim.dataset}, this study ran {dataset}")
            with recorded_rows() as selected:
                judgement = KINDS[claim.kind](table, claim.test)
            if rows_used is not None:
                rows_used[claim.id] = pd.Index(sorted(set().union(*selected))) if selected else table.index
            row |= {part: getattr(judgement, part) for part in ("measured", "direction", "significance", "magnitude")}
            row["verdict"] = judgement.verdict if of_the_paper else SUBSTITUTE[judgement.verdict]
        except NotTestable as reason:
            row |= {"verdict": NOT_TESTABLE, "reason": str(reason)}
        except KeyError as missing:
            columns = ", ".join(map(str, metrics[claim.experiment].columns))
            raise ValueError(
                f"Claim {claim.id} cannot be judged: expected names of columns of the metrics of {claim.experiment} "
                f"({columns}) and known names in its test, found {missing}; mend the test in the file of claims."
            ) from missing
        rows.append(row)
    order = [*COLUMNS[:4], *COLUMNS[5:8], "test", "holm_family", "dataset", "source", "measured"]
    columns = [*order, "direction", "significance", "magnitude", "verdict", "reason"]
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
    known = len(slopes) > 1 and np.isfinite(slopes).all()
    low, high = mean_interval(slopes) if known else (np.nan, np.nan)
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
    **COUNT_KINDS,
    **GENERAL_KINDS,
    **GENE_KINDS,
    **SPECTRA_KINDS,
    **RETRIEVAL_KINDS,
    **FINE_KINDS,
}

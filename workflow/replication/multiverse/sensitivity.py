"""What becomes of a claim where the details that its paper leaves open are chosen otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream

from replication.claims.judging import SUBSTITUTE, judge_claims
from replication.shared.judgements import (
    CONTEXT,
    DIRECTION_ONLY,
    IN_PART,
    MIXED,
    NOT_TESTABLE,
    REPRODUCED,
    TRIVIALLY_TRUE,
)
from replication.shared.statistics import holm, wilson_interval

PARTS = ("direction", "significance", "magnitude")
HOLDS = (REPRODUCED, SUBSTITUTE[REPRODUCED], TRIVIALLY_TRUE)
SIGNS = (DIRECTION_ONLY, SUBSTITUTE[DIRECTION_ONLY])
WEIGHTS = {REPRODUCED: 1.0, MIXED: 0.5, IN_PART: 0.5}
# Parameters of a claim that only add words to what was measured.
NOT_JUDGED = ("reported", "reported_metrics", "new_data", "choices")
N_PERMUTATIONS = 1999


def claim_scores(claims: pd.DataFrame, metrics: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Verdicts of one universe as numbers."""
    testable = claims[claims["experiment"].isin(list(metrics))]
    testable = testable[
        [_has_its_data(test, metrics[name]) for test, name in testable[["test", "experiment"]].to_numpy()]
    ].copy()
    testable["test"] = [
        {key: value for key, value in test.items() if key not in NOT_JUDGED} for test in testable["test"]
    ]
    rows = []
    for row in judge_claims(testable, metrics).itertuples():
        if row.verdict in (CONTEXT, NOT_TESTABLE):
            continue
        parts = [WEIGHTS.get(part, 0.0) for name in PARTS if (part := getattr(row, name))]
        signs = row.verdict in SIGNS and not (row.significance or row.magnitude)
        values = {"holds": float(row.verdict in HOLDS or signs), "score": float(np.mean(parts))}
        if row.direction:
            values["direction"] = WEIGHTS.get(row.direction, 0.0)
        given = {"claim": row.id, "dataset": row.dataset, "source": row.source}
        rows += [{**given, "metric": metric, "value": value} for metric, value in values.items()]
    return pd.DataFrame(rows, columns=["claim", "dataset", "source", "metric", "value"])


def _has_its_data(test: Mapping, metrics: pd.DataFrame) -> bool:
    """Whether a claim that names data sets finds one of them, where there are data of the paper at all."""
    across = test.get("across", [])
    return not across or "original" not in set(metrics["source"]) or not set(across).isdisjoint(metrics["dataset"])


def variance_share(values: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Share of the variance that goes with a grouping: omega squared (one-way), and a permutation p-value."""
    values = np.asarray(values, dtype=float)
    _, number = np.unique(groups, return_inverse=True)
    n, k = len(values), number.max() + 1
    total = float(np.square(values - values.mean()).sum())
    if total < 1e-12 or k < 2 or n <= k:
        return 0.0, 1.0
    members = np.equal.outer(number, np.arange(k)).astype(float)
    centred = values - values.mean()

    def between(rows: np.ndarray) -> np.ndarray:
        return (np.square(rows @ members) / members.sum(axis=0)).sum(axis=-1)

    sum_between = float(between(centred))
    within = max(total - sum_between, 0.0) / (n - k)
    permuted = between(rng.permuted(np.tile(centred, (N_PERMUTATIONS, 1)), axis=1))
    p_value = (1 + int((permuted >= sum_between - 1e-9 * total).sum())) / (N_PERMUTATIONS + 1)
    return max(0.0, (sum_between - (k - 1) * within) / (total + within)), p_value


def levels_of(metrics: pd.DataFrame, family: str) -> pd.DataFrame:
    """Levels of the universes of a family, in words."""
    return _by_universe(metrics, family, "level", "choice", "level")


def numbers_of(metrics: pd.DataFrame, family: str) -> pd.DataFrame:
    """As `levels_of`, by the number of the level: 0 is the default."""
    return _by_universe(metrics, family, "level", "choice", "value").astype(int)


def values_of(metrics: pd.DataFrame, family: str, metric: str) -> pd.DataFrame:
    """One number of every claim of a family in every universe."""
    return _by_universe(metrics, family, metric, "claim", "value")


def _by_universe(metrics: pd.DataFrame, family: str, metric: str, columns: str, values: str) -> pd.DataFrame:
    rows = metrics[(metrics["family"] == family) & (metrics["metric"] == metric)]
    order = list(dict.fromkeys(rows[columns]))
    return rows.pivot(index="universe", columns=columns, values=values)[order]


def variance(metrics: pd.DataFrame, choices: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """How much each choice moves each claim."""
    details = choices.set_index("id")["detail left open"]
    rows = []
    for family in metrics["family"].unique():
        numbers, scores = numbers_of(metrics, family), values_of(metrics, family, "score")
        for claim in scores:
            known = scores[claim].dropna()
            shares = []
            for choice in numbers:
                groups = numbers.loc[known.index, choice].to_numpy()
                share, p_value = variance_share(known.to_numpy(), groups, stream(seed, "sensitivity", claim, choice))
                given = {"family": family, "claim": claim, "choice": choice, "detail": details.get(choice, "")}
                counts = {"levels": len(np.unique(groups)), "universes": len(known)}
                shares.append({**given, **counts, "share": share, "p": p_value})
            corrected = holm([row["p"] for row in shares]) if shares else []
            rows += [{**row, "p (Holm)": float(p)} for row, p in zip(shares, corrected, strict=True)]
    columns = ["family", "claim", "choice", "detail", "levels", "universes", "share", "p", "p (Holm)"]
    return pd.DataFrame(rows, columns=columns)


def sensitivity(metrics: pd.DataFrame, claims: Sequence[Mapping], variance_table: pd.DataFrame) -> pd.DataFrame:
    """How often each claim holds, and the choice that moves it most."""
    statements = {claim["id"]: claim["statement"] for claim in claims}
    rows = []
    for family in metrics["family"].unique():
        of_family = metrics[metrics["family"] == family]
        holds, scores = values_of(metrics, family, "holds"), values_of(metrics, family, "score")
        for claim in holds:
            known = holds[claim].dropna()
            low, high = wilson_interval(known.mean(), len(known))
            data = of_family[of_family["claim"] == claim].iloc[0]
            row = {"family": family, "paper": data["paper"], "claim": claim, "statement": statements.get(claim, "")}
            row |= {"dataset": data["dataset"], "source": data["source"], "universes": len(known)}
            row |= {"holds": known.mean(), "low": low, "high": high}
            row |= {"default": known.get(0, np.nan), "mean score": scores[claim].mean()}
            rows.append({**row, **_most_moving(variance_table[variance_table["claim"] == claim])})
    return pd.DataFrame(rows)


def _most_moving(of_claim: pd.DataFrame) -> dict:
    # By p before the share: a level of one universe that happens to differ has a large share.
    moving = of_claim[of_claim["share"] > 0].sort_values(["p", "share"], ascending=[True, False], kind="stable")
    if moving.empty:
        return {"choice": "", "detail": "", "share": 0.0, "p (Holm)": 1.0}
    first = moving.iloc[0]
    return first[["choice", "detail", "share", "p (Holm)"]].to_dict()


def universes(metrics: pd.DataFrame) -> pd.DataFrame:
    """What each universe is."""
    rows = []
    for family in metrics["family"].unique():
        levels, numbers = levels_of(metrics, family), numbers_of(metrics, family)
        holds, scores = values_of(metrics, family, "holds"), values_of(metrics, family, "score")
        for universe in holds.index:
            changed = [
                f"{choice}: {levels.loc[universe, choice]}"
                for choice in levels
                if universe in levels.index and numbers.loc[universe, choice]
            ]
            row = {"family": family, "universe": int(universe), "claims": int(holds.loc[universe].count())}
            row |= {"claims that hold": int(holds.loc[universe].sum()), "mean score": scores.loc[universe].mean()}
            rows.append({**row, "choices": "; ".join(changed) or "every default"})
    return pd.DataFrame(rows)

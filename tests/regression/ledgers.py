"""Compare the ledger of claims of a study with the committed one, and say which claims rest on an experiment."""

from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
PARTS = ["direction", "significance", "magnitude"]
COMPARED = [*PARTS, "verdict", "source"]
# On another processor the claims on t-SNE are judged on another draw: a part may move to a neighbour, not beyond.
NEIGHBOURS = {
    "reproduced": {"in part", "mixed", "inconclusive"},
    "in part": {"reproduced", "mixed", "inconclusive"},
    "mixed": {"reproduced", "in part", "inconclusive", "not reproduced"},
    "inconclusive": {"reproduced", "in part", "mixed", "not reproduced"},
    "not reproduced": {"mixed", "inconclusive"},
    "": set(),
}
# t-SNE is chaotic: a last digit grows into another picture.
CHAOTIC = ("MC-",)


def read(path: Path) -> pd.DataFrame:
    """Read a table as text."""
    return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)


def kl_divergences(metrics: pd.DataFrame) -> pd.DataFrame:
    """The Kullback-Leibler divergences of tsne_equivalence, which tell runs of t-SNE apart."""
    rows = metrics[metrics["metric"] == "kl_divergence"]
    return rows[["dataset", "method", "repetition", "value"]].reset_index(drop=True)


def same_runs(old: pd.DataFrame, new: pd.DataFrame) -> bool:
    """Whether two tables of `kl_divergences` are of the same runs: they agree to nine digits."""
    keys = ["dataset", "method", "repetition"]
    if not old[keys].equals(new[keys]):
        return False
    return np.allclose(old["value"].astype(float), new["value"].astype(float), rtol=1e-9, atol=0)


def moved_claims(old: pd.DataFrame, new: pd.DataFrame, *, same: bool) -> list[str]:
    """
    One paragraph for each claim that is gone, new, or judged otherwise than in the committed ledger.

    Parameters
    ----------
    old, new : DataFrame
        Ledgers as text: the committed one and that of the study.
    same : bool
        Whether the runs of t-SNE are the committed ones. If so, what was measured may not move either, but for times
        (context); if not, claims on t-SNE may move to a neighbouring part, see `NEIGHBOURS`.
    """
    old, new = old.set_index("id"), new.set_index("id")
    lines = [f"{claim}: is gone" for claim in old.index.difference(new.index, sort=False)]
    lines += [f"{claim}: is new" for claim in new.index.difference(old.index, sort=False)]
    for claim in old.index.intersection(new.index, sort=False):
        before, after = old.loc[claim], new.loc[claim]
        told = [name for name in COMPARED if before[name] != after[name]]
        if not same and claim.startswith(CHAOTIC):
            beyond = [name for name in PARTS if name in told and after[name] not in NEIGHBOURS[before[name]]]
            told = [*beyond, *(["source"] if "source" in told else [])]
        elif same and before["verdict"] != "context" and before["measured"] != after["measured"]:
            told.append("measured")
        if told:
            lines.append(_told(claim, before, after, told))
    return lines


def _told(claim: str, before: pd.Series, after: pd.Series, names: list[str]) -> str:
    changes = [f"  {name}: was {before[name]!r}, is {after[name]!r}" for name in names]
    if "verdict" not in names:
        changes.append(f"  verdict: {after['verdict']!r}")
    if "measured" not in names:
        changes.append(f"  measured: was {before['measured']!r}, is {after['measured']!r}")
    return "\n".join([f"{claim} ({before['experiment']}): {before['statement']}", *changes])


def claims_on(experiment: str, claims: pd.DataFrame) -> str:
    """Claims that are judged on an experiment, in words."""
    ids = claims.loc[claims["experiment"] == experiment, "id"]
    return f"claims that rest on it: {', '.join(ids)}" if len(ids) else "no claim rests on it"

"""
Setting the free parameters of a substitute for private data, by what a paper prints for its baselines.

The rule, the same for every substitute: on draws that no other experiment sees, the baselines are scored at every
setting of a grid. The setting is taken whose mean scores lie nearest to the printed ones, by the root mean square of
the differences. The method that the paper proposes is never run, and no claim is looked at. A baseline is reached if
each of its scores is within a margin of the printed one. What is not reached is reported, with how far it is away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.shared.metric_values import is_picked


def rank_settings(
    settings: Sequence[Mapping], scores: Sequence[Mapping[str, float]], printed: Mapping[str, float]
) -> pd.DataFrame:
    """How far the baselines are from what is printed, at every setting."""
    rows = [
        {**setting, **{name: score_of[name] for name in printed}}
        for setting, score_of in zip(settings, scores, strict=True)
    ]
    table = pd.DataFrame(rows)
    differences = table[list(printed)] - pd.Series(printed)
    table["distance"] = np.sqrt(np.square(differences).mean(axis=1, skipna=False))
    if table["distance"].isna().all():
        raise ValueError("No setting of the substitute has a score of every baseline; try others.")
    table["picked"] = table.index == table["distance"].idxmin()
    return table


def reached_targets(
    picks: pd.DataFrame, printed: Mapping[str, float], margin: float, others: Mapping[str, float] | None = None
) -> pd.DataFrame:
    """What the picked setting reaches of what is printed."""
    (picked,) = picks[is_picked(picks)].to_dict("records")
    rows = []
    for name, target in {**printed, **(others or {})}.items():
        difference = float(picked[name]) - target
        rows.append(
            {
                "quantity": name,
                "printed": target,
                "reached": float(picked[name]),
                "difference": difference,
                "within the margin": "yes" if abs(difference) <= margin else "no",
            }
        )
    return pd.DataFrame(rows)

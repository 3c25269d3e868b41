"""Several methods on several data sets: Friedman's test on their ranks, and the critical difference of Nemenyi."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from replication.shared.statistics import ALPHA


@dataclass(frozen=True)
class RankComparison:
    """Mean ranks of methods over data sets."""

    ranks: pd.DataFrame  # Data sets x methods; 1 is the best, and equal methods share the mean of their ranks.
    # Of Friedman's test; 1 where all methods are equal on every data set, NaN where there are fewer than three methods
    # or two data sets.
    p_value: float
    critical_difference: float  # Of two mean ranks, by Nemenyi at 5 % over all pairs; NaN where the p-value is.

    @property
    def mean_ranks(self) -> pd.Series:
        """Mean rank of each method, best first; of equal ones in the order given."""
        return self.ranks.mean().sort_values(kind="stable")

    @property
    def leaders(self) -> list[str]:
        """The methods of the lowest mean rank."""
        return self._within(0.0, 1e-9)

    @property
    def not_worse(self) -> list[str]:
        """Further methods whose mean rank is not beyond the critical difference from the lowest."""
        return self._within(1e-9, self.critical_difference)

    def _within(self, low: float, high: float) -> list[str]:
        means = self.mean_ranks
        behind = (means - means.iloc[0]).to_numpy()
        return list(means.index[(behind >= low) & (behind < high)])


def compare_ranks(scores: pd.DataFrame) -> RankComparison:
    """Rank methods on each data set and compare their mean ranks (Demsar 2006)."""
    lacking = scores.isna()
    if lacking.to_numpy().any():
        places = [f"{method} on {block}" for block, method in lacking.stack()[lambda is_lacking: is_lacking].index]
        raise ValueError(f"Every method needs a score on every data set, found none of {', '.join(places)}.")
    # Scores that differ by rounding are equal.
    ranks = scores.round(9).rank(axis=1)
    n_blocks, n_methods = ranks.shape
    if n_blocks < 2 or n_methods < 3:
        return RankComparison(ranks, np.nan, np.nan)
    all_equal = (ranks.nunique(axis=1) == 1).all()
    p_value = 1.0 if all_equal else float(friedmanchisquare(*ranks.to_numpy().T).pvalue)
    critical = _nemenyi_quantile(n_methods) * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_blocks))
    return RankComparison(ranks, p_value, float(critical))


@lru_cache
def _nemenyi_quantile(n_methods: int) -> float:
    """Of the range of the mean ranks of so many methods, in units of their standard error; it takes SciPy a while."""
    return float(studentized_range.ppf(1.0 - ALPHA, n_methods, np.inf) / np.sqrt(2.0))

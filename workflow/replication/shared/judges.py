"""The judge of each kind of claims that belongs to no paper: metrics and the parameters of a test give a judgement."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from replication.shared.comparison_judges import judge_repetitions, judge_robust, judge_units
from replication.shared.count_judges import judge_count
from replication.shared.general_judges import judge_context, judge_mean, judge_range
from replication.shared.judgements import Judgement
from replication.shared.pair_judges import judge_comparable, judge_no_winner
from replication.shared.study_judges import judge_studies
from replication.shared.trend_judges import (
    judge_correlations,
    judge_differences,
    judge_rank_trend,
    judge_ranks_of_methods,
)

Judge = Callable[[pd.DataFrame, dict], Judgement]

JUDGES: dict[str, Judge] = {
    "compare": judge_units,
    "compare/studies": judge_studies,
    "count": judge_count,
    "share": judge_repetitions,
    "trend": judge_rank_trend,
    "trend/differences": judge_differences,
    "trend/correlations": judge_correlations,
    "trend/methods": judge_ranks_of_methods,
    "value": judge_mean,
    "value/range": judge_range,
    "robust": judge_robust,
    "context": judge_context,
    "comparable": judge_comparable,
    "no_winner": judge_no_winner,
}

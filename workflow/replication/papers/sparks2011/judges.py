"""The judges of the kinds of claims that only this paper makes."""

from __future__ import annotations

from replication.papers.sparks2011.retrieval_judges import (
    judge_errors,
    judge_grid,
    judge_levels,
    judge_needed,
    judge_share_trend,
)
from replication.shared.judges import Judge

JUDGES: dict[str, Judge] = {
    "value/errors": judge_errors,
    "value/shares": judge_levels,
    "value/needed": judge_needed,
    "trend/shares": judge_share_trend,
    "compare/grid": judge_grid,
}

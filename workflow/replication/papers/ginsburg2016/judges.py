"""The judges of the kinds of claims that only this paper makes."""

from __future__ import annotations

from replication.papers.ginsburg2016.fine_judges import (
    judge_accuracy,
    judge_dimensions,
    judge_stability,
    judge_vectors,
)
from replication.papers.ginsburg2016.fine_set_judges import (
    judge_accuracies,
    judge_cohorts,
    judge_risk_groups,
    judge_sets,
    judge_steps,
)
from replication.shared.judges import Judge

JUDGES: dict[str, Judge] = {
    "ranking/stability": judge_stability,
    "ranking/accuracy": judge_accuracy,
    "compare/vectors": judge_vectors,
    "compare/accuracies": judge_accuracies,
    "compare/steps": judge_steps,
    "count/cohorts": judge_cohorts,
    "count/sets": judge_sets,
    "dimensions": judge_dimensions,
    "risk_groups": judge_risk_groups,
}

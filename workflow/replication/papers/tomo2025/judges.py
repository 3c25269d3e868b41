"""The judges of the kinds of claims that only this paper makes."""

from __future__ import annotations

from replication.papers.tomo2025.mce_judges import judge_band, judge_decay, judge_fall
from replication.shared.judges import Judge

JUDGES: dict[str, Judge] = {"value/redraws": judge_band, "trend/redraws": judge_fall, "decay": judge_decay}

"""Experiments of Sparks and Madabhushi 2011, each a file of its name, in the order of the report."""

from replication.papers.sparks2011.experiments import (
    extrapolation_runtime,
    gland_retrieval,
    retrieval_calibration,
    retrieval_substitute,
    swiss_roll,
)

_IN_ORDER = [
    retrieval_substitute,
    retrieval_calibration,
    swiss_roll,
    gland_retrieval,
    extrapolation_runtime,
]
EXPERIMENTS = tuple(one.EXPERIMENT for one in _IN_ORDER)

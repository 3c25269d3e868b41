"""Experiments of Ginsburg et al. 2016, each a file of its name, in the order of the report."""

from replication.papers.ginsburg2016.experiments import (
    feature_selection,
    fine_calibration,
    pathology,
    pathology_substitute,
    planted_features,
    survival,
)

_IN_ORDER = [
    fine_calibration,
    feature_selection,
    pathology_substitute,
    pathology,
    survival,
    planted_features,
]
EXPERIMENTS = tuple(one.EXPERIMENT for one in _IN_ORDER)

"""Experiments of Ginsburg et al. 2016, each a file of its name, in the order of the report."""

EXPERIMENTS = [
    "fine_calibration",
    "feature_selection",
    "pathology_substitute",
    "pathology",
    "survival",
    "planted_features",
]

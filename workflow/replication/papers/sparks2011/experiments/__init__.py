"""Experiments of Sparks and Madabhushi 2011, each a file of its name, in the order of the report."""

EXPERIMENTS = [
    "retrieval_substitute",
    "retrieval_calibration",
    "swiss_roll",
    "gland_retrieval",
    "extrapolation_runtime",
]

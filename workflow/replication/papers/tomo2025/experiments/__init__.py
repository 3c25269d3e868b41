"""Experiments of Tomo and Yoneoka 2025, each a file of its name, in the order of the report."""

EXPERIMENTS = [
    "tsne_equivalence",
    "mce_convergence",
    "mce_tail",
    "consensus_comparison",
    "mce_extensions",
    "mce_cost",
]

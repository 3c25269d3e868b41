"""Experiments of Tomo and Yoneoka 2025, each a file of its name, in the order of the report."""

from replication.papers.tomo2025.experiments import (
    consensus_comparison,
    mce_convergence,
    mce_cost,
    mce_extensions,
    mce_tail,
    tsne_equivalence,
)

_IN_ORDER = [
    tsne_equivalence,
    mce_convergence,
    mce_tail,
    consensus_comparison,
    mce_extensions,
    mce_cost,
]
EXPERIMENTS = tuple(one.EXPERIMENT for one in _IN_ORDER)

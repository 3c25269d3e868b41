"""Experiments of Viswanath and Madabhushi 2012, each a file of its name, in the order of the report."""

from replication.papers.viswanath2012.experiments import (
    brain_calibration,
    brain_grid,
    brain_readings,
    brain_real_slices,
    brain_runtime,
    gene_calibration,
    gene_expression,
    intrinsic_dimension,
    leave_one_out,
    m_sensitivity,
    ml_estimators,
    theory_error,
    theory_monotone,
    theory_strength,
    theta_sensitivity,
    toy_rgb,
)

_IN_ORDER = [
    brain_calibration,
    brain_grid,
    brain_readings,
    ml_estimators,
    theta_sensitivity,
    intrinsic_dimension,
    brain_real_slices,
    brain_runtime,
    leave_one_out,
    toy_rgb,
    theory_strength,
    theory_error,
    theory_monotone,
    gene_calibration,
    gene_expression,
    m_sensitivity,
]
EXPERIMENTS = tuple(one.EXPERIMENT for one in _IN_ORDER)

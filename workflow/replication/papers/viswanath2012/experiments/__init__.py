"""Experiments of Viswanath and Madabhushi 2012, each a file of its name, in the order of the report."""

EXPERIMENTS = [
    "brain_calibration",
    "brain_grid",
    "brain_readings",
    "ml_estimators",
    "theta_sensitivity",
    "intrinsic_dimension",
    "brain_real_slices",
    "brain_runtime",
    "leave_one_out",
    "toy_rgb",
    "theory_strength",
    "theory_error",
    "theory_monotone",
    "gene_calibration",
    "gene_expression",
    "m_sensitivity",
]

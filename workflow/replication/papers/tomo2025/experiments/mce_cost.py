"""Cost of a median consensus."""

from replication.platform.declarations import Experiment

EXPERIMENT = Experiment(
    "mce_cost",
    title="Cost of a median consensus",
    text=(
        "Section 4.2 of Tomo and Yoneoka 2025 counts O((T + 1) m n^2 + n^3) operations for m runs of n points "
        "and T steps. Timed on one core of the machine that made this report: the distances, 10 steps and an "
        "eigendecomposition, as printed and in plain NumPy; 10 steps of SMACOF; and the complete consensus of this "
        "library, whose steps need no distances. Slopes are of the logarithm of the seconds on that of m and of "
        "n: the paper's count gives 1 and 2, for the eigendecomposition 0 and 3."
    ),
    tables={"cost": "mce_tables.cost_table"},
)

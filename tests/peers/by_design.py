"""
Tests of scikit-learn that ours fail by design: the reason, the error, and patterns of their names.

A test listed here that passes is a failure, and so is one that fails by another error. Parameters that ours lack are
listed as `lacking` in the adapters.
"""

BY_DESIGN = [
    (
        "tables are dense; a sparse one is refused",
        TypeError,
        ["TestTSNE::test_fit_transform_csr_matrix*"],
    ),
    (
        "a perplexity of 1 or less is refused: no width of a Gaussian has it",
        ValueError,
        ["TestTSNE::test_early_exaggeration_used", "TestTSNE::test_max_iter_used"],
    ),
    (
        "nothing is printed",
        (AssertionError, UnboundLocalError),
        [
            "TestTSNE::test_verbose",
            "TestTSNE::test_n_iter_without_progress",
            "TestTSNE::test_accessible_kl_divergence",
        ],
    ),
]

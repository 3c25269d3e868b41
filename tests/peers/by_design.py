"""
Tests of scikit-learn that ours fail by design: the reason, the error, and patterns of their names.

A test listed here that passes is a failure, and so is one that fails by another error. Parameters that ours lack are
listed as `lacking` in the adapters.
"""

import pytest

BY_DESIGN = [
    (
        "tables are dense; a sparse one is refused",
        TypeError,
        [
            "TestTSNE::test_fit_transform_csr_matrix*",
            "TestIsomap::test_sparse_input*",
            "TestSpectralEmbedding::test_spectral_embedding_*[*csr_*]",
        ],
    ),
    (
        "a graph in pieces is refused: it does not say how the pieces lie to each other",
        (ValueError, pytest.fail.Exception),
        [
            "TestIsomap::test_transform[*2-None]",
            "TestIsomap::test_pipeline[*2-None]",
            "TestIsomap::test_multiple_connected_components",
            "Test*::test_get_feature_names_out",
        ],
    ),
    (
        "components beyond the rank of the kernel are refused: nothing determines them",
        ValueError,
        ["TestIsomap::test_isomap_*dtype*"],
    ),
    (
        "a perplexity of 1 or less is refused: no width of a Gaussian has it",
        ValueError,
        ["TestTSNE::test_early_exaggeration_used", "TestTSNE::test_max_iter_used"],
    ),
    (
        "results are in double precision whatever the table is in",
        AssertionError,
        [
            "TestMeanShift::test_mean_shift[float32*True*",
            "TestSpectralEmbedding::test_spectral_embedding_preserves_dtype[float32*",
        ],
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
    (
        "asks whether scikit-learn's own functions are called, or about names that it no longer uses",
        (AssertionError, TypeError, pytest.fail.Exception),
        [
            "TestMDS::test_normalized_stress_auto[True]",
            "TestMDS::test_future_warning_init_and_metric",
            "TestSpectralEmbedding::test_spectral_eigen_tol_auto*",
            "TestSpectralEmbedding::test_error_pyamg_not_available",
        ],
    ),
]

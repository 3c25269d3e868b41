"""
Tests of scikit-learn that ours fail by design: the reason, the error, and patterns of their names.

A test listed here that passes is a failure, and so is one that fails by another error. Parameters that ours lack are
listed as `lacking` in the adapters.
"""

import pytest

BY_DESIGN = [
    (
        "tables are dense; a sparse one is refused",
        (TypeError, ValueError),
        [
            "TestTSNE::test_fit_transform_csr_matrix*",
            "TestTSNE::test_sparse_precomputed_distance*",
            "TestIsomap::test_sparse_input*",
            "TestSpectralEmbedding::test_spectral_embedding_*[*csr_*]",
            "TestPCA::test_pca_sparse*",
            "TestPCA::test_sparse_pca_auto*",
            "TestKMeans::*[KMeans*sparse_*",
            "TestKMeans::test_kmeans_*[*sparse_*",
            "TestKMeans::*[*csr*",
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
        [
            "TestIsomap::test_isomap_*dtype*",
            "TestPCA::test_pca_solver_equivalence[float64*",
            "TestPCA::test_no_empty_slice_warning",
        ],
    ),
    (
        "fewer than 3 samples, or no component at all, make no picture",
        ValueError,
        ["TestPCA::test_pca_check_projection_list*", "TestPCA::test_pca_score3"],
    ),
    (
        "a perplexity of 1 or less is refused: no width of a Gaussian has it",
        ValueError,
        [
            "TestTSNE::test_early_exaggeration_used",
            "TestTSNE::test_max_iter_used",
            "TestTSNE::test_exact_no_precomputed_sparse*",
        ],
    ),
    (
        "the neighbour search and `manhattan_distances` round unlike, and t-SNE is chaotic",
        AssertionError,
        ["TestTSNE::test_tsne_with_different_distance_metrics[exact-manhattan-manhattan_distances]"],
    ),
    (
        "the covariance of the Mahalanobis distance is by default that of X",
        pytest.fail.Exception,
        ["TestTSNE::test_tsne_with_mahalanobis_distance"],
    ),
    (
        "results are in double precision whatever the table is in",
        AssertionError,
        [
            "TestMeanShift::test_mean_shift[float32*True*",
            "TestSpectralEmbedding::test_spectral_embedding_preserves_dtype[float32*",
            "TestPCA::test_pca_solver_equivalence[float32*",
        ],
    ),
    (
        "nothing is printed on standard output; `verbose` reports on standard error",
        (AssertionError, UnboundLocalError),
        [
            "TestTSNE::test_verbose",
            "TestTSNE::test_n_iter_without_progress",
            "TestTSNE::test_accessible_kl_divergence",
        ],
    ),
    (
        "clusters at fewer places than asked for are no reason for a warning; the number of clusters says it",
        pytest.fail.Exception,
        ["TestKMeans::test_kmeans_warns_less_centers_than_unique_points"],
    ),
    (
        "`check_embedding` refuses so many neighbours, before it calls the function that is asked",
        pytest.fail.Exception,
        ["TestTSNE::test_trustworthiness_n_neighbors_error"],
    ),
    (
        "of points that are equally far in the data scikit-learn ranks the first nearer; ours share the better rank",
        AssertionError,
        ["TestTSNE::test_trustworthiness"],
    ),
    (
        "asks for scikit-learn's own functions and solvers, or about names that it no longer uses",
        (AssertionError, AttributeError, TypeError, pytest.fail.Exception),
        [
            "TestMDS::test_normalized_stress_auto[True]",
            "TestMDS::test_future_warning_init_and_metric",
            "TestSpectralEmbedding::test_spectral_eigen_tol_auto*",
            "TestSpectralEmbedding::test_error_pyamg_not_available",
            "TestPCA::test_pca_svd_solver_auto*",
            "TestPCA::test_pca_validation[arpack*data1]",
            "TestKMeans::test_kmeans_init_auto_with_initial_centroids*",
            "TestKMeans::test_n_init_auto*",
            "TestKMeans::test_sample_weight_init*",
            "TestKMeans::test_sample_weight_zero*",
            "TestKMeans::test_warning_elkan_1_cluster",
        ],
    ),
]

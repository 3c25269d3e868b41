"""Residual variance against correlations of distances, and the choice of parameters against a plain loop."""

import joblib
import numpy as np
import pytest
from consensus_embedding import KernelEmbedding, choose_embedding, residual_variances
from consensus_embedding.manifold import sample_kernels
from consensus_embedding.manifold.sample_kernels import REDUCTIONS, Samples, decompose, grounded_inverse
from refusals import refusals
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import make_swiss_roll
from sklearn.manifold import Isomap
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(90, noise=0.2, random_state=1)[0]


def plain(embedding, distances):
    wanted = squareform(distances, checks=False)
    rho = [np.corrcoef(pdist(embedding[:, :h]), wanted)[0, 1] for h in range(1, embedding.shape[1] + 1)]
    return 1 - np.square(np.maximum(rho, 0.0))


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_one_less_the_squared_correlation(scale):
    rng = np.random.default_rng(0)
    embedding = rng.normal(size=(40, 6))
    distances = squareform(pdist(np.hstack([embedding[:, :3], rng.normal(size=(40, 6))])))
    found = residual_variances(scale * embedding, distances / scale)
    assert found == pytest.approx(plain(embedding, distances), rel=1e-10)


def test_of_isomap_as_tenenbaum_computes_it():
    model = Isomap(n_neighbors=8, n_components=5).fit(make_swiss_roll(500, random_state=0)[0])
    variances = residual_variances(model.embedding_, model.dist_matrix_)
    assert variances == pytest.approx(plain(model.embedding_, model.dist_matrix_), rel=1e-9)
    assert variances[1] < 0.005 < variances[0]


def test_distances_that_are_equal_or_fall_where_they_should_rise_explain_nothing():
    X = np.random.default_rng(2).normal(size=(20, 2))
    distances = squareform(pdist(X))
    assert residual_variances(X, distances.max() - distances).tolist() == [1.0, 1.0]
    assert residual_variances(X, 1.0 - np.eye(20)).tolist() == [1.0, 1.0]
    assert residual_variances(np.zeros((20, 1)), distances).tolist() == [1.0]


test_unusable_tables_are_refused = refusals(
    (lambda: residual_variances(np.zeros((4, 2)), np.zeros((5, 5))), r"distances of shape \(4, 4\) .* found \(5, 5\)"),
    (lambda: residual_variances(np.zeros((2, 2)), np.zeros((2, 2))), "at least 3 samples"),
    (lambda: residual_variances(np.zeros((4, 2)), np.triu(np.ones((4, 4)))), "symmetric, found 1 from object 0 to 1"),
)


def plain_choice(X, reduction, ks, alphas, limit, target, rule, tolerance=0.01):
    """All residual variances, one embedding after the other; the rule in words."""
    rows = []
    for k in ks:
        for alpha in alphas:
            model = KernelEmbedding(1, reduction=reduction, n_neighbors=k, alpha=alpha).fit(X)
            model = KernelEmbedding(min(limit, model.rank_), reduction=reduction, n_neighbors=k, alpha=alpha).fit(X)
            wanted = model.distances_
            if target == "kernel":
                d = np.diag(model.kernel_)
                wanted = np.sqrt(np.maximum(d[:, None] + d - 2 * model.kernel_, 0))
            rows += [(v, h + 1, k, alpha) for h, v in enumerate(plain(model.embedding_, wanted))]
    lowest = min(rows)[0]
    if rule == "minimum":
        return min(rows)
    h = min(row[1] for row in rows if row[0] <= lowest + tolerance)
    return min(row for row in rows if row[1] == h)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["first", "minimum"])
@pytest.mark.parametrize("target", ["graph", "kernel"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_choice_is_that_of_a_plain_loop(roll, reduction, target, rule):
    ks, alphas = (7, 8, 9, 12), (0.5, 2.0, 10.0)
    found = choose_embedding(
        roll, reduction, max_components=12, n_neighbors=ks, alphas=alphas, target=target, rule=rule
    )
    tried = (1,) if reduction == "pca" else ks, alphas if reduction == "le" else (1.0,)
    if reduction == "pca":
        tried = (7,), (1.0,)
    value, h, k, alpha = plain_choice(roll, reduction, *tried, 12, target, rule)
    assert found.residual_variance == pytest.approx(value, abs=1e-10)
    assert found.n_components == h
    assert found.n_neighbors == (None if reduction == "pca" else k)
    assert found.alpha == (alpha if reduction == "le" else None)
    assert found.residual_variances[h - 1] == found.residual_variance
    assert len(found.residual_variances) == min(12, found.estimator.rank_)
    model = found.estimator
    assert model.get_params()["n_components"] == h
    again = KernelEmbedding(**model.get_params()).fit(roll)
    assert np.array_equal(again.embedding_, model.embedding_)
    assert np.array_equal(again.transform(roll[:4]), model.transform(roll[:4]))


def test_of_equal_choices_the_fewest_neighbours_and_the_smallest_alpha():
    """Samples on a line at equal steps: every graph gives the same geodesic distances."""
    X = np.arange(12.0)[:, None] * [1.0, 2.0]
    found = choose_embedding(X, "isomap", n_neighbors=(6, 4, 3))
    assert (found.n_components, found.n_neighbors) == (1, 3)
    square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5]])
    every = choose_embedding(square, "le", n_neighbors=(4,), alphas=(1e9, 1e8), max_components=1)
    assert every.alpha == 1e8


def test_numbers_of_neighbours_in_pieces_are_left_out_and_counted(roll):
    X = np.concatenate([roll[:20], roll[20:40] + 60.0])
    smallest = Samples(X).smallest_connecting
    assert smallest > 5
    found = choose_embedding(X, "isomap", n_neighbors=range(3, smallest + 3), max_components=5)
    assert found.n_disconnected == smallest - 3
    assert found.n_neighbors >= smallest
    none = choose_embedding(X, "lle", n_neighbors=(3, 4, 5), max_components=5)
    assert (none.n_neighbors, none.n_disconnected) == (smallest, 3)
    assert choose_embedding(X, "pca", n_neighbors=(3,)).n_disconnected == 0


def test_numbers_of_neighbours_and_components_are_capped(roll):
    found = choose_embedding(roll[:8], "isomap", n_neighbors=(20, 30))
    assert found.n_neighbors == 7
    assert choose_embedding(roll, "pca").n_components <= 3
    assert len(choose_embedding(roll, "pca", max_components=2).residual_variances) == 2


def test_weights_that_vanish_are_left_out(roll):
    found = choose_embedding(roll, "le", n_neighbors=(10,), alphas=(1e-3, 1.0), max_components=5)
    assert found.alpha == 1.0
    with pytest.raises(ValueError, match="raise the alphas"):
        choose_embedding(roll, "le", n_neighbors=(10,), alphas=(1e-3,))


def test_threads_do_not_matter(roll):
    wide = roll @ np.random.default_rng(0).normal(size=(3, 4000))
    for reduction in REDUCTIONS:
        with threadpool_limits(2):
            first = choose_embedding(wide, reduction, n_neighbors=(8, 10), max_components=6)
        with threadpool_limits(1):
            second = choose_embedding(wide, reduction, n_neighbors=(8, 10), max_components=6)
        assert np.array_equal(first.estimator.embedding_, second.estimator.embedding_)
        assert np.array_equal(first.residual_variances, second.residual_variances)


def test_a_given_number_of_components(roll):
    ks = (7, 9, 12)
    found = choose_embedding(roll, "isomap", n_neighbors=ks, n_components=4)
    values = [
        plain((m := KernelEmbedding(4, reduction="isomap", n_neighbors=k).fit(roll)).embedding_, m.distances_)[3]
        for k in ks
    ]
    assert found.n_components == found.estimator.embedding_.shape[1] == 4
    assert found.n_neighbors == ks[int(np.argmin(values))]
    with pytest.raises(ValueError, match="4 is above the rank of the kernel, 3, of 90"):
        choose_embedding(roll, "pca", n_components=4)
    with pytest.raises(ValueError, match="200 is above the rank of the kernel, 88, of 90"):
        choose_embedding(roll, "lle", n_neighbors=(9,), n_components=200)


def test_parameters_of_the_embedding_are_passed_on(roll):
    found = choose_embedding(roll, "isomap", n_neighbors=(9,), isomap_kernel="plain")
    assert found.estimator.isomap_kernel == "plain"
    assert found.estimator.kernel_ == pytest.approx(
        KernelEmbedding(reduction="isomap", n_neighbors=9, isomap_kernel="plain").fit(roll).kernel_
    )
    assert choose_embedding(roll, "lle", n_neighbors=(9,), regularization=0.1).estimator.regularization == 0.1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rule", "last"),
        ("target", "eye"),
        ("max_components", 0),
        ("n_neighbors", ()),
        ("n_neighbors", (0, 3)),
        ("alphas", (0.0,)),
        ("alphas", 1.0),
        ("tolerance", -0.1),
        ("reduction", "umap"),
        ("regularization", 0.0),
        ("n_components", 2.5),
        ("choice_samples", 2),
    ],
)
def test_refusals(roll, name, value):
    with pytest.raises(ValueError, match=f"{name} .*must be"):
        choose_embedding(roll, **{"reduction": "le", name: value})


test_what_leaves_no_choice_is_refused = refusals(
    (lambda: choose_embedding(np.ones((10, 3)), "pca"), "All 10 samples are equal"),
    (lambda: choose_embedding(np.eye(20), "isomap", n_neighbors=7), r"list of numbers to try, such as \[12\], found 7"),
    # Costs of a regular simplex, whose samples are all written alike, are all equal.
    (lambda: choose_embedding(np.eye(5), "lle", n_neighbors=(4,)), "No kernel of the 5 samples by lle has a component"),
    (lambda: KernelEmbedding(1, reduction="lle", n_neighbors=4).fit(np.eye(5)), "1 is above the rank of the kernel, 0"),
)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_samples_and_distances_can_be_shared(reduction):
    X = np.random.default_rng(5).normal(size=(40, 6))
    others = np.random.default_rng(6).normal(size=(7, 6))
    alone, shared = (choose_embedding(given, reduction, n_neighbors=range(5, 9)) for given in (X, Samples(X)))
    assert np.array_equal(alone.estimator.embedding_, shared.estimator.embedding_)
    places = alone.estimator.transform(others)
    assert np.array_equal(places, shared.estimator.transform(others))
    if reduction != "pca":
        assert np.array_equal(places, shared.estimator.place(cdist(others, X, "sqeuclidean")))


@pytest.fixture(scope="module")
def many():
    generator = np.random.default_rng(31)
    return generator.normal(0, 2, (5, 8))[generator.integers(0, 5, 620)] + generator.normal(size=(620, 8))


@pytest.mark.slow
@pytest.mark.parametrize("reduction", ["isomap", "le", "lle"])
def test_solvers_of_many_samples_agree_with_those_of_all_eigenvalues(many, reduction, monkeypatch):
    how = {"n_neighbors": 12, "alpha": 0.5, "n_pairs": 4}
    partial = decompose(Samples(many), reduction, **how)
    monkeypatch.setattr(sample_kernels, "DENSE_SIZE", 1000)
    full = decompose(Samples(many), reduction, **how)
    np.testing.assert_allclose(partial.distances, full.distances, rtol=1e-12)
    assert (partial.distances == partial.distances.T).all()
    np.testing.assert_allclose(partial.kernel, full.kernel, atol=1e-8 * np.abs(full.kernel).max())
    np.testing.assert_allclose(partial.values, full.values[:4], rtol=1e-7)
    np.testing.assert_allclose(partial.vectors, full.vectors[:, :4], atol=1e-5)


@pytest.mark.parametrize("n", [7, 621])
def test_a_laplacian_of_very_unequal_weights_keeps_its_digits_whole_or_by_blocks(n):
    """A chain, whose inverse is known: resistances to the ground add up."""
    weights = np.exp(-np.random.default_rng(0).uniform(0, 60, n - 1))
    W = np.diag(weights, 1) + np.diag(weights, -1)
    found, whole = grounded_inverse(W)
    assert whole
    resistance = np.cumsum(1 / weights)
    np.testing.assert_allclose(found[1:, 1:], np.minimum.outer(resistance, resistance), rtol=1e-11)
    assert not found[0].any()
    assert not found[:, 0].any()
    W[n // 2, n // 2 + 1] = W[n // 2 + 1, n // 2] = 0.0
    assert not grounded_inverse(W)[1]


def test_parameters_are_chosen_on_a_drawn_part_and_its_error_is_shown(many):
    how = {"n_neighbors": (6, 10), "max_components": 8}
    part = choose_embedding(many, "isomap", choice_samples=150, **how)
    assert part.estimator.embedding_.shape == (620, part.n_components)
    drawn = np.sort(np.random.default_rng(0).choice(620, 150, replace=False))
    alone = choose_embedding(many[drawn], "isomap", **how)
    assert (part.n_components, part.sample_variance) == (alone.n_components, alone.residual_variance)
    exact = residual_variances(part.estimator.embedding_, part.estimator.distances_)
    assert part.residual_variance == pytest.approx(exact[-1])
    every = choose_embedding(many, "isomap", choice_samples=None, n_jobs=2, **how)
    assert every.sample_variance is None
    assert abs(part.residual_variance - every.residual_variance) < 0.05


@pytest.mark.parametrize("reduction", ["isomap", "le", "lle"])
def test_a_given_number_of_neighbours_that_connects_all_samples_is_taken(reduction):
    """Though the drawn part needs more: two clusters, of which a part has gaps."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(60, 3)), rng.normal(size=(60, 3)) + 5])
    given = Samples(X).smallest_connecting
    how = {"n_components": 2, "alphas": (1.0,), "choice_samples": 60, "seed": 1}
    drawn = np.sort(np.random.default_rng(1).choice(120, 60, replace=False))
    # In a part of half of the samples, fewer neighbours go as far; so few do not connect it.
    few = Samples(X[drawn]).smallest_connecting
    assert choose_embedding(X, reduction, n_neighbors=(given,), **how).n_neighbors == given
    # More than the part has samples.
    assert choose_embedding(X, reduction, n_neighbors=(80,), **how).n_neighbors == 80
    # The part is connected by fewer than all samples are.
    assert few < given
    assert choose_embedding(X, reduction, n_neighbors=(few, given + 3, given + 9), **how).n_neighbors >= given + 3
    # None connects all.
    assert choose_embedding(X, reduction, n_neighbors=(few,), **how).n_neighbors == given


@pytest.mark.slow
def test_any_backend_of_joblib_will_do(roll):
    expected = choose_embedding(roll, "isomap", n_neighbors=(10, 12))
    with joblib.parallel_config("multiprocessing"):
        found = choose_embedding(roll, "isomap", n_neighbors=(10, 12), n_jobs=2)
    assert np.array_equal(found.residual_variances, expected.residual_variances)

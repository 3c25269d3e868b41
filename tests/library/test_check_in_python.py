"""A check where its users are: AnnData, sparse tables, pipelines, runs by name, and pictures on axes of matplotlib."""

import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from consensus_embedding import ExactTSNE, check_embedding, run_embeddings
from consensus_embedding.io.anndata_object import COLUMNS
from consensus_embedding.utils.colours import STABILITY
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.random_projection import GaussianRandomProjection

N = 60
rng = np.random.default_rng(0)
X = np.repeat(np.eye(3, 6) * 8, N // 3, axis=0) + rng.normal(size=(N, 6))
KINDS = np.repeat(["a", "b", "c"], N // 3)
RUNS = {f"seed {k}": X[:, :2] + rng.normal(scale=0.5, size=(N, 2)) for k in range(4)}


class Projection(GaussianRandomProjection):
    """To the plane, with its defaults."""

    def __init__(self, n_components=2, *, eps=0.1, compute_inverse_components=False, random_state=None):
        super().__init__(
            n_components, eps=eps, compute_inverse_components=compute_inverse_components, random_state=random_state
        )


@pytest.fixture(params=["what it offers", "anndata"])
def adata(request):
    """An AnnData object, and what is needed of one."""
    obs = pd.DataFrame({"kind": pd.Categorical(KINDS)}, index=[f"cell {k}" for k in range(N)])
    var = pd.DataFrame(index=[f"gene {k}" for k in range(6)])
    parts = {"X": X.copy(), "obs": obs, "obsm": {"X_pca": X[:, :4], **{f"X_{name}": run for name, run in RUNS.items()}}}
    if request.param == "anndata":
        return pytest.importorskip("anndata").AnnData(**parts, var=var)
    return SimpleNamespace(**parts, uns={}, obs_names=obs.index, var_names=var.index)


def points(*arguments, **keywords):
    return check_embedding(*arguments, random_state=0, **keywords).points


def test_keys_of_anndata_are_what_they_name(adata):
    by_key = points(adata, Projection, 4, labels="kind", key_added=None)
    named = points(X[:, :4], Projection(), 4, labels=KINDS).set_axis(adata.obs_names)
    pd.testing.assert_frame_equal(by_key, named)
    by_key = points(adata, embeddings=[f"X_{name}" for name in RUNS])
    pd.testing.assert_frame_equal(by_key, points(embeddings=list(RUNS.values())).set_axis(adata.obs_names))


def test_of_x_the_principal_components_are_taken_and_it_stays_as_it_was(adata):
    expected = points(PCA(5).fit_transform(X), Projection, 4)
    for values in (X, csr_matrix(X)):
        adata.X = values.copy()
        found = points(adata, Projection, 4, representation="X")
        np.testing.assert_allclose(found.instability, expected.instability, atol=1e-6)
        assert (values != adata.X).sum() == 0


@pytest.mark.parametrize(("key", "start"), [("consensus", ""), ("mine", "mine_")])
def test_results_are_added_to_anndata(adata, key, start):
    check = check_embedding(adata, Projection, 4, labels="kind", key_added=key, random_state=0)
    assert np.array_equal(adata.obsm[f"X_{key}"], check.consensus.embedding)
    assert adata.obs[f"{start}stability"].tolist() == check.points.category.tolist()
    assert np.array_equal(adata.obs[f"{start}instability_high"], check.points.instability_high)
    settings = {"embedder": "Projection", "seed": 0, "representation": "X_pca", "n_embeddings": 4}
    assert settings.items() <= adata.uns["mine_check" if start else "embedding_check"].items()
    # scanpy gives the k-th colour to the k-th category, also if no point is in it.
    assert adata.obs[f"{start}stability"].cat.categories.tolist() == list(STABILITY)
    assert adata.obs[f"{start}stability"].cat.categories.dtype == object, "write_h5ad refuses the strings of pandas 3"
    assert adata.uns[f"{start}stability_colors"] == list(STABILITY.values())


@pytest.mark.parametrize("kind", [list, iter, lambda keys: dict.fromkeys(keys).keys(), pd.Index, np.array])
def test_the_keys_of_ready_embeddings_are_among_the_settings(adata, kind):
    keys = [f"X_{name}" for name in RUNS]
    check = check_embedding(adata, embeddings=kind(keys))
    assert check.run_names == tuple(keys)
    settings = adata.uns["embedding_check"]
    assert settings["embeddings"] == keys
    assert {type(key) for key in settings["embeddings"]} == {str}
    assert not {"embedder", "representation", "seed"} & set(settings)


def test_a_path_is_refused_with_what_reads_it():
    with pytest.raises(ValueError, match=r"the path 'cells.h5ad'; read the file first"):
        check_embedding("cells.h5ad")


def test_nothing_is_added_if_no_name_is_given(adata):
    keys = set(adata.obsm)
    points(adata, Projection, 4, key_added=None)
    assert (set(adata.obsm), list(adata.obs), dict(adata.uns)) == (keys, ["kind"], {})


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"labels": "type"}, "'type' of obs, found 'kind'"),
        ({"representation": "X_umap"}, "'X_umap' of obsm, found 'X_pca'"),
        ({"embeddings": ["X_pca", "X_1", "X_2"]}, "'X_1' of obsm"),
    ],
)
def test_a_key_that_anndata_lacks_is_named_with_those_that_it_has(adata, keywords, words):
    with pytest.raises(ValueError, match=words):
        check_embedding(adata, **keywords)


@pytest.mark.parametrize("keywords", [{"labels": "kind"}, {"representation": "X"}, {"embeddings": ["a", "b", "c"]}])
def test_keys_without_anndata_are_refused(keywords):
    with pytest.raises(ValueError, match="keys of an AnnData object only, found X of the type ndarray"):
        check_embedding(X, **keywords)


def test_a_sparse_table_is_as_good_as_a_dense_one():
    pd.testing.assert_frame_equal(points(csr_matrix(X), Projection, 4), points(X, Projection, 4))


def test_each_step_of_a_pipeline_has_a_seed_of_its_own_and_a_class_its_defaults():
    steps = make_pipeline(Projection(4), Projection(2))
    once, again = (run_embeddings(steps, X, [1, 2]) for _ in range(2))
    assert np.array_equal(once, again)
    assert not np.allclose(once[0], once[1])
    seeds = np.random.RandomState(1).randint(2**31 - 1, size=2)
    first = Projection(4, random_state=seeds[0]).fit_transform(X)
    np.testing.assert_allclose(once[0], Projection(2, random_state=seeds[1]).fit_transform(first))
    assert np.array_equal(run_embeddings(Projection, X, [3]), run_embeddings(Projection(), X, [3]))


def test_runs_given_by_name_keep_their_names_and_order():
    check = check_embedding(embeddings=RUNS)
    assert check.run_names == tuple(RUNS)
    assert np.array_equal(check.embeddings, list(RUNS.values()))
    axes = check.plot_runs(2)
    assert [ax.get_title() for ax in axes] == ["seed 0", "seed 1"]


@pytest.fixture(scope="module")
def check():
    return check_embedding(X, Projection(), 5, labels=KINDS, random_state=0)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_a_check_says_in_three_lines_what_it_found(check):
    first, points, runs = repr(check).splitlines()
    assert first == "EmbeddingCheck of 60 points in 5 runs"
    assert "stable" in points
    assert "run" in runs


def test_a_notebook_shows_the_answer_and_the_picture(check):
    card = check._repr_html_()
    assert 'src="data:image/png;base64,' in card
    assert "60 points" in card


def test_without_matplotlib_a_notebook_shows_the_three_lines(check, monkeypatch):
    monkeypatch.setitem(sys.modules, "consensus_embedding.diagnostics.plots", None)
    assert check._repr_html_() is None
    with pytest.raises(ImportError):
        check.plot()


def drawn(ax):
    return sum(len(collection.get_offsets()) for collection in ax.collections)


@pytest.mark.parametrize("color", ["stability", "label", "instability"])
def test_a_picture_is_drawn_on_the_axes_that_are_given_and_has_every_point(check, color):
    ax = plt.figure().subplots()
    assert check.plot(color, ax) is ax
    assert drawn(ax) == N
    assert check.plot(color) is not ax


def test_runs_lie_on_the_consensus_picture(check):
    axes = check.plot_runs(5)
    assert [drawn(ax) for ax in axes] == [N] * 5
    own = plt.figure().subplots(1, 3)
    assert list(check.plot_runs(3, "label", own)) == list(own)


def test_pairs_of_labels_are_marked_by_their_instability_on_the_axes_that_are_given(check):
    ax = plt.figure().subplots()
    assert check.plot_labels(ax) is ax
    image = ax.images[0].get_array()
    found = {
        (first, second): value
        for first, second, value in zip(*np.nonzero(~image.mask), image.compressed(), strict=True)
    }
    pairs = check.label_pairs
    names = {label: k for k, label in enumerate(check.label_groups.label)}
    expected = {
        (max(names[a], names[b]), min(names[a], names[b])): value
        for a, b, value in zip(pairs["first"], pairs["second"], pairs.instability, strict=True)
    }
    assert found == pytest.approx(expected)


def test_the_label_of_the_colour_bar_is_not_taller_than_the_bar():
    # Long names below the map leave little height.
    labels = np.array(["a rather long name", "another long name"])[np.arange(N) % 2]
    figure = check_embedding(embeddings=RUNS, labels=labels).plot_labels().figure
    figure.canvas.draw()
    bar = figure.axes[-1]
    assert bar.yaxis.label.get_window_extent().height < bar.get_window_extent().height


def test_a_long_legend_leaves_the_picture_its_size():
    labels = np.array([f"a long name of a kind of cells, number {k}" for k in range(30)])[np.arange(N) % 30]
    check = check_embedding(embeddings=RUNS, labels=labels)
    for ax in (check.plot("label"), *check.plot_runs(2, "label")):
        ax.figure.canvas.draw()
        # One of its sides the points fill nearly.
        shares = np.ptp(ax.dataLim.get_points(), axis=0) / [np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())]
        assert shares.max() > 0.85
        for legend in filter(None, (ax.get_legend(), *ax.figure.legends)):
            assert len(legend.get_texts()) == 30
            box, page = legend.get_window_extent(), ax.figure.bbox
            assert min(box.x0 - page.x0, box.y0 - page.y0, page.x1 - box.x1) >= -1


def test_what_a_check_does_not_have_is_not_drawn():
    check = check_embedding(embeddings=RUNS)
    with pytest.raises(ValueError, match="no labels"):
        check.plot_labels()
    with pytest.raises(ValueError, match="found 'label'"):
        check.plot("label")


NAMES = [f"sample {k % 50}" for k in range(N)]  # ten of them twice
TABLE = pd.DataFrame(X, index=NAMES, columns=list("abcdef"))


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"X": TABLE, "embedder": Projection, "n_embeddings": 4}, NAMES),
        ({"X": X, "embeddings": [pd.DataFrame(run, index=NAMES) for run in RUNS.values()]}, NAMES),
        # The end of a longer table: its rows keep their numbers.
        ({"X": pd.DataFrame(np.r_[X, X])[N:], "embedder": Projection, "n_embeddings": 4}, list(range(N, 2 * N))),
    ],
)
def test_points_have_the_row_names_of_the_table_also_on_the_page(given, names, tmp_path):
    check = check_embedding(**given, labels=KINDS, random_state=0)
    assert check.points.index.tolist() == names
    check.write_html(tmp_path / "of_rows.html")
    check.write_html(tmp_path / "by_hand.html", names=names)
    assert (tmp_path / "of_rows.html").read_bytes() == (tmp_path / "by_hand.html").read_bytes()


def test_a_table_without_row_names_is_numbered():
    check = check_embedding(TABLE.reset_index(drop=True), Projection, 4, random_state=0)
    pd.testing.assert_frame_equal(check.points, points(X, Projection, 4))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (KINDS, "'a'"),
        (pd.date_range("2020", periods=N), ""),
        (pd.Categorical(KINDS), "'a'"),
        ([str(k % 5) for k in range(N)], "'0'"),
        (pd.Series([1.5, 2, "n/a text", 4] * (N // 4), NAMES, dtype=object), "'n/a text'"),
    ],
)
def test_a_column_that_is_no_number_is_named(values, found):
    with pytest.raises(ValueError, match=f"X, column 'kind': expected numbers, found {found}"):
        points(TABLE.assign(kind=values), Projection, 4)


def test_columns_of_other_units_are_named():
    for given in ({"embedder": Projection, "n_embeddings": 4}, {"embeddings": list(RUNS.values())}):
        with pytest.warns(UserWarning, match=r"1 of 6 columns of X \('b'\)"):
            points(TABLE.assign(b=1000 * TABLE.b), **given)
    # Alike, or twice as large as all others together; a table of two columns is a picture.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        points(TABLE, Projection, 4)
        points(TABLE.assign(b=3 * TABLE.b), Projection, 4)
        points(TABLE[["a", "b"]].assign(b=1000 * TABLE.b), Projection, 4)


# What users of AnnData stumbled over


class Shape:
    """A table that has a shape only: nothing of it may be read."""

    def __init__(self, *shape):
        self.shape = shape


@pytest.mark.parametrize("keywords", [{}, {"embeddings": list(RUNS)}, {"representation": "X_pca"}])
def test_genes_that_are_not_used_take_no_memory(keywords):
    """A billion genes would not fit into memory as a dense table."""
    obsm = {"X_pca": X[:, :4], **RUNS}
    cells = SimpleNamespace(X=Shape(N, 10**9), shape=(N, 10**9), obs=pd.DataFrame(index=range(N)), obsm=obsm, uns={})
    cells.obs_names = cells.obs.index
    embedder = None if "embeddings" in keywords else Projection
    assert len(check_embedding(cells, embedder, 4, random_state=0, **keywords).points) == N


def test_keys_may_be_given_by_name_and_one_key_is_too_few(adata):
    named = check_embedding(adata, embeddings={f"run {k}": f"X_{name}" for k, name in enumerate(RUNS)}, random_state=0)
    assert named.run_names == tuple(f"run {k}" for k in range(4))
    pd.testing.assert_frame_equal(named.points, points(embeddings=list(RUNS.values())).set_axis(adata.obs_names))
    with pytest.raises(ValueError, match=r"at least 3 embeddings, found 1\. Make more with other seeds"):
        check_embedding(adata, embeddings="X_seed 0")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: np.where(np.arange(N)[:, None] == 3, np.nan, run), "contains NaN"),
        (lambda run: run[1:], "has 59"),
        (lambda run: run[0], "must have shape"),
        (lambda run: run.astype(str), "must contain real numbers"),
        (lambda run: np.c_[run, np.arange(N)], "column '2': expected a feature"),
        (lambda run: 0 * run, "has all points at one position"),
        (lambda run: RUNS["seed 0"], "are the same picture"),
        (lambda run: pd.DataFrame(run).iloc[::-1], "must have its rows in the order of Embedding 'seed 0'"),
    ],
)
def test_runs_given_by_name_are_called_by_it_in_errors(change, words):
    runs = {name: pd.DataFrame(run) for name, run in RUNS.items()}
    runs["seed 2"] = change(RUNS["seed 2"])
    with pytest.raises(ValueError, match=f"Embedding 'seed 2'.* {words}"):
        check_embedding(embeddings=runs)


def test_parts_of_anndata_are_called_by_their_keys_in_errors(adata):
    adata.obsm["X_seed 2"] = np.full((N, 2), np.nan)
    with pytest.raises(ValueError, match="Embedding 'X_seed 2' contains NaN"):
        check_embedding(adata, embeddings=[f"X_{name}" for name in RUNS])
    adata.obsm["X_pca"] = np.where(np.eye(N, 4) > 0, np.nan, X[:, :4])
    with pytest.raises(ValueError, match=r"^AnnData, obsm 'X_pca' must not have missing"):
        check_embedding(adata)
    adata.obsm["X_pca"] = X[:, :4] * [1, 1, 1, 1e4]
    with pytest.warns(UserWarning, match=r"1 of 4 columns of AnnData, obsm 'X_pca'"):
        check_embedding(adata, Projection, 4)


def test_rows_in_another_order_than_the_cells_are_refused(adata):
    order = np.random.default_rng(0).permutation(N)
    labels = pd.Series(KINDS, index=adata.obs_names)
    frames = [pd.DataFrame(run, index=adata.obs_names) for run in RUNS.values()]
    check_embedding(adata, embeddings=frames, labels=labels)
    with pytest.raises(ValueError, match="labels must have its rows in the order of X"):
        check_embedding(adata, embeddings=frames, labels=labels.iloc[order])
    with pytest.raises(ValueError, match="Embedding 0 must have its rows in the order of X"):
        check_embedding(adata, embeddings=[frame.iloc[order] for frame in frames])


def test_frames_of_a_view_of_a_dict_are_compared_too():
    frames = {name: pd.DataFrame(run).iloc[::-1] for name, run in RUNS.items()}
    with pytest.raises(ValueError, match="Embedding 0 must have its rows in the order of X"):
        check_embedding(pd.DataFrame(X), embeddings=frames.values())


def test_a_picture_that_no_check_has_made_is_not_replaced(adata):
    adata.obsm["X_umap"] = X[:, :2]
    with pytest.raises(ValueError, match=r"key_added='umap' would replace obsm\['X_umap'\]"):
        check_embedding(adata, Projection, 4, key_added="umap")
    for _ in range(2):
        check_embedding(adata, Projection, 4, key_added="mine")
    assert set(adata.obs) == {"kind", *(f"mine_{name}" for name in COLUMNS)}
    adata.obs["stability"] = "my own"
    with pytest.raises(
        ValueError, match=r"key_added='consensus' would replace obs\['stability'\], which no check has made"
    ):
        check_embedding(adata, Projection, 4)
    assert set(adata.obs["stability"]) == {"my own"}


def test_an_object_without_values_and_a_key_given_twice_are_named(adata):
    adata.X = None
    del adata.obsm["X_pca"]
    with pytest.raises(ValueError, match=r"expected values in X, found none\. Name a key of obsm .*X_seed 0"):
        check_embedding(adata, Projection, 4)
    with pytest.raises(ValueError, match="keys of obsm that differ, found 'X_seed 0' twice"):
        check_embedding(adata, embeddings=["X_seed 0", "X_seed 1", "X_seed 0"])


def test_labels_in_another_order_are_found_by_names_that_anndata_has_made_text(adata):
    adata.obs.index = adata.obs_names = pd.Index([str(k) for k in range(N)])
    keys = [f"X_{name}" for name in RUNS]
    labels = pd.Series(KINDS, index=pd.Index(list(range(N))))
    check_embedding(adata, embeddings=keys, labels=labels)
    with pytest.raises(ValueError, match="labels must have its rows in the order of X"):
        check_embedding(adata, embeddings=keys, labels=labels.sample(frac=1, random_state=0), key_added=None)


def test_a_name_of_an_embedder_is_refused_with_the_way_to_pass_one():
    with pytest.raises(ValueError, match=r"found 'umap'\. Pass the object, such as umap\.UMAP"):
        check_embedding(X, "umap")


def test_runs_of_a_pipeline_are_compared_with_what_its_last_step_gets(recwarn):
    uneven = X * np.array([1e4, 1, 1, 1, 1, 1])
    whole = check_embedding(uneven, make_pipeline(StandardScaler(), Projection()), 4, random_state=0)
    scaled = check_embedding(StandardScaler().fit_transform(uneven), Projection(), 4, random_state=0)
    pd.testing.assert_frame_equal(whole.fidelity, scaled.fidelity)
    assert not [warning for warning in recwarn if "of its variance" in str(warning.message)]
    steps = make_pipeline(GaussianRandomProjection(4), Projection())
    assert check_embedding(X, steps, 4, random_state=0).fidelity is not None


def test_with_precomputed_distances_these_are_the_data():
    by_features = check_embedding(X, ExactTSNE(perplexity=15), 4, random_state=0)
    by_distances = check_embedding(
        squareform(pdist(X)), ExactTSNE(perplexity=15, metric="precomputed"), 4, random_state=0
    )
    pd.testing.assert_frame_equal(by_distances.fidelity, by_features.fidelity, atol=1e-6)


class DistancesOfMDS(Projection):
    """Takes distances, and says so as MDS of scikit-learn before 1.8."""

    dissimilarity = "precomputed"


def test_distances_of_mds_are_the_data_too():
    D = squareform(pdist(X))
    by_metric = DistancesOfMDS()
    by_metric.metric = "precomputed"
    found = check_embedding(D, DistancesOfMDS(), 4, random_state=0).fidelity
    pd.testing.assert_frame_equal(found, check_embedding(D, by_metric, 4, random_state=0).fidelity)


def test_a_missing_entry_of_a_type_of_pandas_is_named():
    table = pd.DataFrame(X).astype("Float64")
    table.iloc[3, 2] = pd.NA
    with pytest.raises(ValueError, match="missing or infinite values, found 1, the first in row 3, column 2"):
        check_embedding(table)


def test_labels_are_text_in_pictures_and_no_formulas(tmp_path):
    labels = np.where(KINDS == "a", "$100_$", np.where(KINDS == "b", "A$_$B", "c"))
    runs = {f"$_{k}$": run for k, run in enumerate(RUNS.values())}
    check = check_embedding(embeddings=runs, labels=labels, random_state=0)
    check.write_html(tmp_path / "check.html")
    for ax in (check.plot("label"), check.plot_labels(), *check.plot_runs(2)):
        ax.figure.canvas.draw()
    assert not plt.get_fignums() or plt.close("all") is None


def test_points_are_drawn_by_any_column():
    check = check_embedding(embeddings=list(RUNS.values()), random_state=0)
    check = replace(check, points=check.points.assign(batch=["x", "y"] * (N // 2), gene=np.arange(N) / 7))
    legend = check.plot("batch").get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["x", "y"]
    assert check.plot("gene").get_legend() is None
    # A number that is missing is no place without a point.
    holes = np.where(np.arange(N) < 5, np.inf, np.where(np.arange(N) < 7, np.nan, 1.0 * np.arange(N)))
    ax = replace(check, points=check.points.assign(gene=holes)).plot("gene")
    assert [len(drawn.get_offsets()) for drawn in ax.collections] == [7, N - 7]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["missing (7)"]
    # A category without points has no place in a legend; a text may be missing.
    kinds = pd.Categorical(["x", "y"] * (N // 2), categories=list("abcdefghijkxyz"))
    gaps = pd.array(["u", None] * (N // 2), dtype="string")
    check = replace(check, points=check.points.assign(kind=kinds, gap=gaps))
    for column, names in {"kind": ["x", "y"], "gap": ["u", "no label"]}.items():
        assert [text.get_text() for text in check.plot(column).get_legend().get_texts()] == names
        # So they are called as the labels are.
        renamed = replace(check, points=check.points.assign(label=check.points[column]))
        assert [text.get_text() for text in renamed.plot("label").get_legend().get_texts()] == names
    legends = [check.plot(color).get_legend().get_texts() for color in ("stability", "category")]
    assert [text.get_text() for text in legends[0]] == [text.get_text() for text in legends[1]]
    with pytest.raises(ValueError, match="n_runs of plot_runs must be"):
        check.plot_runs(0)
    plt.close("all")


class _TwoWords(UserWarning):
    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


class WarnsInItsWay(Projection):
    """Warns by a class that takes two words."""

    def fit_transform(self, X):
        warnings.warn(_TwoWords("not", "converged"), stacklevel=1)
        return super().fit_transform(X)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_warning_of_any_class_comes_back_from_the_runs(n_jobs):
    with pytest.warns(UserWarning, match="_TwoWords: not converged"):
        run_embeddings(WarnsInItsWay(), X, [0, 1], n_jobs=n_jobs)


def test_a_sparse_table_is_refused_by_runs_with_its_shape():
    with pytest.raises(ValueError, match="X must"):
        run_embeddings(Projection(), csr_matrix(X.astype(np.float32)), [0, 1])

"""Methods that a configuration adds: found by import path, checked, and scored as the project's own are."""

import re
import sys
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import test_gene_experiments as genes
import test_image_experiments as images
import test_spectra_experiments as spectra
from consensus_embedding.manifold.distance_matrices import distance_gram, validate_embeddings
from replication.catalogue.configuration import check_config, read_configuration
from replication.catalogue.user_methods import unused_methods
from replication.data.digits import read_digits
from replication.data.readers.expression import save_split
from replication.data.readers.spectra import save_studies
from replication.papers.tiwari2008 import spectra_figures, spectra_tables
from replication.papers.tiwari2008 import user_methods as on_spectra
from replication.papers.tomo2025 import consensus_comparison, mce_figures, mce_tables
from replication.papers.tomo2025 import user_methods as on_digits
from replication.papers.viswanath2012 import brain_grid, gene_figures, gene_tables, image_figures, image_tables
from replication.papers.viswanath2012 import user_methods as on_images_and_genes
from replication.papers.viswanath2012.gene_splits import draw_subsets, embed_pool, gene_seed, save_pools
from replication.papers.viswanath2012.image_slices import pack_slices
from replication.platform.configuration import ConfigurationError, merge
from replication.platform.methods import AddedMethod, check_methods, code_of_method, with_added
from replication.platform.steps import Work
from replication.platform.study import Study
from replication.shared import user_methods
from replication.shared.presenting import read_results
from replication.shared.tidy import Metrics, read_table, write_table

# A file of a user's: the project's own consensus, an embedding that draws, and what cannot be used.
FILE = """
import numpy as np
from consensus_embedding import combine_embeddings, validate_embeddings
from sklearn.base import BaseEstimator

from helper import half


class Own(BaseEstimator):
    def __init__(self, n_components=2, estimator="median", normalization="max"):
        self.n_components = n_components
        self.estimator = estimator
        self.normalization = normalization

    def fit(self, embeddings):
        stack = validate_embeddings(embeddings)
        found = combine_embeddings(
            stack, n_components=self.n_components, estimator=self.estimator, normalization=self.normalization
        )
        self.embedding_, self.distances_ = found.embedding, found.distances
        return self


class Projection(BaseEstimator):
    def __init__(self, n_components=2, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def fit_transform(self, X):
        rng = np.random.default_rng(self.random_state)
        return half(X) @ rng.normal(size=(X.shape[1], self.n_components))


class Failing(Own):
    def fit(self, embeddings):
        raise ZeroDivisionError("nothing to divide by")


class Wide(BaseEstimator):
    def fit_transform(self, X):
        return X[:, :3]


class Flat(BaseEstimator):
    def fit(self, embeddings):
        self.embedding_ = combine_embeddings(validate_embeddings(embeddings), n_components=2).embedding
        return self


class Silent(BaseEstimator):
    def fit_transform(self, X):
        self.embedding_ = X[:, :2]


class Needing(Own):
    def __init__(self, k, *, width, n_components=2, **others):
        super().__init__(n_components)
        self.k = k
        self.width = width


class Exiting(Own):
    def fit(self, embeddings):
        raise SystemExit(3)


one = 1
"""
HELPER = "def half(X):\n    return X / 2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of a user's with a method in a file and a module next to it."""
    (tmp_path / "user_methods.py").write_text(FILE)
    (tmp_path / "helper.py").write_text(HELPER)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for name in ("user_methods", "helper"):
        sys.modules.pop(name, None)


def entry(folder, kind="consensus", name="mine", class_name="Own", **parameters):
    item = {"name": name, "class": f"user_methods.{class_name}", "kind": kind, "parameters": parameters}
    return {**item, "path": str(folder / "user_methods.py")}


def method(folder, **given):
    return AddedMethod.from_item(entry(folder, **given))


def values(table, metric, name):
    return table[(table["metric"] == metric) & (table["method"] == name)]["value"].to_numpy()


# --- found and refused


def test_the_modules_behind_a_method_are_its_file_what_it_imports_there_and_ours(folder):
    found = code_of_method(method(folder))
    assert {str(folder / "user_methods.py"), str(folder / "helper.py")} < set(found)
    assert "src/consensus_embedding/consensus/subset_embeddings.py" in found
    assert not any("replication" in path or "sklearn" in path for path in found)


def test_a_module_on_the_path_needs_no_path_and_an_installed_one_is_itself(folder, monkeypatch):
    package = folder / "shelf" / "deep"
    package.mkdir(parents=True)
    (folder / "shelf/__init__.py").write_text("")
    (package / "__init__.py").write_text("from .other import Own\n")
    (package / "other.py").write_text("from ..base import Own\n")
    (folder / "shelf/base.py").write_text("class Own: pass\n")
    monkeypatch.syspath_prepend(folder)
    shelved = AddedMethod("shelved", "shelf.deep.Own", "consensus")
    names = ["shelf/__init__.py", "shelf/base.py", "shelf/deep/__init__.py", "shelf/deep/other.py"]
    assert code_of_method(shelved) == [str(folder / name) for name in names]
    installed = AddedMethod("PCA", "sklearn.decomposition.PCA", "embedding")
    (module,) = code_of_method(installed)
    assert module.endswith("sklearn/decomposition/__init__.py")
    check_methods([{"name": "PCA of all", "class": "sklearn.decomposition.PCA", "kind": "embedding"}])


REFUSED = {
    "a missing class": (
        {"class": "user_methods.Owen"},
        r"methods[0].class: .*user_methods.py has no class Owen; did you",
    ),
    "a missing file": ({"path": "nowhere.py"}, r"methods[0].path: nowhere.py does not exist"),
    "another file": ({"class": "mine.Own"}, r"methods[0].class: expected user_methods.Own"),
    "a missing module": ({"class": "nowhere.Own", "path": None}, r"methods[0].class: there is no module nowhere"),
    "a name of ours": ({"name": "Arithmetic Mean"}, r"methods[0].name: .* 'Arithmetic Mean'"),
    "an id of ours": ({"name": "pairwise median"}, r"methods[0].name: .* 'pairwise median'"),
    "a seed": ({"parameters": {"random_state": 1}}, r"methods[0].parameters.random_state: "),
    "a wrong kind": ({"kind": "consensual"}, r"methods[0].kind: expected one of consensus, embedding"),
    "a wrong name": ({"name": "a\tb"}, r"methods[0].name: expected a letter"),
    "no module": ({"class": "Own"}, r"methods[0].class: expected module.Class, found the text 'Own'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_before_anything_runs(folder, case):
    change, message = REFUSED[case]
    item = {key: value for key, value in {**entry(folder), **change}.items() if value is not None}
    config = merge(read_configuration("quick.yaml"), {"methods": [item]})
    with pytest.raises(ConfigurationError, match=message.replace("[", "\\[")):
        check_config(config)


def test_two_methods_of_one_name_and_a_file_that_is_no_python_are_refused(folder):
    with pytest.raises(ConfigurationError, match=r"methods\[1\].name: .* found 'Mine'"):
        check_methods([entry(folder), entry(folder, name="Mine")])
    for content, message in ((b"def half(X:\n", "helper.py .*line 1: "), (b"half = '\xff'\n", "UTF-8")):
        (folder / "helper.py").write_bytes(content)
        with pytest.raises(ConfigurationError, match=rf"methods\[0\].class: .*{message}"):
            check_methods([entry(folder)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, None),
        ({"kind": "embedding", "class_name": "Projection"}, None),
        ({"class_name": "Failing"}, "'mine' .user_methods.Failing. is not a valid consensus: ZeroDivisionError"),
        ({"class_name": "Exiting"}, ".user_methods.Exiting. is not a valid consensus: SystemExit: 3"),
        ({"class_name": "Projection"}, "Projection must have a method fit"),
        ({"class_name": "one"}, "expected a class, found an object of type int"),
        ({"class_name": "Silent", "kind": "embedding"}, "Silent.fit_transform.* found nothing"),
        ({"class_name": "Needing", "k": 3}, "found none for width"),
        ({"power": 2}, "cannot be made: TypeError: .*'power'"),
    ],
)
def test_the_first_job_refuses_what_breaks_the_contract_and_names_it(folder, given, message):
    with pytest.raises(ValueError, match=message) if message else nullcontext():
        user_methods.check(method(folder, **given))


def test_methods_that_no_experiment_of_the_study_takes_are_named(folder):
    config = merge(read_configuration(), {"methods": [entry(folder)]})
    for experiments, is_said in ((["toy_rgb"], True), ([], True), (["toy_rgb", "consensus_comparison"], False)):
        said = unused_methods(Study({**config, "experiments": experiments}))
        assert ("consensus_comparison" in said) == is_said
    assert unused_methods(Study({**config, "methods": [], "experiments": ["toy_rgb"]})) == ""


def test_a_result_of_other_columns_than_asked_for_is_refused(folder):
    wide, X = method(folder, kind="embedding", class_name="Wide"), np.random.default_rng(0).normal(size=(20, 5))
    assert user_methods.embed(wide, X, n_components=3, seed=0).shape == (20, 3)
    with pytest.raises(ValueError, match=r"'mine' .user_methods.Wide. failed: expected .* 2 columns, found 3"):
        user_methods.embed(wide, X, n_components=2, seed=0)
    flat, runs = method(folder, class_name="Flat"), np.random.default_rng(0).normal(size=(4, 20, 3))
    options = {"mds": "classical", "seed": 0}
    assert user_methods.combine(flat, runs, n_components=2, **options)[0].shape == (20, 2)
    with pytest.raises(ValueError, match=r"failed: expected .* 3 columns, found 2"):
        user_methods.combine(flat, runs, n_components=3, **options)


def test_a_file_that_ends_the_program_is_named(folder):
    (folder / "user_methods.py").write_text("import sys\n\nsys.exit('no licence')\n")
    with pytest.raises(ValueError, match="cannot be imported: SystemExit: no licence"):
        user_methods.load(method(folder))


def test_a_file_that_is_called_like_another_module_is_refused(folder):
    (folder / "json.py").write_text(FILE)
    with pytest.raises(ValueError, match="another module is called json"):
        user_methods.load(AddedMethod("mine", "json.Own", "consensus", path=str(folder / "json.py")))


# --- scored: the project's own consensus, written in a file outside, has the rows of the project's own


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Files of a pool of runs of 60 digits, and the rows of the project's own methods."""
    folder = tmp_path_factory.mktemp("digits")
    X, labels = read_digits(60)
    rng = np.random.default_rng(0)
    pool = (X[:, :12:6] + rng.normal(size=(11, 60, 2))).astype(np.float32)
    gram = distance_gram(validate_embeddings(pool))
    np.savez(folder / "pool.npz", embeddings=pool)
    np.save(folder / "gram.npy", gram)
    parameters = {"n_embeddings": 3, "repetitions": 2, "n_neighbors": 5}
    settings = {"tolerance": 1e-5, "max_iter": 500, "mds": "classical", "normalize": "none"}
    solver = {key: settings[key] for key in ("tolerance", "max_iter")}
    own = consensus_comparison.run(
        X, labels, pool, np.arange(11.0), gram, pool[0], pool[:2], reference_runs=5, **parameters, solver=solver,
        mds="classical", about={"dataset": "digits_60", "source": "original"}, work=Work(seed=1),
    )  # fmt: skip
    write_table(own, folder / "metrics.tsv")
    files = {"pool": folder / "pool.npz", "gram": folder / "gram.npy"}
    given = {**files, "n_samples": 60, "reference_runs": 5, "parameters": parameters, "median_consensus": settings}
    return folder, own, {**given, "work": Work(seed=1)}


def joined(folder, table):
    """The metrics that tables and figures are made from: the project's own in one file, the added ones in another."""
    write_table(table, folder / "added.tsv")
    return read_results({"metrics": [folder / "metrics.tsv", folder / "added.tsv"]})["metrics"]


def test_digits(folder, digits):
    files, own, given = digits
    median = on_digits.score_comparison(method(folder, estimator="mean", normalization="none"), **given).table()
    for metric in ("distance_to_reference", "pairwise_distance", "neighborhood_preservation", "silhouette"):
        np.testing.assert_allclose(values(median, metric, "added: mine"), values(own, metric, "mean"), rtol=1e-6)
    metrics = joined(files, median)
    table = mce_tables.comparison_table(metrics)
    shown = table[table["method"] == "added: mine"].set_index("space")
    means = table[table["method"] == "mean"].set_index("space")
    pd.testing.assert_frame_equal(shown.iloc[:, 1:5], means.iloc[:, 1:5])
    assert re.fullmatch(r"[+-]\S+ \(\S+ to \S+\)", shown.loc["consensus", "silhouette minus geometric median"])
    before = mce_tables.comparison_table(read_table(files / "metrics.tsv"))
    pd.testing.assert_frame_equal(table.iloc[: len(before), : before.shape[1]], before)
    assert "added: mine" in labels_of(mce_figures.draw_comparison(metrics, "none"))


def test_an_embedding_of_the_digits_has_the_norm_of_the_reference_and_a_seed_a_repetition(folder, digits):
    projection = {"kind": "embedding", "class_name": "Projection"}
    first = on_digits.score_comparison(method(folder, **projection), **digits[2]).table()
    assert values(first, "pairwise_distance", "added: mine").min() > 0
    again = on_digits.score_comparison(method(folder, name="other", **projection), **digits[2]).table()
    np.testing.assert_array_equal(first["value"], again["value"])
    norm = np.linalg.norm(consensus_comparison.reference_of(
        validate_embeddings(np.load(digits[2]["pool"])["embeddings"]), np.load(digits[2]["gram"]), 5,
        {"tolerance": 1e-5, "max_iter": 500}, 1,
    ))  # fmt: skip
    assert values(first, "distance_to_reference", "added: mine").max() < 2 * np.sqrt(2) * norm


def labels_of(figure):
    return [label.get_text() for ax in figure.axes for label in ax.get_yticklabels()]


@pytest.mark.slow
def test_brain_slices(folder, tmp_path):
    slices = {f"mean_shift/{f}/{z}": images.embedded(z + f) for f in (0, 40) for z in (60, 70)}
    np.savez(tmp_path / "slices.npz", **pack_slices(slices))
    own = Metrics("brain_grid", "icbm152_simulated", "simulated", brain_grid.CONDITIONS)
    for f in (0, 40):
        here = {z: slices[f"mean_shift/{f}/{z}"] for z in (60, 70)}
        at = {"objects": "mean_shift", "noise": 3, "inhomogeneity": f, "draw": 0}
        brain_grid.score_combination(own, here, here[60].accuracies, images.SETTINGS, seed=1, **at)
    given = {"work": Work(seed=1), "slices": tmp_path / "slices.npz", "unit": "icbm152_0", "noise": 3}
    given |= {"brain": images.BRAIN, "settings": dict(images.SETTINGS)}
    median = on_images_and_genes.score_brain(method(folder), **given).table()
    np.testing.assert_array_equal(
        values(median, "accuracy", "added: mine"), values(own.table(), "accuracy", "consensus")
    )
    embedding = on_images_and_genes.score_brain(
        method(folder, name="drawn", kind="embedding", class_name="Projection"), **given
    ).table()
    write_table(own.table(), tmp_path / "metrics.tsv")
    metrics = joined(tmp_path, pd.concat([median, embedding]))
    alone = read_table(tmp_path / "metrics.tsv")
    tests, before = image_tables.grid_tests(metrics), image_tables.grid_tests(alone)
    pd.testing.assert_frame_equal(tests.iloc[: len(before)], before)
    assert (tests[(tests["first"] == "added: mine") & (tests["second"] == "consensus GE")]["difference"] == 0).all()
    assert labels_of(image_figures.draw_controls(metrics))[-2:] == ["added: mine", "added: drawn"]


@pytest.mark.slow
def test_gene_expression(folder, tmp_path):
    split = genes.planted(seed=3, effect=0.8, test=(11, 8))
    own_seed = gene_seed(1, "planted")
    prepared = genes.prepare_genes(split, **genes.SETTINGS.preparation)
    subsets = [draw_subsets(24, 6, genes.POOL, own_seed, r) for r in range(2)]
    pools = {
        reduction: [embed_pool(prepared, reduction, drawn, genes.SETTINGS) for drawn in subsets]
        for reduction in genes.REDUCTIONS
    }
    save_split(tmp_path / "planted.npz", split)
    for reduction, made in pools.items():
        np.savez(tmp_path / f"{reduction}.npz", **save_pools(made))
    collected = Metrics("gene_expression", "planted", "simulated", genes.gene_expression.CONDITIONS)
    draws = {"repetitions": 2, "pool_size": genes.POOL, "seed": own_seed, "controls": False}
    genes.score_variant(collected, split, genes.SETTINGS, pools=pools, **draws)
    own = collected.table()
    given = {"work": Work(seed=1), "split": tmp_path / "planted.npz", "name": "planted", "source": "simulated"}
    given |= {reduction: tmp_path / f"{reduction}.npz" for reduction in pools}
    given |= {"settings": dict(genes.SETTINGS), "repetitions": 2}
    median = on_images_and_genes.score_genes(method(folder), **given).table()
    for short, name in (("ge", "GE"), ("pca", "PCA")):
        for mark in ("s", "us"):
            errors = ("false_positive_rate", "false_negative_rate")
            for metric in ("accuracy", "balanced_accuracy", "silhouette", "n_selected", *errors):
                found = values(median, metric, f"added: mine, {name}, {mark.upper()}")
                np.testing.assert_array_equal(found, values(own, metric, f"consensus_{short}_{mark}"))
    drawn = {"name": "drawn", "kind": "embedding", "class_name": "Projection"}
    embedding = on_images_and_genes.score_genes(method(folder, **drawn), **given).table()
    write_table(own, tmp_path / "metrics.tsv")
    metrics = joined(tmp_path, pd.concat([median, embedding]))
    tests = gene_tables.tests_table(metrics)
    before = gene_tables.tests_table(read_table(tmp_path / "metrics.tsv"))
    mine = tests["first"].str.startswith("added: ")
    pd.testing.assert_frame_equal(tests[~mine].reset_index(drop=True), before)
    for draw in (gene_figures.draw_accuracy, gene_figures.draw_controls):
        assert labels_of(draw(metrics))[-1] == "added: drawn"


@pytest.mark.slow
def test_spectra(folder, tmp_path):
    studies = [spectra.planted("first", 1), spectra.planted("second", 2)]
    training = [spectra.planted(name, k) for k, name in enumerate(("third", "fourth"), 3)]
    np.savez(tmp_path / "evaluation.npz", **save_studies(studies))
    np.savez(tmp_path / "training.npz", **save_studies(training))
    own, _ = spectra.spectra_methods.run(studies, training, spectra.SETTINGS, condition=spectra.CONDITION, **spectra.AT)
    given = {**spectra.AT, "evaluation": tmp_path / "evaluation.npz", "training": tmp_path / "training.npz"}
    given |= {"settings": dict(spectra.SETTINGS), "condition": spectra.CONDITION}
    mode = on_spectra.score_spectra(method(folder, estimator="mode", normalization="none"), **given).table()
    for metric in spectra.SCORES:
        np.testing.assert_array_equal(values(mode, metric, "added: mine"), values(own, metric, "c_lle"))
    drawn = {"name": "drawn", "kind": "embedding", "class_name": "Projection"}
    embedding = on_spectra.score_spectra(method(folder, **drawn), **given).table()
    write_table(own, tmp_path / "metrics.tsv")
    metrics = joined(tmp_path, pd.concat([mode, embedding]))
    table = spectra_tables.table_1a(metrics).set_index("method")
    before = spectra_tables.table_1a(own).set_index("method")
    assert table.loc["added: mine"].iloc[:6].tolist() == table.loc["C-LLE"].iloc[:6].tolist()
    assert table.loc["added: mine", "balanced accuracy minus C-LLE (% points)"] == 0
    pd.testing.assert_frame_equal(table.loc[before.index, before.columns], before)
    assert labels_of(spectra_figures.draw_methods(metrics))[-2:] == ["added: mine", "added: drawn"]
    assert "added: mine" in [text.get_text() for text in spectra_figures.draw_sweep(metrics).legends[0].get_texts()]


# --- named


def test_added_methods_come_last_under_their_own_names():
    assert list(with_added({"a": "A"}, ["added: z", "a", "added: b", "added: z", "c"])) == ["a", "added: z", "added: b"]

"""Checks of your own embeddings: what they work on, how an embedder is found, and the page that they write."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import check_embedding
from consensus_embedding.diagnostics.summary import answer_sentences, missed_share
from consensus_embedding.io.embedding_table import EmbeddingDataError
from replication.catalogue.configuration import check_config, read_configuration
from replication.own_data import embedding_source
from replication.own_data.embedding_figures import draw_pictures
from replication.own_data.embedding_page import readings
from replication.own_data.embedding_results import write_results
from replication.own_data.embedding_source import OwnEmbedding, load_points, make_embedder, start_of
from replication.platform.configuration import ConfigurationError
from replication.shared.tidy import read_table, write_table

N, M = 60, 5
TEMPLATE = "workflow/report/check.html.j2"
# Text that HTML, matplotlib and TSV could take for something of their own.
NAMES = ["$x_1$", "<b>&amp;", '"it\'s"', "Ω 名", "-1e3"]


@pytest.mark.parametrize("named", ["labels", "table"])
def test_points_are_matched_by_name_or_by_order_and_never_half(folder, named):
    runs = tuple(str(folder / f"run_{k}.npy") for k in range(M))
    item = OwnEmbedding.model_construct(
        name="e", embeddings=runs, label="kind", id="name", **{named: str(folder / "table.csv")}
    )
    words = r"own_embeddings, e: expected names of points in .*, because id is 'name', found none"
    with pytest.raises(EmbeddingDataError, match=words):
        load_points(item, 0)
    assert load_points(item.replace(id=None, drop=("name",)), 0).labels.tolist()[::30] == ["x", "y"]


@pytest.fixture
def folder(tmp_path):
    """Files of 60 points in three groups: a table, ready embeddings, and labels."""
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(3, 4) * 8, N // 3, axis=0)
    table = pd.DataFrame(centres + rng.normal(size=(N, 4)), columns=["a", "b", "c", "d"])
    table["constant"] = 3.0
    kinds = np.repeat(["x", "y", "z"], N // 3)
    table.assign(kind=kinds, name=[f"p{k}" for k in range(N)]).to_csv(tmp_path / "table.csv", index=False)
    for run in range(M):
        np.save(tmp_path / f"run_{run}.npy", centres[:, :2] + rng.normal(size=(N, 2)))
    pd.DataFrame({"kind": kinds[:-1]}).to_csv(tmp_path / "short.csv", index=False)
    pd.DataFrame({"kind": kinds}).to_csv(tmp_path / "labels.csv", index=False)
    return tmp_path


def item(folder, **keys):
    """An item whose paths are in the folder."""
    paths = {key: str(folder / keys.pop(key)) for key in ("table", "labels", "anndata") if key in keys}
    return OwnEmbedding.model_construct(name="mine", **paths, **keys)


def runs_in(folder):
    return tuple(str(folder / f"run_{run}.npy") for run in range(M))


def test_columns_are_scaled_unless_they_have_one_unit(folder):
    named = {"table": "table.csv", "label": "kind", "id": "name"}
    scaled = load_points(item(folder, **named), 0)
    np.testing.assert_allclose(scaled.X.std(axis=0), [1, 1, 1, 1, 0])
    raw = load_points(item(folder, **named, scaling="none"), 0)
    assert raw.X[:, 4].tolist() == [3.0] * N
    assert raw.ids[:2] == ("p0", "p1")
    assert raw.labels[0] == "x"


def test_a_column_far_from_one_is_scaled_as_any_other(folder):
    table = pd.read_csv(folder / "table.csv")
    expected = load_points(item(folder, table="table.csv", label="kind", drop=("name",)), 0).X
    for unit in (2.0**660, 2.0**-660):
        table.assign(a=table["a"] * unit, constant=0.1).to_csv(folder / "far.csv", index=False)
        found = load_points(item(folder, table="far.csv", label="kind", drop=("name",)), 0).X
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_equal_points_are_refused_whatever_their_rounding(folder):
    pd.DataFrame(np.full((N, 3), 0.1), columns=["a", "b", "c"]).to_csv(folder / "equal.csv", index=False)
    with pytest.raises(EmbeddingDataError, match=r"expected points that differ, found 60 equal ones"):
        load_points(item(folder, table="equal.csv"), 0)


def test_what_fails_while_it_is_written_leaves_nothing(tmp_path):
    (tmp_path / "table.tsv").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_table(pd.DataFrame({"a": ["\ud800"]}), tmp_path / "table.tsv")
    output = {"page": str(tmp_path / "check.html")}
    points = embedding_source.CheckedPoints(None, None, None, None, np.arange(N), N)
    with pytest.raises(UnicodeEncodeError):
        write_results(
            OwnEmbedding.model_construct(name="\ud800"), points, stable_and_not(None), output, {}, TEMPLATE, 0
        )
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("table.tsv", "old")]


def test_a_sample_takes_the_same_rows_of_everything(folder):
    given = item(folder, table="table.csv", label="kind", id="name", embeddings=(), sample=40, scaling="none")
    points = load_points(given, 0)
    assert len(points.rows) == len(points.X) == 40
    assert points.n_in_file == N
    assert points.ids == tuple(f"p{row}" for row in points.rows)
    full = load_points(item(folder, table="table.csv", label="kind", id="name", scaling="none"), 0)
    np.testing.assert_array_equal(points.X, full.X[points.rows])
    assert points.labels.tolist() == full.labels[points.rows].tolist()
    np.testing.assert_array_equal(load_points(given, 0).rows, points.rows)
    assert load_points(given, 1).rows.tolist() != points.rows.tolist()


def test_labels_of_another_length_are_refused(folder):
    with pytest.raises(EmbeddingDataError, match="mine: expected 60 rows in labels, one per point, found 59"):
        load_points(
            OwnEmbedding.model_construct(name="mine", embeddings=runs_in(folder), labels=str(folder / "short.csv")), 0
        )


def test_labels_that_are_no_categories_are_refused(folder):
    with pytest.raises(EmbeddingDataError, match=r"expected labels that are categories.*found 60 labels for 60 points"):
        load_points(item(folder, table="table.csv", label="name", drop=("kind",)), 0)
    with pytest.raises(EmbeddingDataError, match=r"expected at least 2 labels, found only '3\.0'"):
        load_points(item(folder, table="table.csv", label="constant", drop=("kind", "name")), 0)


def test_too_many_points_are_refused_with_the_way_out(folder, monkeypatch):
    monkeypatch.setattr(embedding_source, "MAX_POINTS", 50)
    with pytest.raises(EmbeddingDataError, match=r"expected at most 50 points, found 60.*add sample: 5000"):
        load_points(item(folder, table="table.csv", label="kind", id="name"), 0)
    assert len(load_points(item(folder, table="table.csv", label="kind", id="name", sample=50), 0).rows) == 50


def test_an_embedder_is_found_by_its_import_path():
    made = make_embedder(
        OwnEmbedding.model_construct(name="mine", embedder="sklearn.manifold.TSNE", parameters={"perplexity": 5})
    )
    assert type(made).__name__ == "TSNE"
    assert made.perplexity == 5
    assert make_embedder(OwnEmbedding.model_construct(name="mine")) is None


@pytest.mark.parametrize(
    ("path", "parameters", "words"),
    [
        ("absent_package.Map", {}, "needs the package absent_package, which is not installed. Install it: pip install"),
        ("sklearn.manifolds.TSNE", {}, "there is no module sklearn.manifolds"),
        ("sklearn.manifold.tSNE", {}, "the module sklearn.manifold has no tSNE"),
        ("sklearn.manifold.trustworthiness", {}, "expected a class with the method fit_transform, such as umap.UMAP"),
        ("sklearn.svm.SVC", {}, "expected a class with the method fit_transform"),
        ("sklearn.manifold.TSNE", {"perplexty": 5}, "sklearn.manifold.TSNE does not take perplexty; it takes n_comp"),
    ],
)
def test_an_embedder_that_cannot_be_used_gets_one_clear_error(path, parameters, words):
    with pytest.raises(ValueError, match=r"own_embeddings, (embedder|parameters) of mine: ") as raised:
        make_embedder(OwnEmbedding.model_construct(name="mine", embedder=path, parameters=parameters))
    assert words in str(raised.value)


def test_a_missing_package_is_named_as_it_is_installed(monkeypatch):
    monkeypatch.setitem(embedding_source._PACKAGES, "absent_package", "absent-package-of-another-name")
    with pytest.raises(ValueError, match=r"pip install absent-package-of-another-name .*are the extra embedders"):
        make_embedder(OwnEmbedding.model_construct(name="mine", embedder="absent_package.Map"))


def test_a_page_warns_of_runs_that_all_start_from_the_same_place(tmp_path):
    tsne = {"embedder": "sklearn.manifold.TSNE"}
    assert start_of(make_embedder(OwnEmbedding.model_construct(name="mine", **tsne))) == "init='pca'"
    assert (
        start_of(make_embedder(OwnEmbedding.model_construct(name="mine", **tsne, parameters={"init": "random"})))
        is None
    )
    assert start_of(None) is None
    points = embedding_source.CheckedPoints(None, None, None, None, np.arange(N), N)
    page = {"page": str(tmp_path / "check.html")}
    write_results(
        OwnEmbedding.model_construct(name="mine"), points, stable_and_not(None), page, {}, TEMPLATE, 0, "init='pca'"
    )
    assert "All runs start from the same positions (init='pca')" in unescape((tmp_path / "check.html").read_text())


def problems(item):
    with pytest.raises(ConfigurationError) as caught:
        check_config({**read_configuration(), "own_embeddings": [item]})
    return str(caught.value).splitlines()


def test_a_seed_among_the_parameters_is_refused():
    given = {"name": "a", "table": "a.csv", "embedder": "umap.UMAP", "parameters": {"random_state": 1}}
    (line,) = problems(given)
    assert line.startswith("own_embeddings[0].parameters.random_state: expected none")


@pytest.mark.parametrize(
    ("named", "path"),
    [({"table": "a{b}.csv"}, "a{b}.csv"), ({"embeddings": ["0.csv", "d{/1.csv", "2.csv"]}, "d{/1.csv")],
)
def test_a_path_that_snakemake_would_misread_is_refused(named, path):
    (line,) = problems({"name": "a", **named})
    assert line.endswith(f"expected paths without braces, found {path}; rename the file or its folder")
    assert line.startswith(f"own_embeddings[0].{next(iter(named))}: ")


def stable_and_not(labels):
    """Runs in which the last third of the points is anywhere."""
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(3, 2) * 20, N // 3, axis=0)
    runs = [centres + rng.normal(size=(N, 2)) for _ in range(8 * M)]
    for run in runs:
        run[2 * N // 3 :] = rng.uniform(-20, 40, size=(N // 3, 2))
    return check_embedding(embeddings=runs, labels=labels, n_neighbors=8, random_state=0)


def written(tmp_path, check, ids=None, figures=()):
    """The page of a check."""
    points = embedding_source.CheckedPoints(None, None, None, ids, np.arange(N), N)
    output = {"page": str(tmp_path / "check.html"), "points": str(tmp_path / "points.tsv")}
    named = {name: [str(tmp_path / f"{name}.png")] for name in figures}
    write_results(
        OwnEmbedding.model_construct(name="mine", embeddings=("a", "b", "c")), points, check, output, named, TEMPLATE, 0
    )
    return (tmp_path / "check.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_says_what_may_be_read_and_what_may_not(tmp_path):
    check = stable_and_not(np.repeat(["one", "two", "none"], N // 3))
    may, may_not = (" ".join(lines) for lines in readings(check))
    n = int((check.points.category == "unstable").sum())
    assert n >= 15
    assert f"Where the {n} unstable points are" in may_not
    assert "neighbours have the same label, in every run: one, two." in may
    assert "between two runs, " in may
    assert f"{missed_share(8 * M):.0%} of all runs put elsewhere" in may
    assert re.search("These labels as groups: .*none", may_not)
    page = written(tmp_path, check, figures=["pictures", "label_groups", "label_pairs", "convergence"])
    assert page.count("data:image/png;base64,") == 4
    first, second, third = answer_sentences(check)
    assert all(sentence in unescape(page) for sentence in (first, second, third))
    assert first == check.summary()[0]
    assert "distances between labels" in second
    assert re.search("run was (not )?enough", third)
    # One file that opens offline.
    assert not re.search(r'(src|href)="(https?:)?//', page)
    table = pd.read_csv(tmp_path / "points.tsv", sep="\t")
    assert len(table) == N
    assert table["point"].tolist() == list(range(N))


def said(runs, labels=None, **options):
    """What the page of these runs says that may be read, and what may not."""
    check = check_embedding(embeddings=runs, labels=labels, n_neighbors=8, random_state=0, **options)
    return check, *(" ".join(lines) for lines in readings(check))


def test_distances_that_the_picture_does_not_have_are_not_read_from_it():
    """Six groups at the corners of an octahedron: no plane has their distances, though all runs agree."""
    rng = np.random.default_rng(0)
    labels = np.repeat(list("abcdef"), N // 6)
    corners = 10 * np.repeat(np.vstack([np.eye(3), -np.eye(3)]), N // 6, axis=0)
    check, may, may_not = said([corners + 0.3 * rng.normal(size=(N, 3)) for _ in range(4 * M)], labels, tolerance=0.15)
    assert check.consensus.stress > 0.15
    assert (
        f"Distances in the picture: they differ by {check.consensus.stress:.0%} from those of the consensus" in may_not
    )
    assert re.search(r"for 15 of 15 pairs, such as [^.]*\. Read it in the table, not in the picture\.", may)
    check, may, may_not = said([corners + 2 * rng.normal(size=(N, 3)) for _ in range(4 * M)], tolerance=0.1)
    assert "Distances in the consensus of 20 runs, in the files: " in may


def test_a_consensus_of_runs_that_do_not_agree_is_not_read():
    rng = np.random.default_rng(1)
    check, may, may_not = said(rng.normal(size=(40, N, 2)), tolerance=0.2)
    assert (check.points.category == "unstable").all()
    assert check.convergence.n_enough is not None
    assert "but the runs do not agree: most points are unstable." in may_not
    assert "Distances in the consensus" not in may


def test_a_label_in_two_parts_is_no_separate_group_and_one_of_few_points_is_not_judged():
    rng = np.random.default_rng(2)
    labels = np.repeat(["ends", "middle", "few"], [N // 2, N // 2 - 4, 4])
    places = np.zeros((N, 2))
    places[: N // 4, 0], places[N // 4 : N // 2, 0], places[-4:, 1] = -20, 20, 20
    check, may, may_not = said([places + rng.normal(size=(N, 2)) for _ in range(M)], labels)
    assert "neighbours have the same label, in every run: ends, middle." in may
    assert "These labels as one separate group: ends. They are in several parts" in may_not
    assert "Whether these labels form groups: few. They have fewer than 5 points" in may_not
    assert "not judged: few" in " ".join(check.summary())


def test_names_travel_as_text(tmp_path):
    labels = np.array(NAMES, dtype=object)[np.arange(N) % 5]
    ids = [f"{NAMES[k % 5]}\t{k}" for k in range(N)]
    page = written(tmp_path, stable_and_not(labels), ids, ["pictures", "label_groups", "label_pairs"])
    text = unescape(re.sub(r"<[^>]*>", " ", page))
    for name in NAMES:
        assert name in text, name
    assert "<b>&amp;" not in page
    # A name that begins as a formula does has an apostrophe in the file.
    assert "'-1e3" in (tmp_path / "points.tsv").read_text(encoding="utf-8")
    table = read_table(tmp_path / "points.tsv")
    assert table["id"].tolist() == ids
    assert table["label"].tolist() == labels.tolist()


def test_without_labels_and_data_the_page_has_no_parts_about_them(tmp_path):
    page = written(tmp_path, stable_and_not(None), figures=["pictures", "convergence"])
    assert "coloured by label" not in page
    assert "<h2>Labels</h2>" not in page
    assert "<h2>Agreement with the data</h2>" not in page
    assert page.count("<img") == 2


def legend_of(figure):
    """The legend of the labels: of many it is below both pictures."""
    return figure.axes[0].get_legend() or figure.legends[0]


@pytest.mark.parametrize(("n_labels", "entries"), [(3, 3), (12, 12), (30, 30)])
def test_every_label_has_an_entry_in_the_legend(n_labels, entries):
    figure = draw_pictures(stable_and_not([f"label {k % n_labels}" for k in range(N)]))
    assert len(figure.axes) == 2
    names = [text.get_text() for text in legend_of(figure).get_texts()]
    assert len(names) == entries
    # Of many, the number in the picture leads to the name.
    numbers = {text.get_text() for text in figure.axes[0].texts}
    assert numbers == (set() if n_labels <= 10 else {str(k + 1) for k in range(n_labels)})


def test_labels_beyond_those_with_a_number_are_grey(monkeypatch):
    monkeypatch.setattr("replication.own_data.embedding_figures.NUMBERED_LABELS", 11)
    labels = np.array([f"label {k % 12:02d}" for k in range(N)], dtype=object)
    labels[labels == "label 00"] = None
    figure = draw_pictures(stable_and_not(np.where(np.arange(N) % 12 == 5, "rare", labels)))
    assert legend_of(figure).get_texts()[-1].get_text() == "no label"

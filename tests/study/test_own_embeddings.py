"""Checks of your own embeddings: what they work on, how an embedder is found, and the page that they write."""

import re
from dataclasses import replace
from functools import cache
from html import unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import check_embedding
from consensus_embedding.diagnostics import embedding_check
from consensus_embedding.diagnostics.summary import answer_sentences, missed_share
from consensus_embedding.io import memory
from consensus_embedding.io.hdf5_file import HDF5File
from consensus_embedding.utils.text import InputError
from replication.own_data import checking, embedding_figures, embedding_source
from replication.own_data.contents import PARTS
from replication.own_data.embedding_figures import draw_pictures
from replication.own_data.embedding_page import readings
from replication.own_data.embedding_results import number_by_rows, write_results
from replication.own_data.embedding_source import (
    OwnEmbedding,
    load_points,
    make_embedder,
    start_of,
)
from replication.own_data.entry import settings_of_item
from replication.own_data.steps import own_steps
from replication.platform.steps import Job
from replication.platform.study import Study
from replication.shared.tidy import read_table, write_table
from scipy.spatial.distance import cdist
from test_anndata_file import CELLS

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
    with pytest.raises(InputError, match=r"own_embeddings, e: expected names of points .*'name', found none"):
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


def test_every_figure_of_a_check_can_be_drawn():
    assert [name for name, part in PARTS.items() if part.caption] == list(embedding_figures.FIGURES)


def checked(ids=None, rows=None):
    return embedding_source.CheckInput(None, None, None, ids, np.arange(N) if rows is None else rows, 10 * N)


def test_what_fails_while_it_is_written_leaves_nothing(tmp_path):
    (tmp_path / "table.tsv").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_table(pd.DataFrame({"a": ["\ud800"]}), tmp_path / "table.tsv")
    output, mine = {"page": str(tmp_path / "check.html")}, OwnEmbedding.model_construct(name="\ud800")
    with pytest.raises(UnicodeEncodeError):
        write_results(mine, checked(), unlabelled(), output, {}, TEMPLATE, 0)
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


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"labels": "short.csv", "runs": True}, "mine: expected 60 rows in labels, .* found 59"),
        ({"table": "table.csv", "label": "name", "drop": ("kind",)}, "categories.*found 60 labels for 60 points"),
        ({"table": "table.csv", "label": "constant", "drop": ("kind", "name")}, "found only '3'"),
        ({"table": "equal.csv"}, "expected points that differ, found 60 equal ones"),
        (
            {"labels": "few.csv", "sample": 10, "runs": True},
            "mine: .* with a label in the sample, found none among its 10",
        ),
    ],
)
def test_points_and_labels_that_cannot_be_checked_are_refused(folder, named, message):
    # Equal whatever their rounding.
    pd.DataFrame(np.full((N, 3), 0.1), columns=["a", "b", "c"]).to_csv(folder / "equal.csv", index=False)
    # Those of points that the sample leaves out.
    rows = load_points(item(folder, embeddings=runs_in(folder), sample=10), 0).rows
    kinds = np.full(N, "unknown", dtype=object)
    kinds[np.setdiff1d(np.arange(N), rows)[:3]] = ["x", "x", "y"]
    pd.DataFrame({"kind": kinds}).to_csv(folder / "few.csv", index=False)
    runs = {"embeddings": runs_in(folder)} if named.pop("runs", False) else {}
    with pytest.raises(InputError, match=message):
        load_points(item(folder, **named, **runs), 0)


def test_distances_of_too_many_points_are_refused_with_the_way_out(folder, monkeypatch):
    monkeypatch.setattr(embedding_source, "EXACT_POINTS", 50)
    named = {"table": "table.csv", "label": "kind", "id": "name"}
    with pytest.raises(InputError, match=r"expected at most 50 points .* found 60.*add sample: 5000"):
        load_points(item(folder, **named, distances=True), 0)
    assert len(load_points(item(folder, **named, distances=True, sample=50), 0).rows) == 50
    assert len(load_points(item(folder, **named), 0).rows) == 60


def entry_of(folder):
    return {
        "name": "mine", "table": str(folder / "table.csv"), "label": "kind", "id": "name", "n_embeddings": 3,
        "n_neighbors": 5, "embedder": "consensus_embedding.ExactTSNE", "parameters": {"perplexity": 8, "max_iter": 250},
    }  # fmt: skip


def job_of(entry, said, outputs=None, runs=(), **wildcards):
    return Job(
        inputs=SimpleNamespace(template=TEMPLATE, runs=runs), outputs=outputs, settings={"item": entry}, seed=0,
        wildcards=SimpleNamespace(**wildcards), threads=1, say=said.append,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "metric"),
    [
        ("consensus_embedding.ExactTSNE", "euclidean"),
        ("sklearn.manifold.TSNE", "euclidean"),
        ("consensus_embedding.ExactTSNE", "precomputed"),
    ],
)
def test_runs_of_several_jobs_are_those_of_one(folder, path, metric):
    entry, runs, contents = {**entry_of(folder), "embedder": path}, [], []
    if metric == "precomputed":
        table = pd.read_csv(folder / "table.csv")
        distances = pd.DataFrame(cdist(table[["a", "b"]], table[["a", "b"]], "cityblock"))
        distances.assign(kind=table.kind, name=table.name).to_csv(folder / "table.csv", index=False)
        entry |= {"scaling": "none", "parameters": {**entry["parameters"], "metric": metric}}
    # Of fewer runs they are the first.
    for start, stop, m in ((0, 1, 3), (1, 3, 5)):
        made = checking.embed(job_of({**entry, "n_embeddings": m}, [], start=start, stop=stop))
        runs.append(folder / f"{start}-{stop}.npz")
        np.savez(runs[-1], **made["runs"])
    for given in ((), runs):
        outputs = {"page": str(folder / "check.html"), "points": str(folder / "points.tsv")}
        checking.check(job_of(entry, [], outputs, given))
        contents.append([(folder / name).read_bytes() for name in ("check.html", "points.tsv")])
    assert contents[0] == contents[1]


def test_what_cannot_be_checked_gets_no_run(folder, monkeypatch):
    numbered = pd.read_csv(folder / "table.csv").assign(a=range(N))
    numbered.to_csv(folder / "numbered.csv", index=False)
    with pytest.raises(ValueError, match="number"):
        checking.embed(job_of({**entry_of(folder), "table": str(folder / "numbered.csv")}, [], start=0, stop=1))
    monkeypatch.setattr(memory, "free_memory", lambda: 2e5)
    words = "own_embeddings, mine: .* 1 runs of ExactTSNE on 60 points that need .*sample: 5000"
    with pytest.raises(ValueError, match=words):
        checking.embed(job_of(entry_of(folder), [], start=2, stop=3))


def test_a_file_of_very_many_rows_is_checked_without_a_sample(folder, monkeypatch):
    for module in (embedding_check, embedding_source):
        monkeypatch.setattr(module, "EXACT_POINTS", N - 1)
    monkeypatch.setattr(embedding_check, "N_LANDMARKS", N // 2)
    output = {"page": str(folder / "check.html"), "points": str(folder / "points.tsv")}
    said = []
    checking.check(job_of(entry_of(folder), said, output))
    assert len(read_table(output["points"])) == N
    assert f"{N // 2} points drawn at random" in " ".join(said)


TSNE = "sklearn.manifold.TSNE"


def embedder(path=None, **parameters):
    return make_embedder(OwnEmbedding.model_construct(name="mine", embedder=path, parameters=parameters))


def test_an_embedder_is_found_by_its_import_path():
    made = embedder(TSNE, perplexity=5)
    assert (type(made).__name__, made.perplexity) == ("TSNE", 5)
    assert embedder() is None


@pytest.mark.parametrize(
    ("path", "parameters", "words"),
    [
        ("absent_package.Map", {}, "pip install absent_package"),
        ("another_package.Map", {}, "pip install another-name .*extra embedders"),
        ("sklearn.manifolds.TSNE", {}, "there is no module sklearn.manifolds"),
        ("sklearn.manifold.tSNE", {}, "sklearn.manifold has no tSNE"),
        ("sklearn.manifold.trustworthiness", {}, "expected a class with the method fit_transform"),
        ("sklearn.svm.SVC", {}, "expected a class with the method fit_transform"),
        (TSNE, {"perplexty": 5}, "does not take perplexty; it takes n_comp"),
    ],
)
def test_an_embedder_that_cannot_be_used_gets_one_clear_error(monkeypatch, path, parameters, words):
    monkeypatch.setitem(embedding_source._PACKAGES, "another_package", "another-name")
    with pytest.raises(ValueError, match=f"own_embeddings, (embedder|parameters) of mine: .*{words}"):
        embedder(path, **parameters)


def test_a_page_warns_of_runs_that_all_start_from_the_same_place(tmp_path):
    assert start_of(embedder(TSNE)) == ("init='pca'", "init")
    assert start_of(embedder(TSNE, init="random")) is None
    assert start_of(embedder("sklearn.manifold.MDS")) is None
    assert start_of(None) is None
    page, mine = tmp_path / "check.html", OwnEmbedding.model_construct(name="mine")
    # As openTSNE and PaCMAP have it.
    assert start_of(SimpleNamespace(initialization="pca")) == ("initialization='pca'", "initialization")
    assert start_of(type("LocalMAP", (type("PaCMAP", (), {}),), {})()) == ("principal components", "")
    for start, remedy in ((("initialization='pca'", "initialization"), "parameters: {initialization: random}"),
                          (("principal components", ""), "take an embedder that starts at random")):  # fmt: skip
        write_results(mine, checked(), unlabelled(), {"page": str(page)}, {}, TEMPLATE, 0, start)
        text = unescape(page.read_text())
        assert f"({start[0]})" in text
        assert remedy in text


def steps_with(item):
    """The check of an entry and its runs: what each reads, and the settings of the runs."""
    study = Study({"study": "s", "own_embeddings": [{"name": "a", "runs_per_job": 1, **item}]})
    check, runs, _ = own_steps(study)
    return check.inputs(study, None), runs.inputs(study, None), runs.params(study, None)["item"]


@pytest.mark.parametrize(
    ("item", "settings"),
    [
        ({"table": "a.csv", "labels": "l.csv", "label": "kind", "id": "name"}, {"table": "a.csv", "id": "name"}),
        # Else the column would be a feature.
        ({"table": "a.csv", "label": "kind"}, {"table": "a.csv", "label": "kind"}),
        ({"anndata": "a.h5ad", "label": "kind"}, {"anndata": "a.h5ad"}),
        ({"anndata": "a.h5ad", "labels": "l.csv", "id": "name"}, {"anndata": "a.h5ad"}),
    ],
)
def test_runs_do_not_depend_on_the_labels(item, settings):
    check, runs, own = steps_with(item)
    assert check.get("labels") == item.get("labels")
    assert "labels" not in runs
    assert own == {"name": "a", "runs_per_job": 1, **settings}
    settings_of_item(own)


def test_an_embedder_of_ones_own_is_an_input_with_what_it_imports(tmp_path, monkeypatch):
    (tmp_path / "of_mine.py").write_text("from beside_mine import number\n\nclass Map: pass\n")
    (tmp_path / "beside_mine.py").write_text("number = 1\n")
    (tmp_path / "broken.py").write_text("class Map:\n")
    monkeypatch.syspath_prepend(tmp_path)
    files = [str(tmp_path / name) for name in ("beside_mine.py", "of_mine.py", "broken.py")]
    for path, code in {
        "of_mine.Map": files[:2],
        "broken.Map": files[2:],
        "sklearn.manifold.TSNE": [],
        "consensus_embedding.ExactTSNE": [],
        "json.JSONDecoder": [],
        "absent_package.Map": [],
    }.items():
        check, runs, _ = steps_with({"table": "a.csv", "embedder": path})
        assert check.get("embedder", []) == runs.get("embedder", []) == code


def stable_and_not(labels):
    """Runs in which the last third of the points is anywhere."""
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(3, 2) * 20, N // 3, axis=0)
    runs = [centres + rng.normal(size=(N, 2)) for _ in range(8 * M)]
    for run in runs:
        run[2 * N // 3 :] = rng.uniform(-20, 40, size=(N // 3, 2))
    return check_embedding(embeddings=runs, labels=labels, n_neighbors=8, random_state=0)


@cache
def unlabelled():
    return stable_and_not(None)


def written(tmp_path, check, ids=None, figures=()):
    """The page of a check."""
    output = {"page": str(tmp_path / "check.html"), "points": str(tmp_path / "points.tsv")}
    named = {name: [str(tmp_path / f"{name}.png")] for name in figures}
    mine = OwnEmbedding.model_construct(name="mine", embeddings=("a", "b", "c"))
    write_results(mine, checked(ids), check, output, named, TEMPLATE, 0)
    return (tmp_path / "check.html").read_text(encoding="utf-8")


def test_points_of_a_sample_are_called_by_their_rows_in_the_file(tmp_path):
    rows = 7 * np.arange(N) + 3
    check = unlabelled()
    check = number_by_rows(replace(check, far_points=np.array([2, 5])), rows)
    output = {"page": str(tmp_path / "check.html"), "points": str(tmp_path / "points.tsv")}
    write_results(OwnEmbedding.model_construct(name="mine"), checked(rows=rows), check, output, {}, TEMPLATE, 0)
    page = (tmp_path / "check.html").read_text(encoding="utf-8")
    worst = check.points.instability.to_numpy().argmax()
    first = re.search(r"Least stable points.*?<td[^>]*>\s*(\d+)", page, re.S)[1]
    assert first == str(rows[worst])
    assert pd.read_csv(output["points"], sep="\t")["point"].tolist() == rows.tolist()
    assert "number 17, 38" in page


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"obsm": ("X_run_0", "X_run_1", "X_run_2")}, {"embeddings": ["X_run_0", "X_run_1", "X_run_2"]}),
        (
            {"components": 3, "scaling": "zscore", "sample": 30, "label": "kind"},
            {"embedder": "consensus_embedding t-SNE", "representation": "X_pca"},
        ),
    ],
)
def test_the_copy_of_an_anndata_file_says_what_was_checked(tmp_path, keys, expected):
    given, output = item(tmp_path, anndata=CELLS, **keys), {name: str(tmp_path / name) for name in ("page", "anndata")}
    points = load_points(given, 0)
    check = check_embedding(embeddings=np.random.default_rng(0).normal(size=(3, len(points.rows), 2)), n_neighbors=5)
    write_results(given, points, check, output, {}, TEMPLATE, 7)
    expected |= {key: value for key, value in keys.items() if key != "obsm"}
    expected |= {"n_embeddings": 3, "n_neighbors": 5, "tolerance": 0.1, "seed": 7}
    with HDF5File(output["anndata"]) as file:
        names = file.names("uns/embedding_check")
        found = {name: file.read(f"uns/embedding_check/{name}").tolist() for name in names if name != "parameters"}
    assert found == expected
    assert ("scaling of the columns" in (tmp_path / "page").read_text(encoding="utf-8")) == ("scaling" in keys)


@pytest.mark.slow
def test_the_page_says_what_may_be_read_and_what_may_not(tmp_path):
    check = stable_and_not(np.repeat(["one", "two", "three"], N // 3))
    may, may_not = (" ".join(lines) for lines in readings(check))
    n = int((check.points.category == "unstable").sum())
    assert n >= 15
    assert f"the unstable points are ({n} of {N}, " in may_not
    assert "in every run: one, two." in may
    assert f"{missed_share(8 * M):.0%} of all runs" in may
    assert re.search("labels as groups: .*three", may_not)
    page = written(tmp_path, check, figures=["pictures", "label_groups", "label_pairs", "convergence"])
    assert page.count("data:image/png;base64,") == 4
    first, second, third = answer_sentences(check)
    assert all(sentence in unescape(page) for sentence in (first, second, third))
    assert first == check.summary()[0]
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
    assert f"Distances in the picture: they differ by {check.consensus.stress:.0%}" in may_not
    assert "for 15 of 15 pairs" in may
    check, may, may_not = said([corners + 2 * rng.normal(size=(N, 3)) for _ in range(4 * M)], tolerance=0.1)
    assert "Distances in the consensus of 20 runs" in may


@pytest.mark.parametrize(("tolerance", "words"), [(0.004, "0.4%"), (0.07, "7%"), (1.5, "150%")])
def test_the_tolerance_is_said_as_it_was_set(tolerance, words):
    check, may, may_not = said(np.random.default_rng(0).normal(size=(M, N, 2)), tolerance=tolerance)
    for text in (" ".join(check.summary()), may + may_not):
        assert set(re.findall(r"(?:tolerance|tolerance of|to within) ([\d.]+%)", text)) == {words}


def test_a_consensus_of_runs_that_do_not_agree_is_not_read():
    rng = np.random.default_rng(1)
    check, may, may_not = said(rng.normal(size=(40, N, 2)), tolerance=0.2)
    assert (check.points.category == "unstable").all()
    assert check.convergence.n_enough is not None
    assert "the runs do not agree" in may_not
    assert "Distances in the consensus" not in may


def test_a_label_in_two_parts_is_no_separate_group_and_one_of_few_points_is_not_judged():
    rng = np.random.default_rng(2)
    labels = np.repeat(["ends", "middle", "few"], [N // 2, N // 2 - 4, 4])
    places = np.zeros((N, 2))
    places[: N // 4, 0], places[N // 4 : N // 2, 0], places[-4:, 1] = -20, 20, 20
    check, may, may_not = said([places + rng.normal(size=(N, 2)) for _ in range(M)], labels)
    assert "in every run: ends, middle." in may
    assert "as one separate group: ends." in may_not
    assert "form groups: few." in may_not
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
    page = written(tmp_path, unlabelled(), figures=["pictures", "convergence"])
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


def test_labels_beyond_those_with_a_number_share_one_entry():
    labels = np.array([f"label {k % 32}" for k in range(N)], dtype=object)
    labels[labels == "label 0"] = None
    figure = draw_pictures(stable_and_not(labels))
    assert legend_of(figure).get_texts()[-1].get_text() == "1 more labels or no label"


def many_cells():
    """Data of 500 cells in five runs: kinds, and clusters in numbers, which pandas keeps as floats where some lack."""
    rng = np.random.default_rng(0)
    n, names = 500, pd.Index([f"cell {k}" for k in rng.permutation(500)], name="name")
    cluster = rng.integers(12, size=n)
    missing = rng.random(n) < 0.05
    X = 8 * np.eye(12, 5)[cluster] + rng.normal(size=(n, 5))
    runs = [X[:, :2] + rng.normal(size=(n, 2)) for _ in range(5)]
    labels = {
        "cluster": pd.Series(np.where(missing, np.nan, cluster), names),
        "kind": pd.Series(np.where(missing, None, np.array(["B", "NK", "T, naïve"])[cluster % 3]), names),
    }
    return pd.DataFrame(X, names, list("abcde")), [pd.DataFrame(run, names, ["x", "y"]) for run in runs], labels


MANY, MANY_RUNS, MANY_LABELS = many_cells()


@pytest.fixture(scope="module")
def by_object():
    return {name: check_embedding(embeddings=MANY_RUNS, labels=labels) for name, labels in MANY_LABELS.items()}


def assert_same_numbers(found, expected):
    """Labels that are numbers are text in a file; row names are those of what was given."""
    for name in ("points", "label_groups", "label_pairs"):
        pairs = [getattr(check, name).reset_index(drop=True) for check in (found, expected)]
        for table in pairs:
            for column in table.columns.intersection(["label", "first", "second"]):
                table[column] = [None if pd.isna(label) else str(label) for label in table[column]]
        pd.testing.assert_frame_equal(*pairs)


def save(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize("label", MANY_LABELS)
def test_files_give_the_numbers_of_the_frames_in_them_whatever_the_order_of_their_rows(
    tmp_path, by_object, suffix, label
):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    save(MANY.assign(**{label: MANY_LABELS[label]})[::-1], tmp_path / f"table{suffix}")
    for k, run in enumerate(MANY_RUNS):
        save(run.sample(frac=1, random_state=k) if k else run, tmp_path / f"run_{k}{suffix}")
    runs = tuple(str(tmp_path / f"run_{k}{suffix}") for k in range(5))
    points = load_points(item(tmp_path, table=f"table{suffix}", embeddings=runs, id="name", label=label), 0)
    assert points.ids == tuple(MANY.index)
    np.testing.assert_allclose(points.X, (MANY - MANY.mean()) / MANY.std(ddof=0))
    assert_same_numbers(check_embedding(embeddings=points.embeddings, labels=points.labels), by_object[label])

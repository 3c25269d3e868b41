"""Extrapolation and retrieval at their smallest, on items of one's own."""

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import NystroemGraphEmbedding, SemiSupervisedGraphEmbedding
from consensus_embedding.diagnostics.retrieval import class_average, scores_of_dissimilarities
from replication.data.readers.item_table import read_items
from replication.platform.configuration import merge
from replication.report.views import shown_rows
from replication.shared.tidy import read_table
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.long_study

# Enough for every table and figure; the numbers say little.
SMALL = {"out_of_sample": {"training": [0.5, 0.8, 1.0], "labelled": [0.3, 0.6], "draws": 2}}
EXAMPLE = {
    "wines": {"table": "results/example/items.tsv"},
    "wine_distances": {"dissimilarities": "results/example/dissimilarities.tsv"},
}


def read_queries(results, name):
    return read_table(results / f"gland_retrieval/tables/queries_{name}.tsv")


@pytest.fixture(scope="module")
def studied(new_checkout):
    """A checkout in which the study of the example has run on one core."""
    checkout = new_checkout()
    checkout.study("own_retrieval", SMALL)
    return checkout


# --- the example as it stands


def test_the_example_ends_with_report_tables_and_figures(studied):
    studied.check_complete(["gland_retrieval"])
    metrics = read_table(studied.results / "gland_retrieval/metrics.tsv")
    assert set(metrics["dataset"]) == set(EXAMPLE)
    report = (studied.results / "report.html").read_text()
    assert "wines (own), wine_distances" in report
    for item in shown_rows(read_queries(studied.results, "wines"))["item"]:
        assert f">{item}<" in report


def test_own_items_are_not_judged_as_the_papers_claims_and_their_answers_come_first(studied):
    assert "nothing to test" not in studied.output
    assert not list(studied.results.glob("claim*")) + list(studied.results.glob("ledger*"))
    end = studied.output.partition("Look at:\n")[2]
    report = (studied.results / "report.html").read_text()
    opening = report.partition('id="own"')[2].partition('id="contents"')[0]
    for name in EXAMPLE:
        path = f"gland_retrieval/tables/queries_{name}.tsv"
        assert f"results/own_retrieval/{path}: the nearest items to each query of {name}" in end
        assert f'href="{path}"' in opening
    assert read_queries(studied.results, "wines")["item"].iloc[0] in opening
    # The page speaks of the user's items, not of the paper's glands.
    section = report.partition('id="gland_retrieval"')[2].partition('id="choices"')[0]
    assert "Sparks and Madabhushi" not in section
    assert "Fig." not in section.partition("<details>")[0]


def test_the_counts_and_the_scores_of_the_dissimilarity_are_those_of_the_file(studied):
    metrics = read_table(studied.results / "gland_retrieval/metrics.tsv")
    table = pd.read_csv(studied / EXAMPLE["wines"]["table"], sep="\t", keep_default_na=False)
    distances = pd.read_csv(studied / EXAMPLE["wine_distances"]["dissimilarities"], sep="\t")[table["item"]].to_numpy()
    # The label of a query is not used, not even to score by it.
    used = table["label"].where((table["label"] != "") & (table["query"] == 0))
    labels = pd.Categorical(used).codes
    area = class_average(scores_of_dissimilarities(distances, labels).area, labels)
    for _, rows in metrics.groupby("dataset"):
        assert rows.loc[rows["metric"] == "n_objects", "value"].tolist() == [len(table)]
        found = rows[rows["metric"] == "n_label"].set_index("label")["value"]
        assert found.to_dict() == used.value_counts().to_dict()
        of_file = rows[(rows["method"] == "dissimilarity") & (rows["metric"] == "auprc") & (rows["objects"] == "all")]
        assert len(of_file) == 6
        np.testing.assert_allclose(of_file["value"], area, rtol=1e-9)


@pytest.mark.parametrize("name", EXAMPLE)
def test_the_queries_get_what_the_estimators_of_the_library_return(studied, name):
    items = read_items({"name": name, **{key: studied / path for key, path in EXAMPLE[name].items()}})
    names, asked = np.array(items.names), np.array(items.queries)
    known = np.unique(items.labels, return_inverse=True)[1] - 1  # "", the unknown, comes first
    assert 3 <= asked.sum() < (known < 0).sum() < len(names) / 2
    if items.kind == "features":
        X = StandardScaler().fit_transform(items.values)
        apart = cdist(X, X)
        trained, new = X[~asked], X[asked]
        metric = "euclidean"
    else:
        apart = items.values
        trained, new = apart[np.ix_(~asked, ~asked)], apart[np.ix_(asked, ~asked)]
        metric = "precomputed"

    def median(distances):
        return np.median(distances[np.triu_indices(len(distances), k=1)])

    # The study takes the scale from all items, an estimator from those it is trained on.
    sigma = median(apart) / median(apart[np.ix_(~asked, ~asked)])
    options = {"kernel": "exponential", "sigma": sigma, "scaling": "none", "metric": metric}
    places = {"dissimilarity": apart[np.ix_(asked, ~asked)]}
    for method, model in {
        "nm_ge": NystroemGraphEmbedding(3, **options),
        "ose_ssl": SemiSupervisedGraphEmbedding(3, **options),
    }.items():
        model.fit(trained, known[~asked])
        places[method] = cdist(model.transform(new), model.embedding_)
    queries = read_queries(studied.results, name)
    assert set(queries["method"]) == set(places)
    for method, distances in places.items():
        rows = queries[queries["method"] == method]
        assert rows["query"].tolist() == np.repeat(names[asked], 5).tolist()
        assert rows["rank"].tolist() == [1, 2, 3, 4, 5] * asked.sum()
        nearest = np.argsort(distances, axis=1)[:, :5]
        assert rows["item"].tolist() == names[~asked][nearest].ravel().tolist()
        assert rows["label"].tolist() == np.array(items.labels)[~asked][nearest].ravel().tolist()
        expected = np.take_along_axis(distances, nearest, axis=1).ravel()
        np.testing.assert_allclose(rows["distance"], expected, rtol=1e-6, atol=1e-12)


# --- items of one's own, good and faulty


def own_table(n=24):
    """A table of two kinds; every third item has no label, and no column says which items are queries."""
    kinds = np.arange(n) % 2
    features = np.random.default_rng(0).normal(size=(n, 3)) + 3 * kinds[:, None]
    labels = np.where(np.arange(n) % 3 == 0, "", np.where(kinds == 1, "oak", "elm"))
    table = pd.DataFrame({"item": [f"leaf {k}" for k in range(n)], "label": labels})
    return table.join(pd.DataFrame(features, columns=["length", "width", "area"]))


@pytest.fixture(scope="module")
def mixed(studied):
    """A study of a good set and of a faulty one, run as far as it goes: results, and what was said."""
    tables = {"good": own_table(), "faulty": own_table()}
    tables["faulty"].loc[3, "width"] = np.nan
    own = [
        {"name": name, "table": studied.write_table(f"{name}.csv", table, "nan"), "n_components": 2}
        for name, table in tables.items()
    ]
    changes = merge(SMALL, {"study": "mixed", "gland_retrieval": {"own": own}})
    arguments = studied.write_changes("own_retrieval", changes, "mixed")
    # Two sets at a time.
    run = ["--cores", "2", "--set-threads", "score_gland_retrieval=1", "--keep-going"]
    return studied / "results/mixed", studied.snakemake(*run, *arguments, fails=True)


def test_items_that_cannot_be_used_are_one_clear_message_and_leave_nothing(mixed):
    results, output = mixed
    said = {line for line in output.splitlines() if line.startswith("gland_retrieval, ")}
    words = "gland_retrieval, faulty failed: own/faulty.csv, line 5, column 'width': expected a finite number"
    assert [words in line for line in said] == [True], said
    left = {path.name for name in ("good", "faulty") for path in results.rglob(f"*{name}*") if path.is_file()}
    assert left == {"good.tsv", "good_pictures.npz", "queries_good.tsv"}
    assert not (results / "report.html").exists()


def test_without_a_column_of_queries_all_items_without_a_label_are_asked_for(mixed):
    results, _ = mixed
    queries, table = read_queries(results, "good"), own_table()
    unknown = table["label"] == ""
    assert set(queries["query"]) == set(table.loc[unknown, "item"])
    assert set(queries["item"]) <= set(table.loc[~unknown, "item"])
    labels = table.set_index("item")["label"]
    assert queries["label"].tolist() == labels[queries["item"]].tolist()
    assert set(queries["label_of_query"]) == {""}

"""The experiments on gene expression at their smallest, on the example and on tables of one's own."""

import numpy as np
import pandas as pd
import pytest
from checkout import example
from replication.claims.judging import SUBSTITUTE
from replication.data.readers.expression import load_split
from replication.platform.configuration import merge
from replication.shared.tidy import read_table

pytestmark = pytest.mark.long_study

# Enough for every table and figure; the numbers say little.
SMALL = {
    # As of a user who wants the claims of the papers judged on own tables.
    "claims": ["papers"],
    "genes": {"repetitions": 2},
    "gene_embedding": {"n_genes": 40, "n_embeddings": 6, "subset_size": 8},
    "gene_calibration": {"splits": 1, "n_embeddings": 5, "options": {"subset_size": [8, 12]}},
    "gene_expression": {"variants": [{"name": "expression as given", "transform": "none"}], "variant_repetitions": 1},
    "m_sensitivity": {"n_embeddings": [5, 6]},
}
EXPERIMENTS = ["gene_calibration", "gene_expression", "m_sensitivity"]
N_GENES, N_SAMPLES = 60, 44


def own_table(seed=0, n=N_SAMPLES):
    """Two classes that differ in half of the genes, a few values missing, and columns that are no genes."""
    rng = np.random.default_rng(seed)
    sick = np.arange(n) % 2 == 1
    values = rng.normal(8.0, 1.0, size=(n, N_GENES))
    values[:, ::2] += np.where(sick[:, None], 2.5, 0.0)
    values[rng.random(values.shape) < 0.02] = np.nan
    table = pd.DataFrame(values.round(4), columns=[f"GENE{k}" for k in range(N_GENES)])
    table.insert(0, "patient", [f"P{k}" for k in range(n)])
    table["tissue"] = np.where(sick, "tumour", "normal")
    return table


def write_arff(checkout, name, table):
    """Write genes and classes as an ARFF file."""
    lines = ["% written for a test", "@relation own", *(f"@attribute GENE{k} numeric" for k in range(N_GENES))]
    lines += ["@attribute tissue {normal,tumour}", "@data"]
    cells = table.drop(columns="patient").to_csv(index=False, header=False, na_rep="?")
    (checkout / "own" / name).write_text("\n".join([*lines, cells]))
    return f"own/{name}"


def own_sets(checkout):
    """The example, and a data set in each of the forms that a user may have it in."""
    halves = checkout.write_table("halves.csv", own_table())
    # Test samples between training samples, in the words that a user may take.
    words = np.resize(["Train", "training", "TEST", "testing"], N_SAMPLES)
    columns = checkout.write_table("columns.tsv", own_table(1).assign(part=words), missing="-99")
    parts = {"training": own_table(2, 40), "test": own_table(3, 36)}
    pair = {part: write_arff(checkout, f"{part}.arff", table) for part, table in parts.items()}
    return [
        example("own_expression", "genes"),
        {"name": "halves", "table": halves, "label": "tissue", "drop": ["patient"]},
        {"name": "columns", "table": columns, "label": "tissue", "split": "part", "missing": -99, "drop": ["patient"]},
        {"name": "pair", **pair},
    ]


@pytest.fixture(scope="module")
def studied(new_checkout):
    """A checkout in which the study of own tables has run on one core."""
    checkout = new_checkout()
    checkout.changes = merge(SMALL, {"genes": {"sets": own_sets(checkout)}})
    checkout.study("own_expression", checkout.changes)
    return checkout


def test_a_study_of_own_tables_ends_with_report_tables_figures_and_verdicts(studied):
    studied.check_complete(EXPERIMENTS)
    report = (studied.results / "report.html").read_text()
    assert all(word in report for word in ("halves", "columns", "pair", "example"))
    ledger = read_table(studied.results / "claims.tsv").set_index("id")
    judged = ledger[ledger["verdict"] != "not testable"]
    assert {"CE-10-us", "CE-11", "CE-12", "CE-13-ge", "CE-14", "CE-20-genes", "CE-21-genes"} <= set(judged.index)
    assert set(judged["source"]) == {"own"}
    # S and US are the same consensus where all embeddings are kept.
    assert judged["verdict"]["CE-12"] == "trivially true"
    assert set(judged["verdict"]) <= set(SUBSTITUTE.values())


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_own_table_has_numbers_and_no_share_is_out_of_range(studied, experiment):
    metrics = read_table(studied.results / experiment / "metrics.tsv")
    assert set(metrics["dataset"]) == {"example", "halves", "columns", "pair"}
    shares = metrics[metrics["metric"].isin(["accuracy", "balanced_accuracy"])]["value"]
    assert shares.between(0, 1).all()


def test_classes_that_differ_in_half_of_the_genes_are_told_apart(studied):
    metrics = read_table(studied.results / "gene_expression/metrics.tsv")
    found = metrics[(metrics["metric"] == "balanced_accuracy") & (metrics["variant"] == "main")]
    means = found.groupby(["dataset", "method"])["value"].mean()
    for dataset in ("halves", "columns", "pair"):
        for method in ("knn_ensemble", "ssage", "consensus_pca_s", "consensus_pca_us", "pca"):
            assert means[dataset, method] > 0.9, (dataset, method)
        assert means[dataset, "majority"] == 0.5


def test_own_tables_are_read_in_the_form_that_they_have(studied):
    pair, columns = (load_split(studied.results / f"genes/{name}.npz") for name in ("pair", "columns"))
    assert [part.values.shape for part in (pair.training, pair.test)] == [(40, N_GENES), (36, N_GENES)]
    assert [part.values.shape for part in (columns.training, columns.test)] == [(22, N_GENES)] * 2
    assert columns.training.genes.tolist() == [f"GENE{k}" for k in range(N_GENES)]
    assert set(columns.test.classes) == {"normal", "tumour"}
    assert np.isnan(columns.test.values).any()


def test_another_view_is_drawn_anew(studied):
    changes = merge(studied.changes, {"gene_expression": {"views": "pair"}})
    changed = studied.write_changes("own_expression", changes, "changed")
    counts = studied.job_counts(*changed[1:])
    assert counts["present_gene_expression"] == 1
    assert "score_gene_expression" not in counts


def test_a_damaged_file_of_the_paper_is_refused(new_checkout):
    """A file that lies in its place already is not downloaded again, but has to be the published one."""
    checkout = new_checkout()
    for part in ("train", "test"):
        path = checkout / f"resources/data/kent_ridge/ALL-AML_{part}.data"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1,2,3,ALL\n2,3,4,ALL\n5,6,1,AML\n5,7,1,AML\n")
    output = checkout.snakemake("--cores", "1", "results/paper/genes/leukemia.npz", fails=True)
    assert "not the published ones" in output
    for part in ("train", "test"):
        assert f"kent_ridge/ALL-AML_{part}.data: expected sha256 " in output
    # A look says so too, and is none that fails.
    assert "not the published ones" in checkout.snakemake("--dry-run", "results/paper/genes/leukemia.npz")
    assert not (checkout / "results/paper/genes").exists() or not list((checkout / "results/paper/genes").iterdir())

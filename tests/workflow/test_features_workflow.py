"""Feature selection at its smallest, on tables of one's own."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from checkout import example
from replication.data.feature_set import load_feature_set
from replication.platform.configuration import merge
from replication.report.views import shown_rows
from replication.shared.tidy import read_table
from sklearn.datasets import load_wine

pytestmark = pytest.mark.long_study

# Enough for every table and figure; the numbers say little.
SMALL = {
    # As of a user who wants the claims of the papers judged on own tables.
    "claims": ["papers"],
    "feature_embedding": {"max_components": 8, "n_neighbors": [3, 6], "alphas": [1, 10]},
    "feature_selection": {
        "n_features": [3, 5],
        "rounds": 3,
        "forests": {"rounds": 1, "n_features": [5]},
        "variant_rounds": 2,
        "variants": [{"name": "features standardised", "scaling": "standard"}],
    },
    "survival": {"cohort": 30, "partitions": 2, "folds": 2},
}
PLANTED = {"structure": "shift", "n_samples": 40, "n_validation": 20, "n_features": 12, "n_informative": 3}
PLANTED |= {"n_redundant": 2, "n_nuisance": 2, "effect": 2.0, "nuisance_scale": 2.0}


# Names that look like numbers, formulas, tags and columns, in other scripts, and as long as a file system allows.
MARKERS = ["2310009E13", "2310009E14", "007", "$x_1$", "<b>&amp;</b>", "a, \"b\"; 'c'", "1e5", "ä µ 東" + "x" * 250]
# Those that differ between the two classes.
DIFFERENT = MARKERS[3:6]
FREE, RELAPSE = "<free> & well", "$relapse$"


def own_table(n=48):
    """Patients of two kinds that differ in three of eight features, with their months and the part they belong to."""
    rng = np.random.default_rng(0)
    sick = np.arange(n) % 2 == 1
    values = rng.normal(size=(n, 8))
    values[:, 3:6] += np.where(sick[:, None], 2.0, 0.0)
    table = pd.DataFrame(values.round(4), columns=MARKERS)
    table.insert(0, "patient", [f"P{k}" for k in range(n)])
    table["outcome"] = np.where(sick, RELAPSE, FREE)
    table["months"] = (rng.exponential(np.where(sick, 20, 80)) + 0.5).round(1)
    table["part"] = np.resize(["train", "train", "train", "train", "test", "test"], n)
    return table


KNOWN = {"label": "outcome", "positive": RELAPSE, "drop": ["patient"]}


def patients(table):
    """The entry of a good table, with months and a split."""
    return {"name": "patients", "table": table, **KNOWN, "months": "months", "split": "part"}


def cells_of(page):
    """Texts of the cells of a page's tables, as a browser shows them."""
    # Their end tags are left out.
    cells = re.findall(r"<td\b[^>]*>(.*?)(?=</?t[dr]\b|</table)", page, flags=re.DOTALL)
    return {html.unescape(re.sub("<[^>]+>", "", cell)) for cell in cells}


@pytest.fixture(scope="module")
def studied(new_checkout):
    """A checkout in which the example, and a table of one's own with months, have run on one core."""
    checkout = new_checkout()
    table = checkout.write_table("patients.csv", own_table())
    checkout.changes = {
        "experiments": ["feature_selection", "survival"],
        "features": {"sets": [example("own_features", "features"), patients(table)]},
        "feature_selection": {**SMALL["feature_selection"], "sets": ["wines", "patients"]},
        "survival": {"features": ["patients"]},
    }
    checkout.study("own_features", merge(SMALL, checkout.changes))
    return checkout


# --- tables of one's own


def test_own_tables_end_with_report_tables_and_figures(studied):
    studied.check_complete(["feature_selection", "survival"])


def test_own_tables_are_no_more_than_a_substitute_for_the_papers_data(studied):
    ledger = read_table(studied.results / "claims.tsv").set_index("id")
    judged = ledger[ledger["verdict"] != "not testable"]
    assert set(judged["source"]) == {"own"}
    # An identity holds on any data; nothing else is said of the paper's data by other data.
    others = judged["verdict"].drop("FI-18")
    assert judged["verdict"]["FI-18"] == "trivially true"
    assert all(verdict.endswith("on the substitute") or verdict == "inconclusive" for verdict in others)


def test_names_of_the_file_travel_unchanged_to_tables_and_the_report(studied):
    table = read_table(studied.results / "feature_selection/tables/features.tsv")
    on_page = shown_rows(table).query("`data set` == 'patients'")
    table = table[table["data set"] == "patients"]
    assert set(table["feature"]) <= set(MARKERS)
    # The three that differ are selected in every round by the t-test.
    assert set(table.loc[table["method"] == "t-test", "feature"].iloc[:3]) == set(DIFFERENT)
    assert table["votes (%)"].max() == 100
    cells = cells_of((studied.results / "report.html").read_text())
    assert set(DIFFERENT) <= set(on_page["feature"]) <= cells


def test_the_sizes_are_those_of_the_file(studied):
    metrics = read_table(studied.results / "feature_selection/metrics.tsv")
    metrics = metrics[metrics["dataset"] == "wines"]
    sizes = metrics[metrics["method"] == "all"].set_index("metric")["value"]
    # Three quarters of 178 wines are more than 100; without a split the left-out ones are the unseen ones.
    expected = {"n_samples": 178, "n_features_all": 13, "n_validation": 0, "n_round": 100, "redrawn": 0}
    assert sizes[list(expected)].to_dict() == expected


def test_own_tables_are_read_with_the_names_of_the_file(studied):
    found = load_feature_set(studied.results / "features/patients.npz")
    assert (found.features.tolist(), found.classes.tolist()) == (MARKERS, [FREE, RELAPSE])
    assert (found.values.shape, found.validation.sum()) == ((48, 8), 16)
    # The class that the configuration calls positive.
    wines = load_feature_set(studied.results / "features/wines.npz")
    np.testing.assert_allclose(wines.values, load_wine().data, rtol=1e-9)
    assert (wines.labels == 1).tolist() == (load_wine().target == 0).tolist()


def test_survival_counts_the_patients_and_the_relapses_of_the_file(studied):
    metrics = read_table(studied.results / "survival/metrics.tsv")
    of_all = metrics[metrics["method"] == "all"].set_index("metric")["value"]
    assert of_all.to_dict() == {"n_samples": 48, "n_events": 24}
    curves = metrics[(metrics["cohort"] == "all") & (metrics["method"] == "t_test")]
    for _, rows in curves.groupby("fit"):
        values = rows.set_index("metric")["value"]
        low, high = values["n_low"].to_numpy(), values["n_high"].to_numpy()
        np.testing.assert_array_equal(low + high, 48)
        assert values["n_events"].sum() == 24
        assert values["n_events"].sum() + values["censored"].sum() == 48
        started = rows[(rows["metric"] == "at_risk") & (rows["months"] == 0)]["value"]
        assert started.tolist() == [low[0], high[0]]


def test_a_new_set_in_the_list_reads_and_scores_nothing_else_again(studied):
    sets = [*studied.changes["features"]["sets"], {"name": "shifted", "planted": PLANTED}]
    changes = {"features": {"sets": sets}, "feature_selection": {"sets": ["wines", "shifted"]}}
    changed = studied.write_changes("own_features", merge(SMALL, merge(studied.changes, changes)), "new")
    counts = studied.job_counts(*changed[1:])
    assert counts["read_features"] == counts["score_feature_selection"] == 1
    assert {"score_survival", "run_survival"}.isdisjoint(counts)


# --- files of the challenge


def test_without_its_training_file_gisette_is_read_from_its_validation_set(fresh):
    """What is asked for in a dry run, by the paper-scale configuration and by the one laid over it."""
    target = "results/paper/feature_selection/metrics.tsv"
    asked = {}
    for name, overlay in {"whole": [], "halved": ["config/gisette_halved.yaml"]}.items():
        command = ["--dry-run", "--printshellcmds", target, "--configfile", "config/config.yaml", *overlay]
        output = fresh.look(*command)
        asked[name] = {line.split()[-1] for line in output.splitlines() if ": Fetch nips2003/GISETTE" in line}
    files = {f"nips2003/GISETTE/gisette_{part}" for part in ("valid.data", "valid.labels")}
    assert asked["halved"] == files
    assert asked["whole"] == files | {f"nips2003/GISETTE/gisette_train.{end}" for end in ("data", "labels")}

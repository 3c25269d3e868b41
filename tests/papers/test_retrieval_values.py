"""Curves over training shares, and the share that suffices, on numbers made by hand."""

import numpy as np
import pandas as pd
import pytest
from presented import through_file
from replication.papers.sparks2011 import retrieval_metrics
from replication.papers.sparks2011.retrieval_metrics import (
    MARGIN,
    MainRows,
    class_sizes,
    curve,
    differences,
    labelled_shares,
    main_rows,
    needed_by_labelled,
    upper_bounds,
)
from replication.shared.tidy import Metrics
from scipy import stats

CONDITIONS = ["variant", "separation", "split", "training", "labelled", "objects", "label"]
MAIN = {"variant": "", "separation": "", "split": "objects", "labelled": "", "objects": "all", "label": ""}
# Three draws around a mean, of standard deviation 1.
DRAWS = np.array([-1.0, 0.0, 1.0])
# One-sided 95 % bound of their mean, from the tables of the t distribution with 2 degrees of freedom.
BOUND = 2.919986 / np.sqrt(3)


def collector():
    return Metrics("gland_retrieval", "glands", "simulated", CONDITIONS)


def add(metrics, method, values, metric="si", **at):
    """One value per draw; share -> values, or one list for one share."""
    for training, of_share in values.items():
        for draw, value in enumerate(of_share):
            metrics.add(method, metric, value, draw, **{**MAIN, "training": training, **at})


def both_ways(metrics, path):
    """The table as it is in memory, with empty text, and as it is read from its file."""
    table = metrics.table()
    return [table, table.astype(object).where(table.notna(), ""), through_file(table, path)]


@pytest.fixture
def tables(tmp_path):
    """Main rows of three methods, and beside them rows under every other condition, all of them 9."""
    metrics = collector()
    metrics.add("all", "n_label", 5, label="rare")
    metrics.add("all", "n_label", 70, label="common")
    add(metrics, "nm_ge", {1.0: [0.9, 0.8], 0.1: [0.1, 0.2], 0.3: [0.4, 0.3]})
    for labelled in (0.6, 0.1 + 0.2):
        add(metrics, "ose_ssl", {0.1: [0.2, 0.3], 0.3: [labelled, 0.7]}, labelled=labelled)
    nines = {0.1: [9, 9], 0.3: [9, 9], 0.7: [9, 9]}
    for change in (
        {"variant": "2 dimensions"},
        {"separation": 0.5},
        {"separation": 0},
        {"split": "regions"},
        {"objects": "extrapolated"},
        {"label": "rare"},
        {"metric": "auprc"},
    ):
        for method, labelled in (("nm_ge", ""), ("ose_ssl", 0.6)):
            add(metrics, method, nines, **{"labelled": labelled, **change})
    return both_ways(metrics, tmp_path)


def test_a_curve_holds_the_main_rows_alone(tables):
    for table in tables:
        rows = MainRows(table)
        found = curve(rows, "si", "nm_ge", objects="all")
        assert found.columns.tolist() == [0.1, 0.3, 1.0]
        assert found.index.tolist() == ["0", "1"]
        np.testing.assert_array_equal(found, [[0.1, 0.4, 0.9], [0.2, 0.3, 0.8]])
        np.testing.assert_array_equal(curve(rows, "si", "ose_ssl", objects="all", labelled=0.6)[0.3], [0.6, 0.7])
        # Shares are compared but for their rounding.
        np.testing.assert_allclose(curve(rows, "si", "ose_ssl", objects="all", labelled=0.3)[0.3], [0.3, 0.7])
        of_class = curve(rows, "si", "ose_ssl", objects="all", labelled=0.6, label="rare")
        assert (of_class == 9).all(axis=None)
        assert of_class.columns.tolist() == [0.1, 0.3, 0.7]


def test_main_rows_leave_out_variants_other_separations_and_whole_regions(tables):
    for table in tables:
        kept = main_rows(table)
        assert set(kept["split"]) == {"objects"}
        assert len(kept) == 6 + 8 + 3 * 2 * 6
        assert labelled_shares(table) == [0.3, 0.6]


def test_cells_have_both_shares_and_0_where_there_are_no_labels(tables):
    for table in tables:
        rows = MainRows(table)
        found = rows.cells("si", "ose_ssl", "all")
        assert found.columns.names == ["labelled", "training"]
        assert found.columns.tolist() == [(0.3, 0.1), (0.3, 0.3), (0.6, 0.1), (0.6, 0.3)]
        assert rows.cells("si", "nm_ge", "all").columns.unique("labelled").tolist() == [0.0]


def test_rows_that_are_grouped_once_say_the_same_however_often_they_are_asked(tables):
    for table in tables:
        rows = MainRows(table)
        for method, objects in (("nm_ge", "all"), ("ose_ssl", "all"), ("ose_ssl", "extrapolated"), ("ge", "all")) * 2:
            found = rows.cells("si", method, objects)
            pd.testing.assert_frame_equal(found, MainRows(table).cells("si", method, objects))
            # An answer is the caller's own.
            found.iloc[:] = 9


def needed_training(table):
    """Of NM-GE, which has no labels."""
    return needed_by_labelled(MainRows(table), "si", "nm_ge", "ge", objects="all").get(0.0, np.nan)


def test_classes_are_counted(tables):
    for table in tables:
        assert class_sizes(table).to_dict() == {"rare": 5, "common": 70}
        assert class_sizes(table[table["metric"] == "si"]).empty


def test_what_was_not_measured_is_empty(tables):
    for table in tables:
        for absent in ({"metric": "recall"}, {"method": "ge"}, {"objects": "training"}, {"labelled": 0.5}):
            given = {"metric": "si", "method": "nm_ge", "objects": "all", **absent}
            assert curve(MainRows(table), **given).empty
        assert needed_by_labelled(MainRows(table), "si", "ge", "nm_ge", objects="all").empty


def test_rows_of_two_data_sets_are_refused(tables):
    with pytest.raises(ValueError, match="duplicate"):
        MainRows(pd.concat([tables[0], tables[0].assign(dataset="digits")])).cells("si", "nm_ge", "all")


def test_draws_of_both_methods_are_paired():
    metrics = collector()
    add(metrics, "nm_ge", {0.5: [0.1, 0.5, 0.9], 0.7: [0.2, 0.3, 0.4]})
    add(metrics, "ge", {0.5: [0.2, 0.6], 0.6: [1, 1], 1.0: [1, 1, 1]})
    found = differences(MainRows(metrics.table()), "si", "nm_ge", "ge", objects="all").xs(0.0, level="labelled", axis=1)
    found = found.dropna(axis="columns", how="all")
    assert found.columns.tolist() == [0.5]
    np.testing.assert_allclose(found[0.5].dropna(), [0.1, 0.1])


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_bound_is_that_of_the_one_sided_t_test(n):
    values = pd.DataFrame(np.random.default_rng(n).normal(0.3, 0.1, (n, 3)))
    expected = stats.ttest_1samp(values, 0, alternative="less").confidence_interval(0.95).high
    np.testing.assert_allclose(upper_bounds(values), expected, rtol=1e-12)
    with_gap = pd.concat([values, pd.DataFrame([[np.nan] * 3])])
    np.testing.assert_allclose(upper_bounds(with_gap), expected, rtol=1e-12)


def test_a_bound_takes_two_draws_and_no_spread():
    found = upper_bounds(pd.DataFrame({"one": [0.2, np.nan], "none": [np.nan, np.nan], "equal": [0.2, 0.2]}))
    assert found[["one", "none"]].isna().all()
    assert found["equal"] == 0.2


def constructed(gaps, spread=0.01, method="nm_ge", reference="ge", labelled=""):
    """A method that lies below its reference by some mean gaps; draws move both together by much, the gap by little."""
    metrics = collector()
    together = np.array([0.3, -0.2, 0.1])
    for training, gap in gaps.items():
        add(metrics, reference, {training: 0.5 + together}, labelled=labelled)
        add(metrics, method, {training: 0.5 + together - gap - spread * DRAWS}, labelled=labelled)
    return metrics.table()


# The largest mean gap whose bound is within the margin, at this spread.
EDGE = MARGIN - BOUND * 0.01


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ({0.1: 0.2, 0.3: 0.1, 0.5: 0.0, 0.7: 0.0}, 0.5),
        ({0.1: 0.0, 0.3: 0.0, 0.5: 0.0}, 0.1),
        # Above the reference is not below it.
        ({0.1: 0.2, 0.3: -0.3}, 0.3),
        ({0.1: 0.2, 0.3: 0.2}, 1.0),
        # Once reached is not enough: every larger share below 1 has to do.
        ({0.1: 0.0, 0.3: 0.0, 0.5: 0.1, 0.7: 0.0}, 0.7),
        ({0.1: 0.0, 0.3: 0.0, 0.5: 0.1}, 1.0),
        # What happens at 100 % does not count.
        ({0.3: 0.0, 0.5: 0.0, 1.0: 0.5}, 0.3),
        ({0.3: 0.5, 0.5: 0.5, 1.0: 0.0}, 1.0),
        # The bound decides, not the mean.
        ({0.3: EDGE - 1e-5, 0.5: 0.0}, 0.3),
        ({0.3: EDGE + 1e-5, 0.5: 0.0}, 0.5),
    ],
)
def test_the_training_share_that_suffices(gaps, expected):
    assert needed_training(constructed(gaps)) == expected


def test_a_bound_at_the_margin_suffices(monkeypatch):
    monkeypatch.setattr(retrieval_metrics, "MARGIN", 0.25)
    assert needed_training(constructed({0.3: 0.25, 0.5: 0.0}, spread=0.0)) == 0.3
    assert needed_training(constructed({0.3: 0.2501, 0.5: 0.0}, spread=0.0)) == 0.5


def test_one_draw_is_no_sample():
    table = constructed({0.3: 0.0, 0.5: 0.0})
    assert np.isnan(needed_training(table[table["repetition"] == 0]))
    lost = (table["training"] == 0.5) & (table["repetition"] > 0) & (table["method"] == "ge")
    assert np.isnan(needed_training(table[~lost]))
    table.loc[lost, "value"] = np.nan
    assert np.isnan(needed_training(table))
    assert np.isnan(needed_training(constructed({1.0: 0.0})))


def test_the_share_that_suffices_at_every_labelled_share():
    expected = {0.2: 0.7, 0.5: 0.3, 0.9: 1.0}
    parts = [
        constructed({m: 0.2 * (m < needed) for m in (0.1, 0.3, 0.5, 0.7)}, 0.01, "ose_ssl", "ssge", labelled)
        for labelled, needed in expected.items()
    ]
    table = MainRows(pd.concat(parts))
    found = needed_by_labelled(table, "si", "ose_ssl", "ssge", objects="all")
    assert found.to_dict() == expected
    assert needed_by_labelled(table, "si", "ose_ssl", "ge", objects="all").isna().all()
    bare = constructed({0.3: 0.2, 0.5: 0.0})
    assert needed_by_labelled(MainRows(bare), "si", "nm_ge", "ge", objects="all").to_dict() == {0.0: 0.5}

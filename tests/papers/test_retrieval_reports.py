"""Tables of the experiments on out-of-sample embedding and retrieval, from made-up metrics."""

import itertools

import numpy as np
import pandas as pd
import pytest
from presented import rows, through_file
from replication.papers.sparks2011 import retrieval_tables
from replication.papers.sparks2011.retrieval_metrics import METHODS, METRICS, OBJECTS, QueryCell
from retrieval_metrics import (
    QUERY,
    QUICK,
    SCORES,
    SHARES,
    SIZES,
    VARIANTS,
    gland_metrics,
    grid_metrics,
    levels,
    runtime_metrics,
)
from scipy import stats

LABELLED = ("ose_ssl", "ssge", "recomputed")


@pytest.fixture(scope="module")
def glands(tmp_path_factory):
    table = gland_metrics(grid=QUICK, draws=4, separations=(0, 2))
    return through_file(table, tmp_path_factory.mktemp("glands"))


@pytest.fixture(scope="module")
def roll(tmp_path_factory):
    return through_file(grid_metrics("swiss_roll", (SHARES, [0.6, 0.9]), draws=4), tmp_path_factory.mktemp("roll"))


def values_of(metrics, method, metric, *, training, labelled="", objects="extrapolated", label="", **at):
    """Values by draw, taken from the rows one condition at a time."""
    at = {"variant": "", "split": "objects", **at}
    found = rows(metrics, method=method, metric=metric, **at)
    for column, value in (("training", training), ("labelled", labelled), ("objects", objects), ("label", label)):
        blank = found[column].isna() | (found[column] == "")
        found = found[blank if value == "" else found[column] == value]
    if "separation" not in at:
        found = found[pd.to_numeric(found["separation"]).isna()]
    return found.set_index("repetition")["value"].astype(float)


def at_query(metrics, method, metric, **at):
    return values_of(metrics, method, metric, training=QUERY[0], labelled=QUERY[1] if method in LABELLED else "", **at)


def shown(values, digits=3):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def interval(first, second):
    return tuple(stats.ttest_rel(first, second).confidence_interval())


@pytest.mark.slow
def test_curves_hold_every_cell_and_both_ways_of_drawing(glands):
    table = retrieval_tables.curves(glands)
    assert set(table["draws"]) == {4}
    for dataset, (method, share), m, objects in itertools.product(
        ("glands", "digits"), (("ose_ssl", 0.6), ("nm_ge", ""), ("random", "")), (0.3, 1.0), ("all", "extrapolated")
    ):
        found = rows(
            table, method=METHODS[method], objects=OBJECTS[objects],
            **{"data set": dataset, "M (%)": 100 * m, "training drawn as": "single objects"},
        )  # fmt: skip
        found = found[found["S (%)"].isna() if share == "" else found["S (%)"] == 100 * share]
        if m == 1 and objects == "extrapolated":
            assert found.empty
            continue
        row = found.iloc[0]
        of_set = rows(glands, dataset=dataset)
        for score in SCORES:
            values = values_of(of_set, method, score, training=m, labelled=share, objects=objects)
            assert len(values) == 4
            assert row[METRICS[score]] == pytest.approx(values.mean(), abs=1e-4)
            assert row[f"{METRICS[score]}, SD"] == pytest.approx(values.std(), abs=1e-4)
    regions = rows(table, **{"training drawn as": "whole regions"})
    assert set(regions["data set"]) == {"glands"}
    row = rows(regions, method="OSE-SSL", objects="extrapolated", **{"M (%)": 80}).iloc[0]
    values = at_query(rows(glands, dataset="glands"), "ose_ssl", "auprc", split="regions")
    assert row["AUPRC"] == pytest.approx(values.mean(), abs=1e-4)


def test_needed_is_the_share_from_which_on_the_shortfall_is_small(tmp_path):
    # Of 4 draws with an SD of 0.00115 the bound lies 0.00136 above the mean.
    below = {0.2: 0.04, 0.4: 0.0495, 0.5: 0.048, 0.8: 0.01, 1.0: 0.0}
    table = retrieval_tables.needed(through_file(levels(below), tmp_path))
    reached = rows(table, method="OSE-SSL", reference="SSGE")
    # 40 % is too far below, so 20 % does not count either.
    assert set(reached["needed M (%)"]) == {50}
    assert len(reached) == 8
    assert rows(reached, score="SI")["needed M (%), paper"].tolist() == ["50", "20"] * 2
    assert set(rows(reached, score="AUPRC")["needed M (%), paper"]) == {"50"}
    assert set(rows(table, method="NM-GE")["needed M (%), paper"]) == {"70"}
    assert set(rows(table, reference="recomputed SSGE")["needed M (%), paper"]) == {""}
    never = retrieval_tables.needed(levels(dict.fromkeys(below, 0.06)))
    assert set(rows(never, method="OSE-SSL", reference="SSGE")["needed M (%)"]) == {100}
    one = retrieval_tables.needed(levels(below, draws=1))
    assert one["needed M (%)"].isna().all()


def test_errors_stand_beside_those_of_zeros_of_the_same_cell(roll):
    table = retrieval_tables.errors(roll)
    assert len(table) == 9 * 3
    for method, share in (("nm_ge", ""), ("ose_ssl", 0.6), ("ose_ssl", 0.9)):
        row = rows(table, method=METHODS[method], **{"M (%)": 30})
        row = row[row["S (%)"].isna() if share == "" else row["S (%)"] == 100 * share].iloc[0]
        at = {"training": 0.3, "labelled": share, "objects": ""}
        for metric, name in retrieval_tables.ERRORS.items():
            values = values_of(roll, method, metric, **at)
            assert row[name] == pytest.approx(values.mean(), rel=1e-3)
            assert row[f"{name}, SD"] == pytest.approx(values.std(), rel=1e-3)
            zero = 1 if metric == "error_relative" else values_of(roll, "zero", metric, **at).mean()
            assert row[f"{name}, zero matrix"] == pytest.approx(zero, rel=1e-3)
    assert 100 not in set(table["M (%)"])


def test_first_items_are_told_by_class_the_rarest_first(glands):
    table = retrieval_tables.first_five(glands)
    of_glands = rows(table, **{"data set": "glands"})
    assert of_glands["class of the query"].tolist() == ["grade_4", "benign", "grade_3"]
    assert of_glands["objects of the class"].tolist() == [47, 93, 748]
    assert set(table["retrieved"]) == {5}
    metrics = rows(glands, dataset="glands")
    for row in of_glands.to_dict("records"):
        label = row["class of the query"]
        found = {method: at_query(metrics, method, "same_of_first", label=label)
                 for method in ("nm_ge", "ose_ssl", "dissimilarity")}  # fmt: skip
        for method, values in found.items():
            assert row[METHODS[method]] == shown(values, 2)
        assert row["chance"] == f"{5 * SIZES[label] / 888:.2f} ± 0.00"
        low, high = interval(found["ose_ssl"], found["nm_ge"])
        assert (row["CI low"], row["CI high"]) == pytest.approx((low, high), abs=1e-5)
        test = stats.ttest_rel(found["ose_ssl"], found["nm_ge"], alternative="greater")
        assert row["p (OSE-SSL more)"] == pytest.approx(test.pvalue, abs=1e-6)


def test_separations_hold_the_main_one_between_the_others(glands):
    table = retrieval_tables.separation(glands)
    assert len(table) == 3 * 2 * 2
    assert set(table["data set"]) == {"glands"}
    metrics = rows(glands, dataset="glands")
    for at, objects in itertools.product((0, 1, 2), ("all", "extrapolated")):
        row = rows(table, separation=at, score="AUPRC", objects=OBJECTS[objects]).iloc[0]
        found = {method: at_query(metrics, method, "auprc", objects=objects, separation=at)
                 for method in ("nm_ge", "ose_ssl", "recomputed", "dissimilarity", "random")}  # fmt: skip
        for method, values in found.items():
            assert row[METHODS[method]] == shown(values)
        assert (row["CI low"], row["CI high"]) == pytest.approx(interval(found["ose_ssl"], found["nm_ge"]), abs=1e-5)


def test_variants_are_paired_with_the_main_run(roll):
    table = retrieval_tables.variants(roll)
    assert table["changed"].unique().tolist() == ["", *VARIANTS["swiss_roll"]]
    assert rows(table, changed="")["change of OSE-SSL"].isna().all()
    for name, objects in itertools.product(VARIANTS["swiss_roll"], ("all", "extrapolated")):
        row = rows(table, changed=name, score="SI", objects=OBJECTS[objects]).iloc[0]
        other, main = (at_query(roll, "ose_ssl", "si", objects=objects, variant=of) for of in (name, ""))
        assert row["OSE-SSL"] == shown(other)
        assert row["GE"] == shown(at_query(roll, "ge", "si", objects=objects, variant=name))
        assert row["change of OSE-SSL"] == pytest.approx((other - main).mean(), abs=1e-5)
        assert (row["CI low"], row["CI high"]) == pytest.approx(interval(other, main), abs=1e-5)


def test_pieces_of_the_training_graph_are_told_at_every_share(roll):
    table = retrieval_tables.graph(roll)
    main = rows(table, changed="").set_index("M (%)")
    assert main.index.tolist() == [round(100 * share) for share in SHARES if share < 1]
    assert main["pieces"].tolist() == [5, *[1] * 8]
    assert main["largest piece (%)"].tolist() == [40, *[100] * 8]
    assert main["objects outside every neighbourhood"].tolist() == [12, *[0] * 8]
    assert set(table["draws"]) == {4}
    assert rows(table, changed="two components")["M (%)"].tolist() == [80]


def test_runtime_is_told_in_milliseconds(tmp_path):
    metrics = through_file(runtime_metrics((500, 2000)), tmp_path)
    table = retrieval_tables.runtime(metrics)
    assert table["N"].tolist() == [500, 2000]
    means = {method: 1000 * rows(metrics, n_samples=2000, method=method)["value"].astype(float).mean()
             for method in ("extrapolation", "batch", "recomputation")}  # fmt: skip
    row = table.iloc[1]
    for (method, mean), column in zip(means.items(), table.columns[1:4], strict=True):
        assert float(row[column].split(" ± ")[0]) == pytest.approx(mean, rel=5e-3), method
    ratio = means["recomputation"] / means["extrapolation"]
    assert row["recomputation over extrapolation"] == pytest.approx(ratio, rel=1e-3)
    once = retrieval_tables.runtime(runtime_metrics((500,), repetitions=1))
    assert not once.map(lambda cell: "±" in str(cell)).any(axis=None)


@pytest.mark.slow
def test_one_draw_has_no_spread_and_no_interval(tmp_path):
    metrics = through_file(gland_metrics(grid=QUICK, draws=1, separations=(0,)), tmp_path)
    for make in (retrieval_tables.first_five, retrieval_tables.separation, retrieval_tables.variants):
        table = make(metrics)
        assert len(table)
        assert not table.map(lambda cell: "±" in str(cell)).any(axis=None)
        assert table[[name for name in table if name.startswith(("CI", "p ("))]].isna().all(axis=None)
    assert retrieval_tables.curves(metrics)["SI, SD"].isna().all()


def test_the_query_cell_is_where_classes_are_told_apart(glands):
    assert retrieval_tables.query_cell(rows(glands, dataset="glands")) == QueryCell(*QUERY)
    unasked = glands[glands["label"].isna() | (glands["label"] == "") | (glands["metric"] == "n_label")]
    assert retrieval_tables.query_cell(rows(unasked, dataset="glands")) is None
    for make in (retrieval_tables.first_five, retrieval_tables.variants, retrieval_tables.separation):
        assert make(unasked).empty


@pytest.mark.slow
def test_the_number_retrieved_is_read_and_not_made_of_chance(glands):
    # A fifth of the training items has no label: chance over the classes adds up to 4 of 5.
    chance = (glands["metric"] == "same_of_first") & (glands["method"] == "random")
    some = glands.assign(value=glands["value"].where(~chance, 0.8 * glands["value"]))
    assert set(retrieval_tables.first_five(some)["retrieved"]) == {5}
    counted = glands["metric"] == "n_retrieved"
    seven = glands.assign(value=glands["value"].where(~counted, 7))
    assert set(retrieval_tables.first_five(seven)["retrieved"]) == {7}
    with pytest.raises(ValueError, match="size 1"):
        retrieval_tables.n_retrieved(glands)

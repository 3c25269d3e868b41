"""What is said of out-of-sample embedding and retrieval, from made-up metrics."""

import re

import numpy as np
import pytest
from presented import through_file
from replication.ledger.findings import finding
from retrieval_metrics import (
    QUERY,
    QUICK,
    VARIANTS,
    gland_metrics,
    grid_metrics,
    levels,
    own_metrics,
    runtime_metrics,
)

CELL = ([QUERY[0]], [QUERY[1]])


def told(dataset="swiss_roll", draws=2, separations=(), **given):
    """
    Finding of a data set with the query cell alone, with given values by draw.

    Given: metric__method__objects=values, and after a further "__" conditions as column-value.
    """
    table = grid_metrics(dataset, CELL, draws=draws, separations=separations)
    for key, values in given.items():
        metric, method, objects, *conditions = key.split("__")
        at = {"variant": "", "split": "objects", "label": "", **dict(text.split("-") for text in conditions)}
        mask = (table["metric"] == metric) & (table["method"] == method) & (table["objects"] == objects)
        for column, value in at.items():
            mask &= table[column] == (float(value) if column == "separation" else value)
        if "separation" not in at:
            mask &= table["separation"] == ""
        assert mask.sum() == len(values), key
        table.loc[mask, "value"] = values
    return finding("swiss_roll" if dataset == "swiss_roll" else "gland_retrieval", table)


def test_finding_of_the_roll_holds_the_measured_numbers():
    # Differences of 0.2 and 0.21 or 0.1 and 0.11: their standard error is 0.005, t of one degree of freedom 12.706.
    text = told(
        auprc__ose_ssl__all=[0.8, 0.81], auprc__nm_ge__all=[0.6, 0.6],
        auprc__ose_ssl__extrapolated=[0.7, 0.71], auprc__nm_ge__extrapolated=[0.6, 0.6],
        auprc__ose_ssl__training=[0.85, 0.86], auprc__random__all=[0.5, 0.5],
        auprc__recomputed__extrapolated=[0.75, 0.76], si__ose_ssl__all=[0.3, 0.4], si__ose_ssl__training=[0.5, 0.5],
        si__ose_ssl__extrapolated=[0.2, 0.21],
    )  # fmt: skip
    for words in (
        "swiss_roll (simulated; first half 1000, second half 1000), 2 draws, M = 80 % and S = 60 % (differences are",
        "averaged over classes, is 0.805 over all objects, 0.855 over training objects, 60 % of whose labels "
        "are given, and 0.705 over extrapolated ones; chance is 0.500. The silhouette index is 0.350, 0.500 and "
        "0.205 (NM-GE:",
        "OSE-SSL minus NM-GE is +0.205 (+0.141 to +0.269, beyond chance) over all objects and +0.105 (+0.041 to "
        "+0.169, beyond chance) over extrapolated ones: 51 % of the lead over all objects is left for new ones.",
        "Recomputing the embedding with the same labels reaches an AUPRC of 0.755 over the extrapolated objects; "
        "OSE-SSL minus that is -0.050 in every draw.",
    ):
        assert words in text
    assert text.count("\n\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "words"),
    [
        ([0.85, 0.86], "over extrapolated ones: the lead is not smaller for new objects."),
        ([0.65, 0.651], "over extrapolated ones: 25 % of the lead over all objects is left for new ones."),
        ([0.7, 0.5], "(-1.271 to +1.271, not beyond chance) over extrapolated ones: for new objects there is no lead "),
        ([0.5, 0.51], "over extrapolated ones: for new objects NM-GE is ahead."),
    ],
)
def test_what_is_left_of_the_lead_for_new_objects(ours, words):
    both = {"auprc__ose_ssl__all": [0.8, 0.81], "auprc__nm_ge__all": [0.6, 0.6]}
    assert words in told(auprc__ose_ssl__extrapolated=ours, auprc__nm_ge__extrapolated=[0.6, 0.6], **both)


@pytest.mark.slow
def test_without_a_lead_over_all_objects_nothing_is_said_of_what_is_left():
    none = {"auprc__ose_ssl__all": [0.5, 0.51], "auprc__nm_ge__all": [0.6, 0.6]}
    text = told(auprc__ose_ssl__extrapolated=[0.5, 0.51], auprc__nm_ge__extrapolated=[0.6, 0.6], **none)
    assert "over extrapolated ones: for new objects NM-GE is ahead." in text
    text = told(**none)
    assert re.search(r"over extrapolated ones\. Ranking", text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        ([0.5, 0.5], "for new objects OSE-SSL retrieves better than what it is made from."),
        ([0.8, 0.8], "for new objects OSE-SSL retrieves worse than what it is made from."),
        ([0.6, 0.82], None),
    ],
)
def test_the_embedding_stands_beside_the_dissimilarity_itself(theirs, words):
    text = told(auprc__dissimilarity__extrapolated=theirs, auprc__ose_ssl__extrapolated=[0.7, 0.71])
    assert f"has an AUPRC of {np.mean(theirs):.3f} over the extrapolated objects" in text
    assert (words in text) if words else ("retrieves" not in text)


@pytest.mark.slow
@pytest.mark.parametrize(("zeros", "count", "said"), [(1e-3, 0, False), (1e-4, 2, True)])
def test_an_order_that_zeros_reach_says_nothing(zeros, count, said):
    table = grid_metrics("swiss_roll", CELL, draws=2)
    table.loc[table["metric"] == "error_l1", "value"] = 1e-4
    table.loc[(table["metric"] == "error_l1") & (table["method"] == "zero"), "value"] = zeros
    text = finding("swiss_roll", table)
    assert f"in 2 of 2 cells it is at most the order of 10^-4 that the paper prints, for zeros in {count}" in text
    assert ("there that order says nothing" in text) is said
    assert "more than that of zeros" not in text
    table.loc[(table["metric"] == "error_relative") & (table["method"] == "ose_ssl"), "value"] = 1.2
    assert "over M, S and both methods, in 1 of 2 cells more than that of zeros." in finding("swiss_roll", table)


@pytest.mark.slow
def test_pieces_of_the_training_graph_are_told_where_there_are_any():
    assert "At every M the training graph is one piece" in told()
    text = finding("swiss_roll", grid_metrics("swiss_roll", ([0.1, 0.2, 0.8], [0.6]), draws=2))
    assert "has at M = 10 % 5.0 pieces and 12.0 new objects outside every neighbourhood." in text


@pytest.mark.slow
def test_finding_tells_what_suffices_for_training(tmp_path):
    below = {0.2: 0.04, 0.5: 0.048, 0.8: 0.01, 1.0: 0.0}
    text = finding("swiss_roll", through_file(levels(below), tmp_path))
    assert "OSE-SSL to SSGE: SI 20 % over all objects, SI 20 % over extrapolated objects, AUPRC 20 %" in text
    assert "(paper: 50 %, for SI at S = 90 % 20 %); OSE-SSL to recomputed SSGE" in text
    never = finding("swiss_roll", levels(dict.fromkeys(below, 0.06)))
    assert "OSE-SSL to SSGE: SI none below 100 % over all objects" in never
    assert "Fewer than two draws: the required training share cannot be assessed." in finding(
        "swiss_roll", levels(below, draws=1)
    )


def test_changed_details_are_told_with_their_intervals():
    changed = {f"auprc__ose_ssl__extrapolated__variant-{name}": [0.8, 0.81] for name in VARIANTS["swiss_roll"][:1]}
    assert "changes by: two components +0.100 in every draw; sum" in told(
        auprc__ose_ssl__extrapolated=[0.7, 0.71], **changed
    )


def test_finding_of_glands_holds_chance_first_items_regions_and_separations():
    steps = {0: [0.3, 0.31], 2: [0.9, 0.91]}
    swept = {
        f"auprc__{method}__extrapolated__separation-{at}": [
            value + (method == "ose_ssl") * 0.1 * (at - 1) for value in of
        ]
        for at, of in steps.items()
        for method in ("ose_ssl", "nm_ge", "dissimilarity")
    }
    at_main = {"ose_ssl": [0.6, 0.61], "nm_ge": [0.5, 0.52], "dissimilarity": [0.7, 0.69]}
    swept |= {f"auprc__{method}__extrapolated__separation-1": of for method, of in at_main.items()}
    text = told(
        "glands", separations=tuple(steps), auprc_queries__random__all=[0.72, 0.73], auprc__random__all=[0.33, 0.34],
        auprc__ose_ssl__extrapolated=[0.6, 0.61], auprc__nm_ge__extrapolated=[0.5, 0.52],
        auprc__dissimilarity__extrapolated=[0.7, 0.69],
        **{"auprc__ose_ssl__extrapolated__split-regions": [0.5, 0.51],
           "same_of_first__ose_ssl__extrapolated__label-grade_4": [2, 2.1],
           "same_of_first__nm_ge__extrapolated__label-grade_4": [1, 1.1],
           "same_of_first__dissimilarity__extrapolated__label-grade_4": [2, 1]},
        **swept,
    )  # fmt: skip
    for words in (
        "glands (simulated; benign 93, grade_3 748, grade_4 47), 2 draws",
        "chance is 0.335 (0.725 if averaged over queries)",
        "Among the first 5 items returned for a new object, those of its own class are (OSE-SSL, NM-GE, dissimilarity "
        "itself, chance): grade_4 2.05, 1.05, 1.50, 0.26; benign",
        "for grade_4, OSE-SSL minus NM-GE +1.00 in every draw, minus the dissimilarity +0.55 (-6.44 to +7.54, not",
        "over extrapolated objects is 0.505, by single objects 0.605: -0.100 in every draw.",
        "From separation 0 to 2 of the classes the AUPRC over extrapolated objects changes for OSE-SSL from 0.205 to",
    ):
        assert words in text
    # Without variance over the draws there is no test.
    assert "OSE-SSL leads beyond chance over NM-GE at 1 and over the dissimilarity itself at none." in text


def test_leads_are_counted_where_they_are_beyond_chance():
    ahead = {f"auprc__ose_ssl__extrapolated__separation-{at}": [0.9, 0.95, 0.93] for at in (0, 1, 2)}
    behind = {f"auprc__dissimilarity__extrapolated__separation-{at}": [0.9, 0.99, 0.8] for at in (1, 2)}
    text = told("glands", draws=3, separations=(0, 2), **ahead, **behind)
    assert "over NM-GE at each and over the dissimilarity itself at 0." in text


def test_finding_of_own_items_of_one_draw_claims_no_chance(tmp_path):
    text = finding("gland_retrieval", through_file(own_metrics(1, {"oak": "1", "elm": "2"}), tmp_path))
    assert text.startswith("own_leaves (own; 1 40, 2 25), 1 draw, M = 80 %")
    assert "(one draw, no interval)" in text
    assert "beyond chance" not in text
    # Nor of several draws of the same items.
    several = finding("gland_retrieval", own_metrics(4))
    assert "only the split is new, so the intervals are too narrow and chance is not assessed" in several
    assert "beyond chance" not in several
    assert re.search(r"OSE-SSL minus NM-GE is \+0\.\d{3} \([+-]0\.\d{3} to \+0\.\d{3}\) over all objects", several)
    for word in ("region", "separation", "detail", "paper:"):
        assert word not in text


@pytest.mark.slow
def test_intervals_are_qualified_where_draws_are_not_new():
    assert "the draws share a pool of about 1198 images" in told("digits")
    assert "the draws share" not in told("glands")
    # Swiss rolls alone have a radius.
    assert "the kernel is not positive definite" in told()
    assert "the kernel is not positive definite" not in told("digits")


def test_finding_without_the_shares_of_the_query_says_so():
    glands = gland_metrics(grid=QUICK, draws=2)
    unasked = glands[(glands["label"] == "") | (glands["metric"] == "n_label")]
    text = finding("gland_retrieval", unasked)
    assert (
        "digits (public-substitute; one digit 93, other digits 748, rare digit 47): the shares of the query are" in text
    )
    assert "The smallest M" in text


def test_finding_of_the_runtime_tells_where_extrapolation_is_faster(tmp_path):
    metrics = through_file(runtime_metrics((500, 5000)), tmp_path)
    mean = metrics.astype({"value": float}).groupby(["method", "n_samples"])["value"].mean()
    text = finding("extrapolation_runtime", metrics)
    assert f"At N = 5000 placing one new sample takes {1000 * mean['extrapolation', 5000]:.3g} ms" in text
    assert f"recomputing the embedding {mean['recomputation', 5000]:.3g} s" in text
    power = np.log10(mean["recomputation", 5000] / mean["recomputation", 500])
    assert f"and {power:.1f} for recomputing" in text
    assert "extrapolation is the faster at every N." in text
    slow = metrics.assign(value=metrics["value"].where(metrics["method"] != "extrapolation", 100.0))
    assert "extrapolation is the faster at no N." in finding("extrapolation_runtime", slow)
    some = metrics.assign(value=metrics["value"].where(metrics["method"] != "extrapolation", 1.0))
    assert "extrapolation is the faster at N = 5000." in finding("extrapolation_runtime", some)
    assert "From N" not in finding("extrapolation_runtime", runtime_metrics((500,)))

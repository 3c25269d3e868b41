"""Claims on gene expression: pairs of methods over data sets, and the claims that ship on metrics made by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from gene_world import MAKERS, SETS
from presented import judge, parts, shipped_claims, smallest, through_file
from replication.claims import judging
from replication.shared.judgements import NotTestable

SHIPPED = shipped_claims().set_index("id", drop=False)
GENES = SHIPPED[[bool(claim.test.get("across")) and claim.paper == "viswanath2012" for claim in SHIPPED.itertuples()]]
COMPARABLE = {"pairs": [["a", "b"]], "by": ["dataset"], "pair": ["repetition"]}
NO_WINNER = COMPARABLE | {"by": ["dataset", "n_embeddings"], "between": [0.25, 0.75]}


def tidy(rows):
    common = {"experiment": "made_up", "source": "original", "metric": "accuracy"}
    return pd.DataFrame([common | row for row in rows])


# --- comparable


def spreads(**methods):
    """Accuracy in three draws of each data set: method -> data set -> (mean, SD)."""
    return tidy(
        {"dataset": name, "method": method, "repetition": str(r), "value": mean + sd * (r - 1)}
        for method, sets in methods.items()
        for name, (mean, sd) in sets.items()
        for r in range(3)
    )


@pytest.mark.parametrize(
    ("first", "second", "expected", "verdict"),
    [
        # Gap 0.01 within the root mean square of 0.01 and 0.02, which is 0.0158.
        ((0.90, 0.01), (0.91, 0.02), ("reproduced", "", "reproduced"), "reproduced"),
        ((0.90, 0.01), (0.9157, 0.02), ("reproduced", "", "reproduced"), "reproduced"),
        ((0.90, 0.01), (0.9159, 0.02), ("reproduced", "", "not reproduced"), "mixed"),
        ((0.9159, 0.01), (0.90, 0.02), ("reproduced", "", "not reproduced"), "mixed"),
        ((0.90, 0.02), (0.91, 0.01), ("not reproduced", "", "reproduced"), "mixed"),
        ((0.90, 0.02), (0.95, 0.01), ("not reproduced", "", "not reproduced"), "not reproduced"),
        # As consistent as each other: no verdict on the trend, but the claim is contradicted by means that differ.
        ((0.90, 0.02), (0.91, 0.02), ("inconclusive", "", "reproduced"), "inconclusive"),
        ((0.90, 0.0), (0.91, 0.0), ("inconclusive", "", "not reproduced"), "not reproduced"),
    ],
)
def test_comparable(first, second, expected, verdict):
    found = judge("comparable", spreads(a={"lung": first}, b={"lung": second}), COMPARABLE)
    assert parts(found) == expected
    assert found.verdict == verdict
    n = int(expected[2] == "reproduced")
    assert f"spread over repetitions under {n} of 1 conditions" in found.measured
    assert f"(largest difference {abs(first[0] - second[0]):.3f})" in found.measured
    assert found.measured.endswith(f"mean standard deviation {first[1]:.2g} (a), {second[1]:.2g} (b)")


def test_methods_that_hardly_vary_are_comparable_within_the_smallest_effect():
    # They are 0.018 apart, with standard deviations of 0 and 0.01.
    table = spreads(a={"lung": (0.90, 0.0)}, b={"lung": (0.918, 0.01)})
    for effect, word in ((0.02, "reproduced"), (0.018, "reproduced"), (0.017, "not reproduced")):
        test = COMPARABLE | {"smallest": {"effect": effect, "because": "made up"}}
        assert judge("comparable", table, test).magnitude == word
    assert judge("comparable", table, COMPARABLE).magnitude == "not reproduced"


def test_values_of_another_column_are_compared_as_methods_are():
    table = spreads(a={"lung": (0.90, 0.01)}, b={"lung": (0.91, 0.02)})
    others = table.rename(columns={"method": "strength"}).assign(method="consensus")
    test = COMPARABLE | {"compares": "strength", "where": {"method": "consensus"}}
    assert judge("comparable", others, test) == judge("comparable", table, COMPARABLE)


def test_one_result_seen_twice_is_no_evidence():
    table = spreads(a=dict.fromkeys(SETS, (0.9, 0.02)), b=dict.fromkeys(SETS, (0.9, 0.02)))
    # Equal but for the ten digits of a table.
    table["value"] += np.where(table["method"] == "b", 1e-10, 0)
    found = judge("comparable", table, COMPARABLE)
    # Two names of one result are comparable on any data.
    assert parts(found) == ("", "", "reproduced")
    assert (found.verdict, found.measured) == ("trivially true", "the same in 4 of 4 conditions")
    still = spreads(a={"lung": (0.9, 0.0)}, b={"lung": (0.9, 0.0)})
    assert judge("comparable", still, COMPARABLE).verdict == "trivially true"
    # One other repetition of one data set is another result.
    table.loc[table.index[0], "value"] += 1e-6
    assert judge("comparable", table, COMPARABLE).verdict != "trivially true"


def test_equal_means_of_other_repetitions_are_evidence():
    table = spreads(a={"lung": (0.9, 0.02)}, b={"lung": (0.9, 0.02)})
    turned = table["repetition"].map({"0": "2", "1": "1", "2": "0"})
    table["repetition"] = table["repetition"].where(table["method"] == "a", turned)
    found = judge("comparable", table, COMPARABLE)
    assert parts(found) == ("inconclusive", "", "reproduced")
    assert "the same" not in found.measured


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0.0, ("reproduced", "", "reproduced")), (0.05, ("reproduced", "", "not reproduced"))],
)
def test_conditions_that_are_the_same_are_counted_apart(gap, expected):
    """Nor do they weigh in the mean of the standard deviations."""
    same = dict.fromkeys(("lung", "breast", "prostate"), (0.9, 0.3))
    table = spreads(a=same | {"leukemia": (0.8, 0.01)}, b=same | {"leukemia": (0.8 + gap, 0.02)})
    found = judge("comparable", table, COMPARABLE)
    assert parts(found) == expected
    assert found.measured == (
        f"means differ by no more than the spread over repetitions under {int(not gap)} of 1 conditions (largest "
        f"difference {gap:.3f}); the same in 3 of 4; mean standard deviation 0.01 (a), 0.02 (b)"
    )


STRICT = COMPARABLE | {"reported": [["c", "d"], ["e", "f"]], "reported_name": "strict"}


def test_pairs_beside_are_told_and_not_judged():
    sets = dict.fromkeys(SETS, (0.9, 0.01))
    judged = spreads(a=sets, b=dict.fromkeys(SETS, (0.9, 0.02)))
    others = spreads(c=sets, d=sets | {"lung": (0.7, 0.01)}, e=sets, f=dict.fromkeys(SETS, (0.905, 0.02)))
    alone = judge("comparable", judged, COMPARABLE)
    assert alone.verdict == "reproduced"
    found = judge("comparable", pd.concat([judged, others]), STRICT)
    assert parts(found) == parts(alone)
    assert found.measured == f"{alone.measured}; not judged, strict: within the spread in 4 of 5, the same in 3 of 8"
    unnamed = judge("comparable", pd.concat([judged, others]), STRICT | {"reported_name": ""})
    assert "; not judged, c, d; e, f: within the spread in 4 of 5" in unnamed.measured
    # Without them the claim is judged all the same; and they make up for nothing.
    assert judge("comparable", judged, STRICT) == alone
    same = pd.concat([spreads(a=sets, b=sets), others])
    found = judge("comparable", same, STRICT)
    assert found.verdict == "trivially true"
    assert found.measured.startswith("the same in 4 of 4 conditions; not judged, strict: within the spread in 4 of 5")
    found = judge("comparable", pd.concat([judged, spreads(c=sets, d=sets)]), STRICT | {"reported": [["c", "d"]]})
    assert found.measured.endswith("; not judged, strict: the same in 4 of 4")


def test_comparable_needs_every_data_set_and_pair_and_counts_them():
    table = spreads(
        a=dict.fromkeys(SETS, (0.9, 0.01)),
        b=dict.fromkeys(SETS, (0.9, 0.02)),
        c=dict.fromkeys(SETS, (0.8, 0.01)),
        # One of eight conditions beyond the spread: the claim is about all of them.
        d={name: (0.85 if name == "breast" else 0.801, 0.01) for name in SETS},
    )
    found = judge("comparable", table, COMPARABLE | {"pairs": [["a", "b"], ["c", "d"]]})
    assert parts(found) == ("reproduced", "", "not reproduced")
    assert "under 7 of 8 conditions (largest difference 0.050)" in found.measured
    assert found.measured.endswith("0.01 (a, c), 0.015 (b, d)")


def test_consistency_is_of_the_mean_over_conditions():
    # The first spreads less in one data set, and more in the other by more.
    table = spreads(a={"lung": (0.9, 0.01), "breast": (0.9, 0.05)}, b={"lung": (0.9, 0.02), "breast": (0.9, 0.03)})
    assert judge("comparable", table, COMPARABLE).direction == "not reproduced"
    one = COMPARABLE | {"where": {"dataset": "lung"}}
    assert judge("comparable", table[table["dataset"] == "lung"], one).direction == "reproduced"


# --- no winner


def cells(wins, sizes=(200, 500), draws=3, spread=0.01, gap=0.04):
    """Accuracy of two methods; wins[data set][k]: 1 if a wins at the k-th size, 0 if b does, 0.5 if they are equal."""
    rows = []
    for (name, by_size), r in product(wins.items(), range(draws)):
        for m, won in zip(sizes, by_size, strict=True):
            at = {"dataset": name, "n_embeddings": m, "repetition": str(r)}
            rows.append(at | {"method": "a", "value": 0.8 + spread * r})
            # In another order: the same mean but for rounding.
            rows.append(at | {"method": "b", "value": 0.8 + spread * (draws - 1 - r) - 2 * gap * (won - 0.5)})
    return tidy(rows)


@pytest.mark.parametrize(
    ("wins", "won", "draws", "verdict"),
    [
        # The limits are a quarter and three quarters, both excluded.
        ([(1, 1), (0, 0), (1, 1), (0, 0)], 4, 0, "reproduced"),
        ([(1, 1), (1, 1), (1, 1), (0, 0)], 6, 0, "not reproduced"),
        ([(1, 1), (1, 1), (1, 0.5), (0, 0)], 5.5, 1, "reproduced"),
        ([(0, 0), (0, 1), (0, 0), (1, 0)], 2, 0, "not reproduced"),
        ([(0, 0.5), (0, 1), (0, 0), (1, 0)], 2.5, 1, "reproduced"),
        ([(1, 1), (1, 1), (1, 1), (1, 1)], 8, 0, "not reproduced"),
        ([(0.5, 0.5)] * 4, 4, 8, "reproduced"),
    ],
)
def test_no_winner(wins, won, draws, verdict):
    table = cells(dict(zip(SETS, wins, strict=True)))
    found = judge("no_winner", table, NO_WINNER)
    assert parts(found) == ("", "", verdict)
    assert found.measured.startswith(f"a over b: {won:g} of 8 conditions ({won / 8:.0%}), {draws} of them draws; ")
    # Either method may be the winner.
    turned = judge("no_winner", table, NO_WINNER | {"pairs": [["b", "a"]]})
    assert parts(turned) == parts(found)
    assert turned.measured.startswith(f"b over a: {8 - won:g} of 8 conditions")


def leads(*gaps):
    """A data set for each lead of the first method over the second."""
    return spreads(
        a={f"set {k}": (0.8 + gap, 0.01) for k, gap in enumerate(gaps)},
        b={f"set {k}": (0.8, 0.02) for k in range(len(gaps))},
    ).assign(n_embeddings=200)


@pytest.mark.parametrize(
    ("effect", "won", "draws", "verdict"),
    [
        # Leads of 0.01, 0.03, 0.05 and -0.02: what is below the smallest effect, either way, is half a win.
        (0.001, 3, 0, "reproduced"),
        (0.0101, 2.5, 1, "reproduced"),
        (0.02, 3, 2, "reproduced"),
        (0.0301, 2.5, 3, "reproduced"),
        (0.06, 2, 4, "reproduced"),
    ],
)
def test_a_lead_up_to_the_smallest_effect_is_half_a_win(effect, won, draws, verdict):
    found = judge("no_winner", leads(0.01, 0.03, 0.05, -0.02), NO_WINNER | smallest(effect) | {"between": [0.2, 0.8]})
    assert found.measured == (
        f"a over b: {won:g} of 4 conditions ({won / 4:.0%}), {draws} of them draws; differences -0.020 to +0.050"
    )
    assert found.verdict == verdict


def test_a_condition_is_won_by_the_mean_over_its_repetitions():
    # Behind in two of three repetitions, and ahead on average.
    table = leads(0.0)
    first = (table["method"] == "a") & (table["repetition"] == "0")
    table.loc[table["method"] == "a", "value"] = 0.7
    table.loc[first, "value"] = 1.4
    assert judge("no_winner", table, NO_WINNER).measured.startswith("a over b: 1 of 1 conditions")


def test_a_pair_that_repeats_an_earlier_one_is_dropped():
    table = cells({"lung": (1, 1), "breast": (1, 0)})
    again = table.assign(method=table["method"].map({"a": "c", "b": "d"}), value=table["value"] + 1e-10)
    both = NO_WINNER | {"pairs": [["a", "b"], ["c", "d"]]}
    found, alone = judge("no_winner", pd.concat([table, again]), both), judge("no_winner", table, NO_WINNER)
    assert parts(found) == parts(alone)
    assert found.measured == f"{alone.measured}; c over d left out, the same values as a over b"
    # One repetition that differs is another result.
    again.loc[again.index[0], "value"] += 1e-6
    other = judge("no_winner", pd.concat([table, again]), both)
    assert other.measured.startswith("a over b, c over d: 6 of 8 conditions")
    assert "left out" not in other.measured
    # The same values the other way round, or under fewer conditions, are no repetition.
    turned = judge("no_winner", table, NO_WINNER | {"pairs": [["a", "b"], ["b", "a"]]})
    assert turned.measured.startswith("a over b, b over a: 4 of 8 conditions (50%), 0 of them draws")
    fewer = pd.concat([table, again[again["n_embeddings"] == 200]])
    assert judge("no_winner", fewer, both).measured.startswith("a over b, c over d: 5 of 6 conditions")


# --- what cannot be tested

BOTH = spreads(a=dict.fromkeys(SETS, (0.9, 0.01)), b=dict.fromkeys(SETS, (0.9, 0.02)))
CELLS = cells(dict.fromkeys(SETS, (1, 0)))
UNTESTABLE = {
    "comparable, no method": ("comparable", BOTH, COMPARABLE | {"pairs": [["a", "c"]]}),
    "comparable, one repetition": ("comparable", BOTH[BOTH["repetition"] == "0"], COMPARABLE),
    "comparable, a method lacks a data set": (
        "comparable",
        BOTH[(BOTH["method"] == "a") | (BOTH["dataset"] != "lung")],
        COMPARABLE,
    ),
    "comparable, a data set of one repetition": (
        "comparable",
        BOTH[(BOTH["repetition"] == "0") | (BOTH["dataset"] != "lung")],
        COMPARABLE,
    ),
    "no_winner, no method": ("no_winner", CELLS, NO_WINNER | {"pairs": [["c", "b"]]}),
    "no_winner, one repetition": ("no_winner", cells({"lung": (1, 0)}, draws=1), NO_WINNER),
    "no_winner, no condition": ("no_winner", CELLS, NO_WINNER | {"where": {"n_embeddings": 77}}),
}


@pytest.mark.parametrize("name", UNTESTABLE)
def test_what_the_metrics_cannot_tell_is_not_testable(name):
    kind, table, test = UNTESTABLE[name]
    with pytest.raises(NotTestable, match=r"no value|no unit|fewer than 2 units"):
        judge(kind, table, test)


# --- the claims that ship, on metrics in which each of them holds


@pytest.fixture
def ledger(tmp_path):
    """Function that judges the claims on genes from metrics as they are read from their files."""

    def judged(names=SETS, source="original", changes=(), draws=3):
        read = {}
        for experiment, make in MAKERS.items():
            read[experiment] = through_file(make(names, source, dict(changes), draws), tmp_path, experiment)
        return judging.judge_claims(GENES, read).set_index("id")

    return judged


def test_every_claim_on_genes_can_be_reproduced_on_the_data_of_the_paper(ledger):
    found = ledger()
    assert found.index.tolist() == [
        "CE-10-s", "CE-10-us", "CE-11", "CE-12", "CE-13-ge", "CE-13-pca", "CE-14", "CE-15-genes", "CE-20-genes",
        "CE-21-genes", "CE-22-genes", "CE-23-genes", "CE-24-genes", "CE-25",
        "CE-26", "CE-35-genes",
    ]  # fmt: skip
    assert found["other_choices"]["CE-26"].startswith("CH-93, adenocarcinoma is positive: not reproduced")
    # Orders of means, which nothing tests.
    means = {"CE-25": "direction only", "CE-26": "direction only"}
    assert found["verdict"].to_dict() == dict.fromkeys(found.index, "reproduced") | means
    assert set(found["dataset"]) == {"kent_ridge"}
    assert set(found["source"]) == {"original"}
    assert set(found["reason"]) == {""}
    measured = found["measured"]
    assert measured["CE-10-s"].endswith("; with other choices: log transform 0 of 4")
    assert measured["CE-14"].endswith(
        "12 of 24 conditions (50%), 0 of them draws; differences -0.100 to +0.100; smallest effect of interest 0.02"
    )
    for name in means:
        assert measured[name].count("n = 3") == 4
        assert "p = " not in measured[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "source"),
    [(["planted"], "simulated"), (["breast", "leukemia"], "original"), ([*SETS, "mine"], "original"), (["x"], "own")],
)
def test_on_other_data_the_claims_hold_on_the_substitute(ledger, names, source):
    found = ledger(names, source)
    of_lung = found.loc[["CE-25", "CE-26"]]
    found = found.drop(of_lung.index)
    if len(names) > 1:
        assert set(found["verdict"]) == {"holds on the substitute"}
    else:
        # One data set, on which one method wins everywhere, and which is one unit.
        alone = {"CE-14": "does not hold on the substitute", "CE-35-genes": "not testable"}
        won = found.drop(list(alone))["verdict"]
        assert won.to_dict() == dict.fromkeys(won.index, "holds on the substitute")
        assert found["verdict"][list(alone)].to_dict() == alone
    assert set(found["dataset"]) == {", ".join(names)}
    assert set(found["source"]) == {source}
    for lung in of_lung.to_dict("records"):
        if "lung" in names:
            assert (lung["dataset"], lung["verdict"]) == ("kent_ridge", "direction only")
        else:
            assert (lung["dataset"], lung["source"]) == (names[0], source)
            assert lung["verdict"] == "direction only on the substitute"


def turned(names, methods=("ssage", "ssage_scaled", "knn_ensemble", "knn_ensemble_scaled"), to=0.9):
    """Changes that put methods above every consensus on some data sets."""
    return dict.fromkeys(product(names, methods), to)


TRENDS = tuple(product(SETS, ("spearman", "gain")))
TIE = {("lung", "pca"): 0.80, ("lung", "best_single_ge"): 0.80}
BEST = dict.fromkeys(product(SETS, ("best_single_ge", "best_single_pca")), 0.95)
FAILING = {
    # Three of four do for the ensemble of neighbours, and not for SSAGE.
    "one set turned": (turned(["breast"]), {"CE-10-s": "reproduced", "CE-10-us": "reproduced", "CE-11": "mixed"}),
    "two sets turned": (turned(["breast", "lung"]), dict.fromkeys(("CE-10-s", "CE-10-us", "CE-11"), "mixed")),
    "all turned": (turned(SETS, to=0.95), dict.fromkeys(("CE-10-s", "CE-10-us", "CE-11"), "not reproduced")),
    # The claims are about baselines that are scaled by each split itself.
    "plain ones turned": (
        turned(SETS, ("ssage", "knn_ensemble"), 0.95),
        dict.fromkeys(("CE-10-s", "CE-10-us", "CE-11", "CE-25", "CE-26"), "not reproduced"),
    ),
    "a tie with a single projection": (TIE, dict.fromkeys(("CE-20-genes", "CE-21-genes"), "mixed")),
    "a better single embedding": (BEST, {"CE-21-genes": "not reproduced"}),
    "selections that differ": ({("leukemia", "consensus_ge_us"): 0.85}, {"CE-12": "mixed"}),
    "moves with M": (
        {"over M": 0.1},
        {"CE-13-ge": "not reproduced", "CE-13-pca": "not reproduced", "CE-15-genes": "reproduced"},
    ),
    "moves with theta": (
        {("over theta", "unsupervised"): 0.1},
        {"CE-13-ge": "reproduced", "CE-13-pca": "reproduced", "CE-15-genes": "not reproduced"},
    ),
    "one set falling": ({("lung", "spearman"): -0.5}, {"CE-22-genes": "mixed"}),
    "rising, not monotonically": (dict.fromkeys(product(SETS, ["spearman"]), 0.5), {"CE-22-genes": "mixed"}),
    # Without a gain at any number there is none that could shrink.
    "falling": (dict.fromkeys(TRENDS, -0.5), {"CE-22-genes": "not reproduced", "CE-24-genes": "not testable"}),
    # Correlations of 0.03, and gains of 0.009 over a hundredfold number: below 0.05 and 0.02.
    "hardly rising": (
        {(name, what): value for name, (what, value) in product(SETS, (("spearman", 0.02), ("gain", 0.001)))},
        dict.fromkeys(("CE-22-genes", "CE-24-genes"), "no effect"),
    ),
    # By 0.1 everywhere: no draws.
    "GE wins": ({"ge wins": 0.1}, {"CE-14": "not reproduced"}),
    # By 0.018 everywhere, less than 0.02.
    "GE hardly wins": ({"ge wins": 0.018}, {"CE-14": "reproduced"}),
    "no spread that could shrink": ({"spread": 0.0}, {"CE-35-genes": "not reproduced"}),
    "scattered": ({"scatter": 0.9}, dict.fromkeys(("CE-22-genes", "CE-24-genes"), "inconclusive")),
    "a mean too high": ({("lung", "d"): 7.0}, {"CE-23-genes": "not reproduced"}),
    "a mean within": ({("lung", "d"): 6.0}, {"CE-23-genes": "reproduced"}),
    # Separation is judged on lung alone.
    "other sets": (turned(set(SETS) - {"lung"}, to=0.99), dict.fromkeys(("CE-25", "CE-26"), "direction only")),
    "lung": (turned(["lung"], to=0.99), dict.fromkeys(("CE-25", "CE-26"), "not reproduced")),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", FAILING)
def test_claims_stand_or_fall_with_their_numbers(ledger, world):
    changes, expected = FAILING[world]
    assert ledger(changes=changes)["verdict"][list(expected)].to_dict() == expected

"""The claims on FINE that ship, on metrics in which each of them holds, and then does not."""

import itertools

import pandas as pd
import pytest
from fine_world import DIMENSIONS, SETS, metrics, moved, pathology, selection, survival, together, unchanged
from presented import shipped_claims
from replication.claims import judging
from replication.papers.ginsburg2016.fine_metrics import FILTERS, FINE, methods_in

SHIPPED = shipped_claims().set_index("id", drop=False)
GINSBURG = SHIPPED[SHIPPED["paper"] == "ginsburg2016"]
PRIVATE = ["FI-10", "FI-11", "FI-12-pathology", "FI-15", "FI-16", "FI-17", "FI-19", "FI-20"]
PRIVATE += ["FI-21-s1", "FI-21-s2", "FI-21-s4", "FI-22", "FI-23", "FI-28", "FI-29", "FI-30"]


def upside_down(metric, dataset, method, at, value):
    return -value if metric == "embedding_stability" else value


# As printed, FINE is neither stabler nor more accurate on Arcene and Dexter; here it is on Arcene.
PAIRS = ["-".join(pair) for pair in itertools.combinations((*FINE, *FILTERS), 2)]
AHEAD = moved(0.2, "auc", FINE, ["s1", "s2", "s3", "s4"])
MOST = together(moved(-0.02, "jaccard", FILTERS, ["arcene"]), moved(-0.3, "auc", FILTERS, ["arcene"]))


def judged(change=unchanged, ids=None, **sets):
    listed = GINSBURG if ids is None else GINSBURG.loc[ids]
    return judging.judge_claims(listed, metrics(change, **sets)).set_index("id")


def test_names_that_are_no_method_are_refused():
    with pytest.raises(
        ValueError, match="Unknown method 'fine_umap' in a claim; known: fine, filters, embeddings, fine"
    ):
        methods_in(["fine", "fine_umap"])


@pytest.mark.slow
def test_every_claim_can_hold():
    # On Madelon the filters need 300 features for their highest AUC, and FINE five.
    found = judged(together(MOST, moved(0.012, "auc", FILTERS, MADELON, n_features=[300])))
    expected = {name: "holds on the substitute" if name in PRIVATE else "reproduced" for name in GINSBURG.index}
    expected |= {"FI-18": "trivially true"}
    # Orders of means, which nothing tests.
    expected |= {"FI-12-nips": "direction only"}
    # FI-15 has FINE as accurate as the filters on three of these sets.
    expected |= {"FI-12-pathology": "does not hold on the substitute"}
    # With the filters on Arcene as FI-12 asks for them, they are not as FI-05 does.
    expected |= {"FI-05": "mixed"}
    # Section VI-E has LLE stabler than Isomap and LE on S2, Section VI-C (FI-17) the opposite.
    expected |= {"FI-21-s2": "mixed on the substitute"}
    expected |= {"FI-31": "direction only on the substitute", "FI-33": "direction only"}
    # By the printed numbers FINE is unstable on Madelon and Dexter.
    expected |= {"FI-32": "mixed"}
    # Numbers of private data.
    expected |= {"FI-19": "context", "FI-20": "context", "FI-24": "context"}
    assert found["verdict"].to_dict() == expected
    assert judged(ids=["FI-04", "FI-05"])["verdict"].tolist() == ["reproduced", "reproduced"]
    assert set(found["reason"]) == {""}
    assert found["measured"].str.len().between(40, 1900).all()


def test_by_the_numbers_that_are_printed_most_sets_is_not_more_than_half():
    found = judged(ids=["FI-12-nips"]).loc["FI-12-nips"]
    assert found["verdict"] == "not reproduced"
    assert found["measured"].startswith(
        "both in 2 of 4 data sets; stabler in 2 of 4 data sets, by "
        "more than 0.01 in 1 (FINE and filters: madelon 0.104 and 0.040, arcene"
    )
    assert "more accurate in 2 of 4 data sets" in found["measured"]


MADELON, GISETTE, DEXTER = ["madelon"], ["gisette"], ["dexter"]
WITHOUT = "jaccard_left_out"
VECTORS = ("embedding_isomap",)
FAILING = [
    # Below one filter: the order of one statement of two is kept.
    ("FI-01", moved(-0.03, "jaccard", ["fine_isomap"], MADELON), ("mixed", "reproduced", "reproduced")),
    # Above the filters by 0.005, and by 0.0125, which is the smallest effect of interest.
    ("FI-01", moved(-0.015, "jaccard", ["fine_isomap"], MADELON), ("mixed", "reproduced", "reproduced")),
    ("FI-01", moved(-0.0075, "jaccard", ["fine_isomap"], MADELON), ("reproduced", "reproduced", "reproduced")),
    ("FI-01", moved(-0.019, WITHOUT, ["fine_isomap"], MADELON), ("reproduced", "inconclusive", "reproduced")),
    ("FI-01", moved(-0.1, WITHOUT, ["fine_isomap"], MADELON), ("reproduced", "not reproduced", "reproduced")),
    ("FI-02", moved(0.06, "auc", ["gini"], MADELON), ("not reproduced", "", "mixed")),
    ("FI-02", moved(-0.3, "auc", (*FINE, *FILTERS), MADELON), ("reproduced", "", "not reproduced")),
    ("FI-02", moved(-0.03, "auc", FINE, MADELON), ("not reproduced", "", "reproduced")),
    ("FI-03", moved(0.2, "auc", VECTORS, MADELON), ("mixed", "mixed", "")),
    # Five features are reported; each reduction with each classifier is a case.
    ("FI-03", moved(-0.2, "auc", FINE, MADELON, n_features=[5]), ("reproduced", "reproduced", "")),
    ("FI-03", moved(-0.2, "auc", ["fine_le"], MADELON), ("mixed", "mixed", "")),
    ("FI-04", moved(-0.06, "jaccard", ["gini"], ["arcene"]), ("", "", "mixed")),
    ("FI-04", moved(-0.06, "jaccard", (*FINE, *FILTERS), ["arcene"]), ("", "", "not reproduced")),
    ("FI-05", moved(0.05, "auc", ["gini"], ["arcene"]), ("mixed", "", "reproduced")),
    ("FI-05", moved(0.1, "auc", ["fine_pca"], ["arcene"]), ("reproduced", "", "mixed")),
    ("FI-05", moved(-0.045, "auc", ["embedding_pca"], ["arcene"]), ("mixed", "", "reproduced")),
    # Named by no range: any value will do but the highest.
    ("FI-05", moved(-0.3, "auc", ["fine_lle"], ["arcene"]), ("reproduced", "", "reproduced")),
    ("FI-06", moved(0.2, "jaccard", ["fisher"], DEXTER), ("mixed", "", "mixed")),
    ("FI-06", moved(0.14, "jaccard", ["t_test"], DEXTER), ("reproduced", "", "mixed")),
    # Of the Gini index the text says nothing.
    ("FI-07", moved(0.8, "jaccard", ["gini"], GISETTE), ("reproduced", "", "reproduced")),
    ("FI-07", moved(0.9, "jaccard", ["fisher"], GISETTE), ("not reproduced", "", "reproduced")),
    ("FI-07", moved(0.85, "jaccard", ["fisher"], GISETTE), ("not reproduced", "", "reproduced")),
    ("FI-08", moved(100, "n_components", ["embedding_lle"], MADELON), ("reproduced", "reproduced", "not reproduced")),
    # 49.5 of 50 is near the 47 of the paper, but at the edge of the grid.
    ("FI-08", moved(2.5, "n_components", ["embedding_lle"], GISETTE), ("reproduced", "reproduced", "not reproduced")),
    ("FI-08", moved(120, "n_components", [f"embedding_{k}" for k in ("pca", "isomap", "le")], SETS),
     ("not reproduced", "reproduced", "not reproduced")),
    ("FI-09", moved(0.2, "auc", VECTORS, GISETTE), ("mixed", "mixed", "")),
    ("FI-10", moved(-1, "jaccard", FINE, ["s1", "s4"]), ("not reproduced", "not reproduced", "")),
    ("FI-10", moved(-0.0584, "jaccard", FINE, ["s4"], cohort=[0, 1, 2, 3]), ("reproduced", "reproduced", "")),
    ("FI-11", moved(-0.3, "risk_difference", FINE, ["prognostic"]), ("not reproduced", "not reproduced", "")),
    ("FI-11", moved(0.5, "log_rank_p", ["fine_le"], ["prognostic"], cohort=["all"]), ("reproduced", "in part", "")),
    ("FI-11", moved(0.5, "log_rank_p", FINE, ["prognostic"]), ("reproduced", "inconclusive", "")),
    # What is cross-fitted is judged as new data.
    ("FI-11", moved(0.5, "log_rank_p", FINE, ["prognostic"], fit=["cross-fitted"]), ("reproduced", "reproduced", "")),
    # Both are asked for in more than half of the sets: stabler alone does not count.
    ("FI-12-nips", together(MOST, moved(-0.2, "auc", FINE, GISETTE)), ("not reproduced", "", "")),
    ("FI-12-pathology", AHEAD, ("reproduced", "reproduced", "")),
    ("FI-12-pathology", together(AHEAD, moved(-0.3, "jaccard", FINE, ["s1", "s4"])),
     ("not reproduced", "not reproduced", "")),
    ("FI-12-pathology", moved(-0.3, "auc", FINE, ["s1", "s4"]), ("not reproduced", "not reproduced", "")),
    ("FI-13", moved(-0.5, "auc", ["gini"], DEXTER), ("not reproduced", "", "mixed")),
    ("FI-13", moved(0.19, "auc", ["fisher"], DEXTER), ("not reproduced", "", "mixed")),
    # The value of the Gini index is no success where all others are as high.
    ("FI-13", moved(0.3, "auc", (*FINE, "t_test", "fisher"), DEXTER), ("not reproduced", "", "not reproduced")),
    ("FI-14", moved(-0.1, "auc", ["t_test"], GISETTE), ("", "", "mixed")),
    ("FI-14", moved(-0.3, "auc", FINE, GISETTE, n_features=[5, 20]), ("", "", "reproduced")),
    ("FI-15", moved(-0.2, "auc", FINE, ["s1", "s2", "s3", "s4"]), ("not reproduced", "not reproduced", "")),
    ("FI-16", moved(0.2, "auc", VECTORS, ["s1"]), ("mixed", "mixed", "")),
    ("FI-17", moved(0.2, "jaccard", ["fine_le"], ["s2"]), ("not reproduced", "not reproduced", "")),
    # Below LE in one cohort of four, and by 0.05 in the mean.
    ("FI-17", moved(0.2, "jaccard", ["fine_lle"], ["s2"], cohort=[0]), ("reproduced", "inconclusive", "")),
    # Below LE by 0.02 in all of them.
    ("FI-17", moved(0.08, "jaccard", ["fine_lle"], ["s2"]), ("not reproduced", "not reproduced", "")),
    # Pairs are cases: FINE PCA is above the others still.
    ("FI-21-s1", moved(-0.2, "jaccard", ["fine_lle"], ["s1"]), ("mixed", "mixed", "")),
    ("FI-21-s4", moved(0.1, "jaccard", ["fine_le"], ["s4"]), ("mixed", "mixed", "")),
    ("FI-22", moved(0.2, "jaccard", ["fine_le"], ["s4"]), ("mixed", "mixed", "")),
    ("FI-23", moved(0.2, "auc", FINE, ["s3"]), ("not reproduced", "not reproduced", "")),
    ("FI-25", moved(0.2, "agreement_pair", ["t_test-fisher"], ["arcene"]), ("", "", "mixed")),
    ("FI-25", moved(0.2, "agreement_pair", PAIRS, ["arcene"]), ("", "", "not reproduced")),
    ("FI-26", moved(0.6, "redundancy", ["random"], SETS), ("not reproduced", "not reproduced", "")),
    ("FI-27", moved(1, "embedding_stability", ["embedding_lle"], SETS), ("reproduced", "inconclusive", "")),
    ("FI-27", upside_down, ("not reproduced", "not reproduced", "")),
    ("FI-18", moved(1e-8, "score_sum", ["fine_le"], ["dexter"], repetition=[2]), ("", "", "not reproduced")),
    ("FI-18", moved(5e-10, "score_sum", ["fine_le"], ["dexter"], repetition=[2]), ("", "", "reproduced")),
    ("FI-18", moved(-0.3, "share_of_five", ["fine_le"], ["dexter"], repetition=[2]), ("", "", "not reproduced")),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change", "parts"), FAILING, ids=[f"{row[0]}-{k}" for k, row in enumerate(FAILING)])
def test_a_claim_that_does_not_hold(name, change, parts):
    found = judged(change, ids=[name]).loc[name]
    assert tuple(found[["direction", "significance", "magnitude"]]) == parts


ALL_VECTORS = [f"embedding_{name}" for name in ("pca", "isomap", "le", "lle")]
TOO_SMALL = [
    ("FI-03", moved(0.08, "auc", ALL_VECTORS, MADELON)),
    ("FI-09", moved(0.11, "auc", ALL_VECTORS, GISETTE)),
    ("FI-10", moved(-0.11, "jaccard", FINE, ["s1"]), moved(-0.03, "jaccard", FINE, ["s4"])),
    ("FI-12-pathology", unchanged),
    ("FI-16", moved(0.08, "auc", ALL_VECTORS, ["s1"])),
    ("FI-17", moved(0.08, "jaccard", ["fine_lle"], ["s2"])),
    ("FI-21-s1", moved(0.03, "jaccard", ["fine_le"], ["s1"])),
    ("FI-21-s4", moved(0.04, "jaccard", ["fine_le"], ["s4"])),
    ("FI-22", moved(0.12, "jaccard", ["fine_le"], ["s4"])),
    ("FI-26", moved(0.38, "redundancy", ["random"], SETS)),
    ("FI-28", moved(0.13, "jaccard", ["fine_lle"], ["s1"])),
    ("FI-29", moved(0.37, "jaccard", ["gini"], ["s2"])),
    ("FI-30", moved(0.47, "jaccard", ["gini"], ["s3"])),
]


@pytest.mark.slow
@pytest.mark.parametrize("world", TOO_SMALL, ids=[row[0] for row in TOO_SMALL])
def test_an_effect_with_the_right_sign_may_be_too_small(world):
    name, *changes = world
    found = judged(together(*changes), ids=[name]).loc[name]
    # Of pairs, each a case, one is too small.
    answer = "partly" if "pairs" in GINSBURG.loc[name, "test"] else "does not hold"
    assert found["answer"].removesuffix(" on the substitute") == answer
    assert "; smallest effect of interest " in found["measured"]


def test_every_claim_of_an_effect_can_be_too_small():
    # Rankings are not tested: they fail above. FI-15 and FI-23 ask for none; FI-17 says of S2 what FI-21-s2 denies. Of
    # four methods no correlation above zero is shown to be small.
    of_effects = {row.id for row in GINSBURG.itertuples() if "smallest" in row.test and "ranking" not in row.kind}
    assert {row[0] for row in TOO_SMALL} == of_effects - {"FI-15", "FI-23", "FI-21-s2", "FI-27"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["FI-10", "FI-12-pathology"])
def test_what_variance_alone_reaches_is_told_and_features_with_another_unit_decide(name):
    """With a variant in which FINE is the least stable the verdict is another, and the choice is named."""
    at = {"variant": ["features standardised"]}

    def world(change):
        tables, more = metrics(change), []
        main = tables["pathology"]
        for metric, methods in (("jaccard", (*FINE, *FILTERS)), ("auc", (*FINE, *FILTERS))):
            rows = main[(main["metric"] == metric) & main["method"].isin(methods)].assign(variant=at["variant"][0])
            lower = rows["method"].isin(FINE) * 0.9
            more.append(rows.assign(value=rows["value"] - lower))
        alone = main[(main["metric"] == "jaccard") & (main["method"] == "fine_pca")].assign(
            method="variance", value=1.0
        )
        return {**tables, "pathology": pd.concat([main, *more, alone], ignore_index=True)}

    found = judging.judge_claims(GINSBURG.loc[[name]], world(AHEAD)).set_index("id").loc[name]
    assert "variance alone 1.000" in found["measured"]
    assert "CH-66, features standardised: does not hold on the substitute" in found["other_choices"]
    assert found["decided_by"].startswith("CH-66")


def test_risk_groups_of_two_data_sets_have_to_differ_in_both():
    two = {name: survival(name=name) for name in ("prognostic", "metastasis")}
    both = {"survival": pd.concat(two.values(), ignore_index=True)}
    found = judging.judge_claims(GINSBURG.loc[["FI-11"]], both).iloc[0]
    assert (found["direction"], found["significance"]) == ("reproduced", "reproduced")
    assert found["measured"].count("difference") == 16
    assert "metastasis 44 FINE LLE difference" in found["measured"]
    change = moved(-0.3, "risk_difference", FINE, ["metastasis"])
    both = {"survival": pd.concat([two["prognostic"], survival(change, name="metastasis")], ignore_index=True)}
    found = judging.judge_claims(GINSBURG.loc[["FI-11"]], both).iloc[0]
    assert (found["direction"], found["significance"]) == ("mixed", "mixed")


def test_risk_groups_are_judged_by_other_cuts_too():
    table = survival()
    others = [
        table.assign(metric=table["metric"] + cut, value=table["value"].where(table["metric"] != "log_rank_p", p))
        for cut, p in (("_class", 0.001), ("_events", 0.8))
    ]
    found = judging.judge_claims(GINSBURG.loc[["FI-11"]], {"survival": pd.concat([table, *others])}).iloc[0]
    assert found["significance"] == "reproduced"
    assert found["other_choices"] == (
        "CH-90, predicted class: holds on the substitute; CH-90, share of events: inconclusive"
    )


LACKING = [
    ("FI-01", "jaccard", ["gini"], "no Jaccard index at 5 features of Gini index in this study"),
    (
        "FI-01",
        "jaccard_left_out",
        ["fine_le"],
        "fewer than three values of the Jaccard index with one round left out for FINE",
    ),
    ("FI-02", "auc", ["t_test", "gini"], "no AUC at the best number of features of t-test, Gini index in this study"),
    ("FI-03", "auc", ["embedding_le"], "no AUC at the best number of features and at five of LE vectors in this study"),
    ("FI-08", "n_components", ["embedding_le"], "no number of dimensions of LE on madelon in this study"),
    (
        "FI-11",
        "log_rank_p",
        ["fine_le"],
        "no value of log_rank_p with dataset = prognostic, fit = same patients, cohort = all, method = fine_le",
    ),
    ("FI-18", "share_of_five", FINE, "no value of share_of_five (there are "),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "metric", "methods", "reason"), LACKING, ids=[f"{row[0]}-{row[1]}" for row in LACKING]
)
def test_what_is_missing_is_told(name, metric, methods, reason):
    everywhere = [*DIMENSIONS, "s1", "s2", "s3", "s4", "prognostic"]
    found = judged(moved(None, metric, methods, everywhere), ids=[name]).loc[name]
    assert found["verdict"] == "not testable"
    assert found["reason"].startswith(reason)


@pytest.mark.slow
def test_one_cohort_or_round_is_no_sample():
    tables = {"pathology": pathology(cohorts=1), "feature_selection": selection(rounds=1)}
    found = judging.judge_claims(GINSBURG, tables).set_index("id")
    for name in ("FI-10", "FI-12-pathology", "FI-15", "FI-16", "FI-17"):
        assert found.loc[name, "reason"] == "fewer than two cohorts with both methods"
    assert found.loc["FI-03", "reason"] == "fewer than two rounds with both methods"
    assert found.loc["FI-11", "reason"] == "the experiment survival was not run in this study"


def test_a_study_without_any_numbers_is_never_an_error():
    tables = {name: table[table["metric"] == "n_round"] for name, table in metrics().items()}
    tables["pathology"] = tables["pathology"].assign(**dict.fromkeys(metrics()["pathology"].columns, ""))
    found = judging.judge_claims(GINSBURG, tables)
    assert set(found["verdict"]) == {"not testable"}
    assert (found["reason"] != "").all()


@pytest.mark.slow
def test_halved_gisette_is_a_substitute():
    found = judged(sets=SETS | {"gisette": "original with validation set halved"})
    assert set(found.loc[["FI-07", "FI-09", "FI-14"], "verdict"]) == {"holds on the substitute"}
    assert found.loc["FI-08", "verdict"] == "holds on the substitute"
    # The other sets are the paper's, and a sum of 1 is one on any data.
    assert found.loc["FI-01", "verdict"] == "reproduced"
    assert found.loc["FI-18", "verdict"] == "trivially true"


@pytest.mark.slow
def test_on_planted_data_orders_are_judged_and_printed_values_are_not():
    found = judged(sets={"planted": "simulated", "another": "simulated"}, others={"mine": "own", "s1": "own"})
    assert set(found.loc[["FI-01", "FI-02", "FI-05", "FI-06"], "dataset"]) == {"planted"}
    assert set(found.loc[["FI-01", "FI-02", "FI-05", "FI-06", "FI-07", "FI-13"], "magnitude"]) == {""}
    assert found.loc["FI-01", "verdict"] == "holds on the substitute"
    assert found.loc["FI-01", "measured"].endswith(
        "; not judged: the paper's values, which are for other data; "
        "smallest effect of interest fine 0.0125, fine lle 0.0775"
    )
    assert found.loc["FI-04", "reason"] == "the paper's values are for arcene, this study ran planted"
    assert found.loc["FI-08", "reason"].startswith(
        "the paper's values are for madelon, arcene, dexter, gisette; none of"
    )
    assert found.loc["FI-12-nips", "measured"].startswith("both in 2 of 2 data sets; stabler in 2 of 2 data sets")
    assert (found.loc["FI-18", "dataset"], found.loc["FI-18", "verdict"]) == ("planted, another", "trivially true")
    # Of the sets that a claim names one is there, and it alone is judged.
    assert found.loc["FI-10", "measured"].startswith("above in 1 of 1 data sets (needed: 1)")
    assert found.loc["FI-10", "dataset"] == "s1"
    assert found.loc["FI-15", "measured"].count("asked for") == 1
    assert found.loc["FI-17", "dataset"] == "mine"


def test_sets_in_which_nothing_is_said_to_be_on_par():
    found = judged(ids=["FI-15"], others={"mine": "own"})
    assert found.loc["FI-15", "reason"] == "the statement is about s1, s3, s4; none of these is in this study"

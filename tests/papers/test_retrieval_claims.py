"""The claims on extrapolated embeddings that ship, on metrics in which each of them holds, and then does not."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from presented import shipped_claims
from replication.catalogue.configuration import read_configuration
from replication.claims import judging
from replication.papers.sparks2011.retrieval_metrics import METHODS
from replication.shared.tidy import Metrics
from retrieval_metrics import runtime_metrics

SHIPPED = shipped_claims().set_index("id", drop=False)
ALL = SHIPPED[SHIPPED["paper"] == "sparks2011"]
# OS-15 was set by the calibration and is not judged; OS-19 is on run times, by itself below.
SPARKS = ALL[(ALL["kind"] != "context") & (ALL["experiment"] != "extrapolation_runtime")]
READING = "sigma 5 times the median"
CONDITIONS = ["variant", "separation", "split", "training", "labelled", "objects", "label"]
TRAINING = tuple(k / 10 for k in range(1, 11))
LABELLED = (0.1, 0.3, 0.5, 0.6, 0.7, 0.9)
# Training share from which on OSE-SSL is level with SSGE, by labelled share; below it lacks some score.
NEEDED = {
    ("swiss_roll", "si"): (0.8, 0.6, 0.6, 0.5, 0.4, 0.2),
    ("swiss_roll", "auprc"): (0.5, 0.5, 0.5, 0.4, 0.4, 0.3),
    ("glands", "si"): (0.3, 0.4, 0.5, 0.6, 1.0, 1.0),
    ("glands", "auprc"): (0.3, 1.0, 1.0, 1.0, 1.0, 1.0),
}
SIZES = {"benign": 93, "grade_3": 748, "grade_4": 47}
SOURCES = {"swiss_roll": "simulated", "glands": "simulated", "digits": "public-substitute"}


def level(dataset, method, metric, m, s):
    """Scores of a world in which all claims hold."""
    start = {"si": 0.35, "si_sums": 0.3, "auprc": 0.55}[metric]
    if method == "nm_ge" and dataset == "swiss_roll" and metric != "auprc" and 0.7 <= m < 1:
        # And on the roll to SSGE, at every S.
        return start + 0.3 * 0.9
    if method in ("ge", "nm_ge"):
        # At M = 70 % NM-GE comes close to GE.
        return start - 0.3 - (0.2 if m < 0.7 else 0.01) * (method == "nm_ge" and m < 1)
    if method == "random":
        return 1 / 3 if metric == "auprc" else 0.0
    full = start + 0.3 * s
    if method == "ose_ssl" and m < 1:
        of = (dataset, metric) if (dataset, metric) in NEEDED else ("glands", metric if metric == "auprc" else "si")
        lacks = m < NEEDED[of][LABELLED.index(s)]
        return full - 0.02 * (1 - m) - (0.1 if lacks else 0.01)
    return full


def error(metric, m, s):
    return {"error_l1": 2e-4, "error_entries": 1e-5, "error_relative": 0.08}[metric] * (1.2 - m)


def first(method, label):
    """Of the class with the most objects NM-GE returns more."""
    same = {"ose_ssl": 2.0, "nm_ge": 1.0, "random": 0.3, "dissimilarity": 3.0}[method]
    return same if label != "grade_3" or method not in ("ose_ssl", "nm_ge") else 3 - same


def unchanged(dataset, method, metric, m, s, objects, value):
    return value


def world(dataset, change, training=TRAINING, labelled=LABELLED, draws=3, turned=False):
    """Metrics of a data set; change(method, metric, m, s, objects or class, value) moves what is to be moved."""
    experiment = "swiss_roll" if dataset == "swiss_roll" else "gland_retrieval"
    found = Metrics(experiment, dataset, SOURCES.get(dataset, "own"), CONDITIONS)
    main = {"variant": "", "split": "objects", "separation": ""}
    for name, size in SIZES.items():
        found.add("all", "n_label", size, label=name)
    jitter = 0.002 * np.array([0.0, 1.0, -1.0])

    def add(method, metric, m, s, objects, value, label=""):
        at = {**main, "training": m, "labelled": s, "objects": objects, "label": label}
        order = sorted({**METHODS, "zero": ""}).index(method)
        for draw in range(draws):
            moved = change(method, metric, m, s, label or objects, value)
            found.add(method, metric, moved * (1 + jitter[(draw + order) % 3]), draw, **at)

    for m in training:
        cells = [
            ("nm_ge", ""),
            ("ge", ""),
            ("random", ""),
            *itertools.product(("ose_ssl", "ssge", "recomputed"), labelled),
        ]
        for (method, s), metric, objects in itertools.product(
            cells, ("si", "si_sums", "auprc"), ("all", "extrapolated")
        ):
            if m < 1 or objects == "all":
                add(method, metric, m, s, objects, level(dataset, method, metric, m, s or 0))
        for (method, s), metric in itertools.product(cells, ("error_l1", "error_entries", "error_relative")):
            if m < 1 and method in ("nm_ge", "ose_ssl"):
                add(method, metric, m, s, "", error(metric, m, s))
                add("zero", metric, m, s, "", 2e-4)
    for method, label in itertools.product(("nm_ge", "ose_ssl", "random", "dissimilarity"), SIZES):
        s = 0.6 if method == "ose_ssl" else ""
        add(method, "same_of_first", 0.8, s, "extrapolated", first(method, label), label)
        add(method, "auprc", 0.8, s, "extrapolated", 9.0, label)
    table = found.table()
    if turned:
        # Other variants, separations and splits, which are not judged: there all is the other way round.
        others = [{"variant": "2 dimensions"}, {"separation": 1.5}, {"split": "regions"}]
        scores = table[table["metric"] != "n_label"]
        scores = scores.assign(value=1 - scores["value"])
        table = pd.concat([table, *(scores.assign(**other) for other in others)], ignore_index=True)
    return table.astype(object).where(table.notna(), "").astype({"value": float})


def metrics(change=unchanged, sets=tuple(SOURCES), **options):
    tables = {name: world(name, partial(change, name), **options) for name in sets}
    found = {"swiss_roll": [tables[name] for name in sets if name == "swiss_roll"]}
    found["gland_retrieval"] = [tables[name] for name in sets if name != "swiss_roll"]
    return {name: pd.concat(listed) for name, listed in found.items() if listed}


def judged(change=unchanged, ids=None, **options):
    return judging.judge_claims(SPARKS if ids is None else SPARKS.loc[ids], metrics(change, **options)).set_index("id")


@pytest.mark.slow
def test_every_claim_can_hold():
    found = judged(turned=True)
    expected = {
        row.id: "reproduced" if row.experiment == "swiss_roll" else "holds on the substitute"
        for row in SPARKS.itertuples()
    }
    # A training share that suffices comes from all draws, so that nothing tests how it changes.
    expected |= {"OS-14": "direction only on the substitute"}
    assert found["verdict"].to_dict() == expected
    assert set(found["reason"]) == {""}
    assert found["measured"].str.len().between(60, 1900).all()
    assert set(found["dataset"]) == {"swiss_roll", "glands, digits"}
    assert set(found["source"]) == {"simulated", "simulated, public-substitute"}


def moved(by, method="ose_ssl", metric=("si", "si_sums", "auprc"), sets=("swiss_roll", "glands", "digits"), **where):
    """Change that adds to the value of a method where conditions hold: m, s, objects = function of the cell."""

    def change(dataset, of, name, m, s, objects, value):
        cell = {"m": m, "s": s, "objects": objects}
        met = all(holds(cell[key]) for key, holds in where.items())
        inside = of == method and name in metric and dataset in sets and met
        return value + by if inside else value

    return change


def replaced(by, **where):
    """As `moved`, with a value of its own: by(m, s)."""

    def change(dataset, of, name, m, s, objects, value):
        return by(m, s) if moved(1.0, **where)(dataset, of, name, m, s, objects, 0.0) else value

    return change


def level_with(reference, method="ose_ssl", plus=0.0, **where):
    """The method has the values of its reference, or some more."""

    def change(dataset, of, name, m, s, objects, value):
        if not moved(1.0, method, **where)(dataset, of, name, m, s, objects, 0.0):
            return value
        return level(dataset, reference, name, m, s or 0) + plus

    return change


def either(*changes):
    def change(dataset, of, name, m, s, objects, value):
        for one in changes:
            value = one(dataset, of, name, m, s, objects, value)
        return value

    return change


def larger_errors(*metric, sets=("swiss_roll", "glands", "digits")):
    return moved(0.5, metric=metric, sets=sets, m=lambda m: m == 0.1, s=lambda s: s == 0.9)


def turned_needs(dataset, of, name, m, s, objects, value):
    """The share that suffices falls as S rises."""
    if of != "ose_ssl" or m == 1 or name not in ("si", "auprc"):
        return value
    return level(dataset, "ssge", name, m, s) - 0.2 * (m < 1 - s)


OUTSIDE = {"objects": lambda objects: objects == "extrapolated"}
RARE = {"metric": ("same_of_first",), "objects": lambda label: label == "grade_4"}
CELL = {"m": lambda m: m == 0.8, "s": lambda s: s == 0.6}
FAILING = [
    ("OS-01", larger_errors("error_l1", "error_relative"), "not reproduced"),
    ("OS-01", moved(0.5, "zero", ("error_l1", "error_relative")), "reproduced"),
    ("OS-02", replaced(lambda m, s: 1 - m / 10 - s / 10, metric=("si",)), "not reproduced"),
    ("OS-02-nm-ge", replaced(lambda m, s: 1 - m / 10, method="nm_ge", metric=("si",)), "not reproduced"),
    ("OS-02-nm-ge", replaced(lambda m, s: 0.5 + m / 30, method="nm_ge", metric=("si",)), "no effect"),
    ("OS-03", moved(-0.2, m=lambda m: m < 0.9), "not reproduced"),
    ("OS-03", level_with("ssge"), "mixed"),
    ("OS-04", moved(-0.2, m=lambda m: m < 0.5, s=lambda s: s == 0.9), "not reproduced"),
    ("OS-05", moved(-0.2, m=lambda m: m == 0.7, s=lambda s: s == 0.5), "not reproduced"),
    ("OS-05", moved(-0.2, m=lambda m: m <= 0.4), "reproduced"),
    ("OS-06", either(*(replaced(lambda m, s: -s, method=one) for one in ("ose_ssl", "ssge"))), "not reproduced"),
    # Labels lift both alike: the training share that suffices does not fall.
    ("OS-06", level_with("ssge"), "mixed"),
    ("OS-07", moved(-0.6, m=lambda m: m == 0.5, s=lambda s: s == 0.1), "does not hold"),
    ("OS-07", moved(-0.6, sets=("digits",), m=lambda m: m == 0.5, s=lambda s: s == 0.1), "mixed"),
    ("OS-09", moved(-0.7, **CELL), "does not hold"),
    # It leads by 0.386; half of what is printed is 0.15.
    ("OS-09", moved(-0.25, **CELL), "no effect"),
    ("OS-09", moved(-0.22, **CELL), "holds"),
    ("OS-10", level_with("ssge", s=lambda s: s in (0.7, 0.9)), "does not hold"),
    ("OS-10", level_with("ssge", s=lambda s: s not in ("", 0.7, 0.9)), "holds"),
    # Of one set alone, and wherever GE lies.
    ("OS-10", level_with("ssge", sets=("digits",)), "mixed"),
    ("OS-10", either(moved(0.55, "ge", sets=("digits",)), level_with("ssge", sets=("digits",))), "mixed"),
    ("OS-11", moved(-1.5, **RARE), "does not hold"),
    ("OS-12-swiss", moved(-0.9, m=lambda m: m == 0.3), "not reproduced"),
    ("OS-12-swiss", moved(-0.9, m=lambda m: m == 0.1), "reproduced"),
    ("OS-12-glands", moved(-0.9, m=lambda m: m == 0.3), "does not hold"),
    ("OS-13", larger_errors("error_l1", "error_relative"), "does not hold"),
    # Level at once at every S: the training share that suffices does not rise.
    ("OS-14", level_with("ssge"), "does not hold"),
    ("OS-14", turned_needs, "does not hold"),
    ("OS-15-ssge", moved(-0.2, "nm_ge", m=lambda m: m < 0.9), "not reproduced"),
    ("OS-16", replaced(lambda m, s: 1 - m / 10 - s / 10, metric=("si", "auprc")), "does not hold"),
    ("OS-17", replaced(lambda m, s: 1 - m / 10 - s / 10, metric=("auprc",)), "not reproduced"),
    # They rise beyond chance, by less than 0.05 from the first share to the last.
    ("OS-02", replaced(lambda m, s: 0.5 + m / 30 + s / 30, metric=("si",)), "no effect"),
    ("OS-16", replaced(lambda m, s: 0.5 + m / 30 + s / 30, metric=("si", "auprc")), "no effect"),
    ("OS-16", replaced(lambda m, s: 0.5 + m / 30 + s / 3, metric=("si", "auprc")), "mixed"),
    ("OS-17", replaced(lambda m, s: 0.5 + m / 30 - s / 3, metric=("auprc",)), "no effect"),
    ("OS-17", replaced(lambda m, s: 0.5 + m / 15 - s / 3, metric=("auprc",)), "reproduced"),
    # Ahead at every M, at one of them by 0.03.
    ("OS-12-swiss", level_with("nm_ge", m=lambda m: m == 0.6, plus=0.03), "not reproduced"),
    ("OS-18-30", level_with("ssge", s=lambda s: s == 0.3), "does not hold"),
    ("OS-18-30", level_with("ssge", s=lambda s: s == 0.6), "holds"),
    ("OS-18-60", level_with("ssge", s=lambda s: s == 0.6), "does not hold"),
    ("OS-20", moved(-0.2, m=lambda m: m < 0.9), "not reproduced"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "change", "verdict"), FAILING, ids=[f"{one[0]} {one[2]}" for one in FAILING])
def test_a_claim_fails_where_it_should(claim, change, verdict):
    sets = ("swiss_roll",) if SPARKS.loc[claim, "experiment"] == "swiss_roll" else ("glands", "digits")
    found = judged(change, [claim], sets=sets)["verdict"][claim]
    assert found.removesuffix(" on the substitute") == verdict


# Moved for the extrapolated objects alone: the verdict on new data.
ON_NEW_DATA = [
    ("OS-02", replaced(lambda m, s: 1 - m / 10 - s / 10, metric=("si",), **OUTSIDE), "not reproduced"),
    ("OS-03", moved(-0.2, m=lambda m: m < 0.9, **OUTSIDE), "not reproduced"),
    ("OS-05", moved(-0.2, m=lambda m: m == 0.7, s=lambda s: s == 0.5, **OUTSIDE), "not reproduced"),
    ("OS-09", moved(-0.7, **CELL, **OUTSIDE), "does not hold on the substitute"),
    ("OS-10", level_with("ssge", s=lambda s: s in (0.7, 0.9), **OUTSIDE), "does not hold on the substitute"),
    ("OS-16", replaced(lambda m, s: -m - s, metric=("si", "auprc"), **OUTSIDE), "does not hold on the substitute"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "change", "verdict"), ON_NEW_DATA, ids=[one[0] for one in ON_NEW_DATA])
def test_new_data_have_a_verdict_of_their_own(claim, change, verdict):
    sets = ("swiss_roll",) if SPARKS.loc[claim, "experiment"] == "swiss_roll" else ("glands", "digits")
    found, usual = (judged(of, [claim], sets=sets).loc[claim] for of in (change, unchanged))
    assert found["on_new_data"] == verdict != usual["on_new_data"]
    assert found["verdict"] == usual["verdict"]


@pytest.mark.parametrize(("claim", "change"), [("OS-09", moved(-0.7, **CELL)), ("OS-11", moved(-1.5, **RARE))])
def test_sigma_decides_a_claim_that_another_sigma_turns(claim, change):
    """The rows of a variant are judged as the main ones are, where a choice of the claim asks for it."""
    turned, usual = (pd.concat([metrics(of)["gland_retrieval"]]) for of in (change, unchanged))
    usual = usual[usual["metric"] != "n_label"].assign(variant=READING)
    ledger = judging.judge_claims(SPARKS.loc[[claim]], {"gland_retrieval": pd.concat([turned, usual])}).iloc[0]
    assert ledger["verdict"] == "does not hold on the substitute"
    assert ledger["other_choices"] == f"CH-25, {READING}: holds on the substitute"
    assert ledger["decided_by"] == "CH-25"


def test_readings_of_graphs_are_variants_of_the_configuration():
    config = read_configuration()
    readings = [
        (claim.id, claim.experiment, other["with"].get("subset", other["with"])["variant"])
        for claim in SPARKS.itertuples()
        for other in claim.test.get("choices", [])
        if other["choice"] in ("CH-25", "CH-63")
    ]
    of = {name: {one["name"]: one for one in config[name]["variants"]} for name in ("gland_retrieval", "swiss_roll")}
    # Claims on the shares of the query need no others; that on what queries return needs their draws. On the roll Eq. 4
    # as printed, whose graph is complete, would take too long at every share.
    of_query = {"OS-09", "OS-11"}
    assert of_query <= {claim for claim, _, _ in readings}
    shares = {
        (name, variant, of[name][variant]["shares"]) for claim, name, variant in readings if claim not in of_query
    }
    assert shares == {
        ("gland_retrieval", READING, "all"),
        ("swiss_roll", "similarity 1 outside the radius", "some"),
        ("swiss_roll", "radius 4", "all"),
    }
    connected = {claim for claim, _, variant in readings if variant == "radius 4"}
    assert {"OS-03", "OS-04", "OS-12-swiss", "OS-17"} <= connected
    assert all(of[name][variant]["queries"] for claim, name, variant in readings if claim == "OS-11")


def test_context_is_told_and_not_judged():
    reached = Metrics("retrieval_substitute", "swiss_roll", "simulated", ["parameter", "setting", "training"])
    reached.add("nm_ge", "reached", 70.4, parameter="radius", setting=1.75)
    found = judging.judge_claims(ALL.loc[["OS-15"]], {"retrieval_substitute": reached.table()}).iloc[0]
    assert (found["verdict"], found["magnitude"]) == ("context", "context")
    assert "70.4 % of the objects (set by the calibration; printed: 70)" in found["measured"]


@pytest.mark.parametrize(("faster", "verdict"), [(1, "reproduced"), (0.7, "no effect"), (2, "not reproduced")])
def test_placing_a_sample_takes_less_than_half_of_the_time_of_all(faster, verdict):
    times = runtime_metrics()
    if faster != 1:
        all_again = times[times["method"] == "recomputation"]
        placed = all_again.assign(method="extrapolation", value=faster * all_again["value"])
        times = pd.concat([times[times["method"] != "extrapolation"], placed])
    found = judging.judge_claims(ALL.loc[["OS-19"]], {"extrapolation_runtime": times}).iloc[0]
    assert found["verdict"] == verdict


def test_every_claim_fails_somewhere():
    fails = {claim for claim, _, verdict in FAILING if verdict in ("not reproduced", "does not hold")}
    assert fails == set(SPARKS.index)


# --- studies that hold less


@pytest.mark.slow
def test_a_small_study_leaves_open_only_what_it_did_not_run():
    # The grid of config/quick.yaml.
    found = judged(training=(0.3, 0.5, 0.8, 1.0), labelled=(0.3, 0.6, 0.9))
    open_claims = found[found["verdict"] == "not testable"]
    assert open_claims["reason"].to_dict() == {
        "OS-10": "no SI of OSE-SSL (all objects) at training 90 %, labelled from 70 %",
        "OS-18-30": "no AUPRC of OSE-SSL (all objects) at training 90 %, labelled 30 %",
        "OS-18-60": "no AUPRC of OSE-SSL (all objects) at training 90 %, labelled 60 %",
    }


@pytest.mark.slow
def test_one_draw_leaves_open_what_needs_a_test():
    found = judged(draws=1)
    assert found.index[found["verdict"] != "not testable"].tolist() == [
        "OS-01",
        "OS-13",
    ]
    assert found["reason"][found["verdict"] == "not testable"].str.contains("fewer than two draws").all()


def test_one_substitute_is_judged_alone():
    found = judged(ids=["OS-01", "OS-09", "OS-11"], sets=("digits",))
    on_glands = found[found["experiment"] == "gland_retrieval"]
    assert set(on_glands["verdict"]) == {"holds on the substitute"}
    assert set(on_glands["dataset"]) == {"digits"}
    assert not on_glands["measured"].str.contains("digits:").any()
    others = found.drop(on_glands.index)
    assert set(others["reason"]) == {"the experiment swiss_roll was not run in this study"}


@pytest.mark.slow
def test_own_items_are_a_substitute_and_may_lack_labels():
    some = ["OS-07", "OS-10", "OS-11", "OS-13"]
    assert set(judged(ids=some, sets=("leaves",))["verdict"]) == {"holds on the substitute"}
    (name, table), *_ = metrics(sets=("leaves",)).items()
    bare = {name: table[~table["method"].isin(["ose_ssl", "ssge", "recomputed"])]}
    without = judging.judge_claims(SPARKS, bare)
    assert set(without["verdict"]) == {"not testable"}
    assert (without["reason"] != "").all()

"""From parts to verdict: every combination of parts, for the paper's data and for a substitute."""

from itertools import product

import pandas as pd
import pytest
from presented import one_claim, one_row
from replication.catalogue.claim_files import KINDS, merged
from replication.claims import judging
from replication.claims.answers import MEASUREMENT, answer_to
from replication.platform.declarations import Stages
from replication.shared.judgements import Judgement, NotTestable, select_rows

R, M, P, N, U = "reproduced", "mixed", "in part", "not reproduced", "inconclusive"
D, T, E = "direction only", "trivially true", "no effect"
COMBINATIONS = [parts for parts in product(["", R, M, P, N, U], repeat=3) if any(parts)]
ON_A_SUBSTITUTE = {
    R: "holds on the substitute",
    D: "direction only on the substitute",
    P: "in part on the substitute",
    E: "no effect on the substitute",
    M: "mixed on the substitute",
    N: "does not hold on the substitute",
    T: T,
    U: U,
    "context": "context",
}
# The table of docs/verdicts.md: direction (rows: reproduced, mixed, in part, not reproduced, inconclusive, none) and
# significance (columns: none, reproduced, in part, mixed, not reproduced, inconclusive) -> sign.
SIGNS = {
    R: [R, R, D, M, M, U],
    M: [M, M, P, M, M, U],
    P: [P, P, P, M, M, U],
    N: [N, N, P, M, N, U],
    U: [U, U, P, M, N, U],
    "": ["", R, P, M, N, U],
}
# Sign (rows) and magnitude (columns: reproduced, mixed, in part, not reproduced, inconclusive) -> verdict.
VERDICTS = {
    R: [R, M, D, M, D],
    D: [D, M, D, M, D],
    # Right in some cases, of the stated size in none.
    M: [M, M, M, N, M],
    P: [P, M, P, M, P],
    N: [M, M, M, N, N],
    U: [U, M, P, N, U],
    "": [R, M, P, N, U],
}


def expected_verdict(parts):
    """The two tables read by hand."""
    direction, significance, magnitude = parts
    sign = SIGNS[direction][["", R, P, M, N, U].index(significance)]
    if magnitude:
        return VERDICTS[sign][[R, M, P, N, U].index(magnitude)]
    # Nothing has tested the sign.
    return D if sign == R and not significance else sign


@pytest.mark.parametrize("parts", COMBINATIONS, ids="/".join)
def test_the_verdict_follows_from_the_parts(parts):
    assert Judgement("", *parts).verdict == expected_verdict(parts)


@pytest.mark.parametrize("parts", COMBINATIONS, ids="/".join)
def test_a_contradiction_by_a_small_effect_alone_is_no_effect(parts):
    verdict = expected_verdict(parts)
    # A stated size that is open, or there in part, is no matter of the effect.
    expected = E if verdict == N and parts[2] in ("", N) else verdict
    assert Judgement("words", *parts, small=True).verdict == expected


def test_the_reason_says_how_many_units_decide_what_is_undecided(monkeypatch):
    def reason(parts, units):
        return judged(monkeypatch, Judgement("words", *parts, units=units), "paper", "original")["reason"]

    assert reason((R, U, ""), 120.0) == "about 120 units would decide (power 80 %)"
    of_slices = judging._units_needed(Judgement("words", R, U, units=9.0), ["draw", "slice"])
    assert of_slices == "about 9 units (draw, slice) would decide (power 80 %)"
    assert reason((R, U, ""), 0.0) == reason((R, R, ""), 120.0) == reason((N, N, ""), 120.0) == ""
    assert reason((R, U, ""), float("inf")).startswith("with draws that overlap so much, no number")


def test_a_judgement_without_parts_has_no_verdict():
    with pytest.raises(ValueError, match="needs a direction, a significance or a magnitude, found none"):
        _ = Judgement("0.5").verdict
    assert Judgement("0.5", magnitude="context").verdict == "context"


def judged(monkeypatch, judgement, dataset, source, wanted="paper", across=None, kind="value", test=None):
    """Verdict of a claim whose test finds the given parts on rows of a data set, or what it finds in them."""

    def judge(table, test):
        if isinstance(judgement, Exception):
            raise judgement
        return judgement(table) if callable(judgement) else judgement

    monkeypatch.setitem(judging.JUDGES, kind, judge)
    claims = one_claim(kind, (test or {}) | ({"across": across} if across else {}), dataset=wanted)
    return judging.judge_claims(claims, {"made_up": one_row(dataset, source)}).iloc[0]


def made_up(**test):
    """The ledger's row of a claim by this test."""
    return judging.judge_claims(one_claim("value", test), {"made_up": one_row()}).iloc[0]


@pytest.mark.parametrize(("source", "looks"), [("simulated", 3), ("own", 1)])
def test_looks_are_counted_where_more_units_can_be_drawn(monkeypatch, source, looks):
    """Of the user's own data there are no more."""
    asked = []
    monkeypatch.setitem(judging.JUDGES, "value", lambda _, test: asked.append(test["looks"]) or Judgement("words", R))
    metrics, stages = {"made_up": one_row("mine", source)}, {"made_up": Stages("made_up.units", (1, 2, 3))}
    judging.judge_claims(one_claim("value", {}, dataset="mine"), metrics, stages=stages)
    assert asked == [looks]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"label": 1}, "label = 1 (a number"),
        ({"label": "2"}, "label = 2 in this"),
        # A condition that nothing varies is blank.
        ({"noise": 3}, "noise = 3 in this"),
    ],
)
def test_a_number_where_the_column_has_text_is_named(asked, words):
    table = pd.DataFrame({"metric": ["score"], "label": ["1"], "noise": "", "value": 1.0})
    with pytest.raises(NotTestable) as found:
        select_rows(table, "score", **asked)
    assert words in str(found.value)


# Data, source, data that the claim names, data sets across which it is judged; whether they are those of the paper.
SOURCES = [
    ("paper", "original", "paper", None, True),
    ("other", "original", "paper", None, False),
    ("other", "public-substitute", "paper", None, False),
    ("other", "simulated", "private", None, False),
    ("mine", "own", "paper", None, False),
    ("other", "simulated", "any", None, True),
    (["a", "b"], "original", "both", ["a", "b"], True),
    (["b", "a"], "original", "both", ["a", "b"], True),
    (["a", "b"], "own", "both", ["a", "b"], False),
    # The name of all together is none of them.
    ("both", "own", "both", ["a", "b"], False),
    (["a", "b"], "original with validation set halved", "both", ["a", "b"], False),
    (["a"], "original", "both", ["a", "b"], False),
    (["a", "b", "c"], "original", "both", ["a", "b"], False),
]


# One judgement of each verdict: how parts make one does not depend on the source.
JUDGEMENTS = {expected_verdict(parts): Judgement("words", *parts) for parts in COMBINATIONS}
JUDGEMENTS |= {E: Judgement("words", N, N, small=True), T: Judgement("words", magnitude=R, trivial=True)}
JUDGEMENTS |= {"context": Judgement("words", magnitude="context")}


@pytest.mark.parametrize("verdict", ON_A_SUBSTITUTE)
def test_every_verdict_on_every_source(monkeypatch, verdict):
    judgement = JUDGEMENTS[verdict]
    for dataset, source, wanted, across, of_the_paper in SOURCES:
        found = judged(monkeypatch, judgement, dataset, source, wanted, across)
        assert found["verdict"] == (verdict if of_the_paper else ON_A_SUBSTITUTE[verdict]), (dataset, source)
        assert found["answer"] == answer_to(verdict, of_the_paper)
        parts = (judgement.direction, judgement.significance, judgement.magnitude)
        assert (found["direction"], found["significance"], found["magnitude"]) == parts
        assert (found["measured"], found["reason"]) == ("words", "")
        names = dataset if isinstance(dataset, list) else [dataset]
        assert found["dataset"] == (wanted if across and of_the_paper else ", ".join(names))
        assert source in found["source"]


def test_a_substitute_never_reproduces():
    assert not set(ON_A_SUBSTITUTE.values()) & {R, D, M, N}
    assert judging.SUBSTITUTE == ON_A_SUBSTITUTE


@pytest.mark.parametrize(("dataset", "source", "wanted", "across", "of_the_paper"), SOURCES)
def test_what_is_missing_is_not_testable_on_every_source(monkeypatch, dataset, source, wanted, across, of_the_paper):
    found = judged(monkeypatch, NotTestable("no value"), dataset, source, wanted, across)
    assert (found["verdict"], found["reason"], found["measured"]) == ("not testable", "no value", "")
    assert found["answer"] == answer_to("not testable", of_the_paper)
    found = judged(monkeypatch, NotTestable("no value"), dataset, source, wanted, across, kind="context")
    assert (found["verdict"], found["answer"]) == ("not testable", MEASUREMENT)
    # A printed number of the digits belongs to its data.
    found = judged(monkeypatch, Judgement("words", R, R, R), dataset, source, wanted, across, kind="value/redraws")
    assert found["verdict"] == (R if of_the_paper else "not testable")
    assert (f"the paper's value is for {wanted}, this study ran " in found["reason"]) != of_the_paper


@pytest.mark.parametrize(("size", "verdict"), [(R, T), (N, N)])
def test_an_identity_is_trivially_true_or_wrong_on_all_data(monkeypatch, size, verdict):
    def read(table):
        return Judgement(", ".join(table["dataset"]), magnitude=size)

    found = judged(monkeypatch, read, ["madelon", "mine"], ["original", "own"], "any", test={"identity": True})
    assert (found["verdict"], found["measured"]) == (verdict, "madelon, mine")
    assert (found["dataset"], found["source"]) == ("madelon, mine", "original, own")


def test_the_same_rule_judges_new_data_and_other_choices(monkeypatch):
    """A claim that holds on what the method was chosen by, not on new data, and for one reading of a choice."""

    def judge(table, test):
        return Judgement(f"of {test['where']}", magnitude=R if test["where"]["on"] in ("old", "strict") else N)

    monkeypatch.setitem(judging.JUDGES, "value", judge)
    choices = [
        {"choice": "CH-09", "level": "as printed", "with": {"where": {"on": "new"}}},
        {"choice": "CH-09", "level": "strict", "with": {"where": {"on": "strict"}}},
        {"choice": "CH-03", "level": "64", "with": {"where": {"levels": 64}}},
    ]
    found = made_up(where={"on": "old"}, new_data={"where": {"on": "new"}}, choices=choices)
    assert (found["verdict"], found["answer"], found["on_new_data"]) == (R, "partly", N)
    assert (found["measured"], found["measured_on_new_data"]) == ("of {'on': 'old'}", "of {'on': 'new'}")
    assert found["other_choices"] == f"CH-09, as printed: {N}; CH-09, strict: {R}; CH-03, 64: {R}"
    assert found["decided_by"] == "CH-09"
    plain = made_up(where={"on": "old"})
    assert [plain[name] for name in judging.EXTRA_COLUMNS] == ["", "", "", ""]


def test_a_choice_that_the_paper_rules_out_is_shown_and_turns_nothing(monkeypatch):
    monkeypatch.setitem(judging.JUDGES, "value", lambda table, test: Judgement("", magnitude=test["word"]))
    choice = {"choice": "CH-34", "level": "pictures", "with": {"word": N}}
    for ruled_out, answer, words in (({}, "partly", ""), ({"ruled_out": "print"}, "holds", " (ruled out: print)")):
        found = made_up(word=R, choices=[choice | ruled_out])
        assert (found["verdict"], found["answer"]) == (R, answer)
        assert found["other_choices"] == f"CH-34, pictures{words}: {N}"
        assert found["decided_by"] == ("" if ruled_out else "CH-34")


def test_a_choice_may_be_judged_by_another_experiment_and_without_a_condition(monkeypatch):
    monkeypatch.setitem(judging.JUDGES, "value", lambda table, test: Judgement(f"{test['where']}", magnitude=R))
    choice = {"choice": "CH-09", "level": "a", "experiment": "other", "with": {"where": {"on": None}}}
    test = {"where": {"on": "old", "at": 1}, "choices": [choice]}
    metrics, behind = {"made_up": one_row(), "other": one_row()}, {}
    found = judging.judge_claims(one_claim("value", test), metrics, rows_behind=behind).iloc[0]
    assert found["other_choices"] == f"CH-09, a: {R}"
    assert set(behind) == {"made_up", "other"}
    assert merged(test, choice["with"])["where"] == {"at": 1}
    assert made_up(**test)["other_choices"] == ""


def test_the_answer_of_another_reading_says_that_it_is_of_a_substitute(monkeypatch):
    monkeypatch.setitem(judging.JUDGES, "value", lambda table, test: Judgement("", magnitude=R))
    choice = {"choice": "CH-09", "level": "a", "experiment": "other", "with": {"where": {"at": 1}}}
    claims = one_claim("value", {"where": {"at": 2}, "choices": [choice]})
    found = judging.judge_claims(claims, {"other": one_row("other", "simulated")}).iloc[0]
    assert (found["verdict"], found["answer"]) == ("not testable", "holds on the substitute")


@pytest.mark.parametrize(("identity", "answer"), [(False, "does not hold"), (True, "nothing to test")])
def test_a_default_that_could_not_fail_yields_and_an_identity_does_not(monkeypatch, identity, answer):
    def judge(table, test):
        return Judgement("", magnitude=R, trivial=True) if test["where"]["on"] == "old" else Judgement("", magnitude=N)

    monkeypatch.setitem(judging.JUDGES, "value", judge)
    choice = {"choice": "CH-09", "level": "a", "with": {"where": {"on": "new"}, "identity": False}}
    found = made_up(where={"on": "old"}, identity=identity, choices=[choice])
    assert (found["verdict"], found["answer"]) == ("trivially true", answer)


def test_every_kind_has_a_judge():
    assert set(KINDS) == set(judging.JUDGES)


def test_the_ledger_shows_test_and_holm_family(monkeypatch):
    found = judged(monkeypatch, Judgement("words", R), "paper", "original", kind="compare/vectors")
    assert (found["test"], found["holm_family"]) == ("order", "cells")
    columns = list(found.index)
    assert columns[columns.index("margin") + 1 :][:2] == ["test", "holm_family"]

"""From parts to verdict: every combination of parts, for the paper's data and for a substitute."""

from itertools import product

import pandas as pd
import pytest
from replication.ledger import claims
from replication.ledger.claim_kinds import DECLARED, which_holm_family, which_test
from replication.platform.declarations import TESTS
from replication.shared.judgements import Judgement, NotTestable

R, P, N, U = "reproduced", "partly", "not reproduced", "inconclusive"
COMBINATIONS = [parts for parts in product(["", R, P, N, U], repeat=3) if any(parts)]
ON_A_SUBSTITUTE = {
    R: "holds on the substitute",
    P: "partly holds on the substitute",
    N: "does not hold on the substitute",
    U: "inconclusive",
    "context": "context",
}


def expected_verdict(parts):
    """The rule of config/README.md, counted: all reproduced, some, none, or nothing can be said."""
    judged = [part for part in parts if part]
    if judged.count(R) == len(judged):
        return R
    if R in judged or P in judged:
        return P
    return U if judged.count(U) == len(judged) else N


def test_there_are_all_combinations_of_one_to_three_parts():
    assert len(COMBINATIONS) == 5**3 - 1


@pytest.mark.parametrize("parts", COMBINATIONS, ids="/".join)
def test_the_verdict_follows_from_the_parts(parts):
    assert Judgement("", *parts).verdict == expected_verdict(parts)


def test_a_judgement_without_parts_has_no_verdict():
    with pytest.raises(ValueError, match="needs a direction, a significance or a magnitude, found none"):
        _ = Judgement("0.5").verdict
    assert Judgement("0.5", magnitude="context").verdict == "context"


def judged(monkeypatch, judgement, dataset, source, wanted="paper", across=None, kind="within"):
    """Verdict of a claim whose test finds the given parts on rows of a data set."""

    def judge(table, test):
        if isinstance(judgement, Exception):
            raise judgement
        return judgement

    monkeypatch.setitem(claims.KINDS, kind, judge)
    names = dataset if isinstance(dataset, list) else [dataset]
    rows = pd.DataFrame({"dataset": names, "source": source, "metric": "score", "value": 1.0})
    row = dict.fromkeys(claims.COLUMNS, "") | {"id": "X", "experiment": "made_up", "kind": kind, "dataset": wanted}
    test = {"across": across} if across else {}
    return claims.judge_claims(pd.DataFrame([row | {"test": test}]), {"made_up": rows}).iloc[0]


# Data, source, data that the claim names, data sets across which it is judged; whether they are those of the paper.
SOURCES = [
    ("paper", "original", "paper", None, True),
    ("other", "original", "paper", None, False),
    ("other", "public-substitute", "paper", None, False),
    ("other", "simulated", "private", None, False),
    ("mine", "own", "paper", None, False),
    ("other", "simulated", "any", None, True),
    (["a", "b"], "original", "both", ["a", "b"], True),
    (["a", "b"], "original with validation set halved", "both", ["a", "b"], False),
    (["a"], "original", "both", ["a", "b"], False),
    (["a", "b", "c"], "original", "both", ["a", "b"], False),
]


@pytest.mark.parametrize("parts", [*COMBINATIONS, ("", "", "context")], ids="/".join)
def test_every_verdict_on_every_source(monkeypatch, parts):
    for dataset, source, wanted, across, of_the_paper in SOURCES:
        found = judged(monkeypatch, Judgement("words", *parts), dataset, source, wanted, across)
        verdict = "context" if "context" in parts else expected_verdict(parts)
        assert found["verdict"] == (verdict if of_the_paper else ON_A_SUBSTITUTE[verdict]), (dataset, source)
        assert (found["direction"], found["significance"], found["magnitude"]) == parts
        assert (found["measured"], found["reason"]) == ("words", "")
        assert found["verdict"] in claims.VERDICTS
        assert source in found["source"]


def test_a_substitute_never_reproduces():
    assert not set(ON_A_SUBSTITUTE.values()) & {R, P, N}
    assert claims.SUBSTITUTE == ON_A_SUBSTITUTE


@pytest.mark.parametrize(("dataset", "source", "wanted", "across", "of_the_paper"), SOURCES)
def test_what_is_missing_is_not_testable_on_every_source(monkeypatch, dataset, source, wanted, across, of_the_paper):
    found = judged(monkeypatch, NotTestable("no value"), dataset, source, wanted, across)
    assert (found["verdict"], found["reason"], found["measured"]) == ("not testable", "no value", "")
    # A printed number of the digits belongs to its data.
    found = judged(monkeypatch, Judgement("words", R, R, R), dataset, source, wanted, across, kind="value")
    assert found["verdict"] == (R if of_the_paper else "not testable")


def test_every_kind_declares_its_test_and_its_holm_family():
    assert list(DECLARED) != []
    assert set(DECLARED) == set(claims.KINDS)
    assert {kind.test for kind in DECLARED.values()} == set(TESTS)
    families = {name: kind.holm_family for name, kind in DECLARED.items() if kind.holm_family != "none"}
    assert families == {
        "equivalent_cells": "cells",
        "beats_vectors": "cells",
        "ahead": "training shares",
        "stabler_sets": "data sets",
        "falls": "steps",
        "paired_equivalence": "comparisons",
    }
    assert which_test("count", {"test": "equivalent"}) == "equivalence"
    assert which_test("count", {"test": "significant"}) == "count"
    assert which_holm_family("count", {"test": "equivalent"}) == "conditions"
    assert which_holm_family("count", {"test": "significant"}) == "none"
    assert which_holm_family("falls", {}) == "steps"


def test_the_ledger_shows_test_and_holm_family(monkeypatch):
    found = judged(monkeypatch, Judgement("words", R), "paper", "original", kind="ahead")
    assert (found["test"], found["holm_family"]) == ("order", "training shares")
    columns = list(found.index)
    assert columns[columns.index("margin") + 1 :][:2] == ["test", "holm_family"]

"""Files of claims: several of them, a user's own, and one clear error for whatever is wrong with them."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from replication.ledger import claims
from replication.ledger.checks import check_claims
from replication.ledger.claim_kinds import COLUMNS, DECLARED, form_of, kinds, read_rows
from replication.platform.configuration import ConfigurationError

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "config" / "claims.tsv"
WITHIN = {"metric": "accuracy", "paper": 0.74, "margin": 0.05, "where": {"method": "features"}}
PAIRED = {"method": "consensus", "against": ["features"], "pair": ["slice"], "where": {"noise": 3}}
RANK_TREND = {
    "metric": "accuracy",
    "on": "noise",
    "where": {"method": "features"},
    "pair": ["slice"],
    "criterion": "below",
}
EQUIVALENCE = {"method": "consensus", "against": ["features"], "pair": ["noise", "slice"], "criterion": "equivalent"}
EQUIVALENCE |= {"margin": 0.2}


COUNT = {"method": "consensus", "against": ["features"], "by": ["noise"], "pair": ["slice"], "at_least": 17, "of": 18}
RISING = {"metric": "accuracy", "on": "noise"}
DIMENSIONS = {"paper": {"wine": 3}, "factor": 2, "largest": 50}
STABILITY = {"cells": "stability", "across": ["wine"], "above": [["fine", "filters"]]}
SHARE = {"cells": "repetitions", "metric": "accuracy", "where": [{"method": "features"}], "at_least": 0.5}


def line(name, kind, test, experiment="brain_grid", **fields):
    row = dict.fromkeys(COLUMNS, "words") | {"id": name, "paper": "mine", "experiment": experiment, "kind": kind}
    row |= {"dataset": "brainweb", "test": test if isinstance(test, str) else json.dumps(test)} | fields
    return "\t".join(row[column] for column in COLUMNS)


def write(path, *lines):
    path.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n")
    return path


@pytest.fixture
def mine(tmp_path):
    return write(
        tmp_path / "mine.tsv",
        line("MY-01", "value", WITHIN),
        line("MY-02", "compare", PAIRED),
        line("MY-03", "trend", RANK_TREND),
        line("MY-04", "compare", EQUIVALENCE),
    )


def grid(gap=0.1, source="original", dataset="brainweb"):
    """Accuracies of two methods over 10 slices at four levels of noise, on which they fall."""
    rows = [
        (method, noise, slice_, 0.8 - 0.02 * noise + 0.001 * (slice_ % 3) + 0.0003 * slice_ * noise / 9 + lead)
        for method, lead in (("features", 0.0), ("consensus", gap))
        for noise in (0, 3, 5, 9)
        for slice_ in range(10)
    ]
    table = pd.DataFrame(rows, columns=["method", "noise", "slice", "value"])
    # The lead differs a little from slice to slice.
    table["value"] += 0.002 * (table["slice"] % 2) * (table["method"] == "consensus")
    return table.assign(experiment="brain_grid", dataset=dataset, source=source, repetition="", metric="accuracy")


def test_own_claims_stand_beside_those_that_ship(mine):
    both = claims.read_claims([SHIPPED, mine])
    assert both["id"].tolist() == [*claims.read_claims(SHIPPED)["id"].tolist(), "MY-01", "MY-02", "MY-03", "MY-04"]
    assert claims.read_claims([mine]).equals(claims.read_claims(str(mine)))


def test_own_claims_are_judged(mine):
    found = claims.judge_claims(claims.read_claims([mine]), {"brain_grid": grid()}).set_index("id")
    assert found["verdict"].tolist() == ["reproduced", "reproduced", "reproduced", "reproduced"]
    assert found["test"].tolist() == ["value", "order", "trend", "equivalence"]
    assert found.loc["MY-01", "measured"].startswith("0.72 (standard deviation")
    worse = claims.judge_claims(claims.read_claims([mine]), {"brain_grid": grid(gap=-0.3)}).set_index("id")
    assert worse["verdict"].tolist() == ["reproduced", "not reproduced", "reproduced", "not reproduced"]
    simulated = grid(source="simulated", dataset="phantom")
    found = claims.judge_claims(claims.read_claims([mine]), {"brain_grid": simulated})
    assert set(found["verdict"]) == {"holds on the substitute"}
    assert set(claims.judge_claims(claims.read_claims([mine]), {})["verdict"]) == {"not testable"}


WRONG = {
    "an unknown experiment": (
        line("MY-09", "value", WITHIN, experiment="brain_gird"),
        "line 2, claim MY-09: expected an experiment of .*found 'brain_gird' .did you mean brain_grid",
    ),
    "an unknown kind": (
        line("MY-09", "valu", WITHIN),
        "claim MY-09: expected a kind of .*found 'valu' .did you mean value",
    ),
    "bad JSON": (
        line("MY-09", "value", "{'metric': 1}"),
        "claim MY-09: expected a test in valid JSON, found .*metric",
    ),
    "a list": (line("MY-09", "value", "[1]"), "claim MY-09: expected a test of the form"),
    "no metric": (
        line("MY-09", "value", {key: WITHIN[key] for key in ("paper", "margin")}),
        "claim MY-09: a test of the kind value needs metric, paper, margin; found no metric in",
    ),
    "an unknown parameter": (
        line("MY-09", "value", WITHIN | {"margn": 1}),
        "claim MY-09: a test of the kind value takes .*found 'margn' .did you mean margin",
    ),
    "text for a number": (
        line("MY-09", "value", WITHIN | {"margin": "0.05"}),
        'expected a number of at least 0 as margin, found "0.05"',
    ),
    "a margin below zero": (
        line("MY-09", "value", WITHIN | {"margin": -1}),
        "a number of at least 0 as margin, found -1",
    ),
    "a number without end": (
        line("MY-09", "value", WITHIN | {"paper": 10**400}),
        "finite numbers .*, found one of 401",
    ),
    "a number of 5000 digits": (line("MY-09", "value", '{"paper": ' + "9" * 5000 + "}"), "found one of 5000 digits"),
    "a number inside": (line("MY-09", "value", WITHIN | {"where": {"noise": [-(10**400)]}}), "one of 402 digits"),
    "1e400": (line("MY-09", "value", '{"paper": 1e400}'), "expected finite numbers in a test, found 1e400"),
    "a share below zero": (line("MY-09", "share", SHARE | {"at_least": -1}), "at most 1, found -1"),
    "a share above one": (line("MY-09", "share", SHARE | {"at_least": 2}), "at most 1, found 2"),
    "more than there are": (line("MY-09", "count", COUNT | {"at_least": 19}), "at most 18, found 19"),
    "of nothing": (line("MY-09", "count", COUNT | {"of": 0}), "of to be above 0"),
    "a name twice": (line("MY-09", "count", COUNT | {"by": ["noise", "noise"]}), "every name of by once"),
    "a unit twice": (line("MY-09", "compare", PAIRED | {"pair": ["slice", "slice"]}), "every name of pair once"),
    "a unit that is a condition": (line("MY-09", "count", COUNT | {"pair": ["noise"]}), "'noise' in both"),
    "the methods as conditions": (line("MY-09", "count", COUNT | {"by": ["method"]}), "found 'method' in both"),
    "a trend over its units": (line("MY-09", "trend", RISING | {"pair": ["noise"]}), "'noise' in both"),
    "a method against itself": (line("MY-09", "compare", PAIRED | {"against": ["consensus"]}), "'consensus' in both"),
    "a correlation above one": (line("MY-09", "trend", RISING | {"limit": 1.5}), "from -1 to 1 as limit, found 1.5"),
    "a factor below one": (
        line("MY-09", "dimensions", DIMENSIONS | {"factor": 0.5}),
        "at least 1 as factor, found 0.5",
    ),
    "half a dimension": (line("MY-09", "dimensions", DIMENSIONS | {"largest": 0.5}), "an integer .* as largest"),
    "a statement that there is not": (
        line("MY-09", "ranking", STABILITY | {"significant": 1}),
        "significant to be the number of a statement of above, .*found 1 and 1 statements",
    ),
    "a statement below zero": (line("MY-09", "ranking", STABILITY | {"significant": -1}), "from 0 to .*, found -1"),
    "true for a number": (line("MY-09", "value", WITHIN | {"paper": True}), "expected a number as paper, found true"),
    "text for a list": (line("MY-09", "compare", PAIRED | {"pair": "slice"}), 'a list of names as pair, found "slice"'),
    "an empty list": (line("MY-09", "compare", PAIRED | {"against": []}), r"a list of names as against, found \[\]"),
    "an unknown order": (
        line("MY-09", "compare", PAIRED | {"criterion": "over"}),
        'above or below or equivalent as criterion, found "over"',
    ),
    "across that is no list": (
        line("MY-09", "value", WITHIN | {"across": "a"}),
        'a list of names as across, found "a"',
    ),
    "no experiment": (
        line("MY-09", "value", WITHIN, experiment=""),
        "something in the column experiment, found nothing",
    ),
    "no id": (line("", "value", WITHIN), "line 2: expected something in the column id"),
    "spaces for tabs": (
        "MY-09 mine Fig.",
        "line 2, claim MY-09 mine Fig.: expected 10 cells with tabs between, found 1",
    ),
    "a count of nothing": (
        line("MY-09", "count", {"by": ["noise"], "pair": ["slice"], "at_least": 1, "of": 1}),
        "needs by, pair, at_least, of, method, against; found no method and no against",
    ),
    "unknown cells": (
        line("MY-09", "compare", PAIRED | {"cells": "study"}),
        "expected 'cells' of the kind compare to be one of .*; found 'study' .did you mean studies",
    ),
    "no cells where they have to be named": (
        line("MY-09", "ranking", {"across": ["a"]}),
        "expected 'cells' of the kind ranking to be one of stability, accuracy; found none",
    ),
    "equivalence without a margin": (
        line(
            "MY-09",
            "count",
            {"pairs": [["a", "b"]], "by": ["x"], "pair": ["y"], "criterion": "equivalent", "at_least": 1, "of": 1},
        ),
        "found no margin in",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_one_clear_error_names_file_claim_expected_and_found(tmp_path, wrong):
    row, message = WRONG[wrong]
    path = write(tmp_path / "mine.tsv", row)
    with pytest.raises(ConfigurationError, match=f"^claims: {re.escape(str(path))}: .*{message}") as error:
        check_claims({"claims": [str(SHIPPED), str(path)]})
    assert "\n" not in str(error.value)


def test_an_id_that_stands_twice_is_refused_within_and_between_files(tmp_path, mine):
    again = write(tmp_path / "again.tsv", line("OWN", "value", WITHIN), line("MY-02", "value", WITHIN))
    with pytest.raises(ValueError, match=r"again.tsv: line 3, claim MY-02: .*the id of line 3 of .*mine.tsv"):
        claims.read_claims([mine, again])
    with pytest.raises(
        ValueError, match=r"claim CE-01: expected an id that no other claim has, found the id of line 2 of"
    ):
        claims.read_claims([SHIPPED, SHIPPED])


def test_a_file_that_is_missing_empty_or_has_other_columns_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"none.tsv: expected a file of claims, found none"):
        claims.read_claims([tmp_path / "none.tsv"])
    empty = tmp_path / "empty.tsv"
    empty.write_text("")
    with pytest.raises(ValueError, match=r"empty.tsv: expected the columns id, paper.*found none"):
        claims.read_claims(empty)
    empty.write_text(SHIPPED.read_text().replace("margin", "limit", 1))
    with pytest.raises(ValueError, match=r"expected the columns id, .*found .*limit"):
        claims.read_claims(empty)


def test_files_of_other_systems_and_blank_lines_are_read(tmp_path):
    path = tmp_path / "windows.tsv"
    text = "\ufeff" + "\r\n".join(["\t".join(COLUMNS), line("MY-01", "value", WITHIN), "", ""])
    path.write_bytes(text.encode())
    assert claims.read_claims(path)["test"].tolist() == [WITHIN]


def test_a_condition_that_the_metrics_do_not_have_is_named(tmp_path):
    for test in (WITHIN | {"where": {"nose": 3}}, WITHIN | {"subset": {"nose": 3}}):
        listed = claims.read_claims(write(tmp_path / "mine.tsv", line("MY-09", "value", test)))
        with pytest.raises(ValueError, match=r"Claim MY-09 .*columns of the metrics of brain_grid.*found 'nose'"):
            claims.judge_claims(listed, {"brain_grid": grid()})
    listed = claims.read_claims(write(tmp_path / "mine.tsv", line("MY-09", "compare", PAIRED | {"pair": ["slyce"]})))
    with pytest.raises(ValueError, match=r"Claim MY-09 .*found 'slyce'"):
        claims.judge_claims(listed, {"brain_grid": grid()})


def test_the_claims_that_ship_fit_their_declarations():
    rows = read_rows(SHIPPED)
    assert len(rows) == 126
    used = {form_of(row["kind"], row["test"]) for row in rows}
    # A value over studies is for claims of one's own.
    assert set(DECLARED) - used == {"value/studies"}
    for row in rows:
        assert set(DECLARED[form_of(row["kind"], row["test"])].required) <= set(row["test"]), row["id"]


@pytest.fixture
def example(tmp_path):
    text = (ROOT / "config" / "README.md").read_text()
    path = tmp_path / "my_claims.tsv"
    path.write_text(re.search(r"## Add a claim of your own\n.*?```tsv\n(.*?)```", text, re.S)[1])
    check_claims({"claims": [str(SHIPPED), str(path)]})
    return claims.read_claims(path).set_index("id", drop=False)


def tidy(rows, columns, **same):
    return pd.DataFrame(rows, columns=[*columns, "value"]).assign(source="original", **same)


def test_the_worked_example_of_the_readme_is_read_and_judged(example):
    assert example["kind"].tolist() == ["value", "compare", "trend", "compare"]
    spectra = [
        (method, study, m, metric, 0.80 + lead + 0.01 * (study % 3))
        for method, lead in (("c_lle", 0.02), ("lle", 0.0))
        for study in range(6)
        for m in (3, 4)
        for metric in ("sensitivity", "specificity")
    ]
    spectra = tidy(spectra, ["method", "study", "n_components", "metric"], truth="box", naming="rule", kappa="")
    strength = [(r, k, 0.6 + 0.05 * k) for r in range(5) for k in (1, 4, 6)]
    strength = tidy(strength, ["repetition", "n_embeddings"], metric="strength", method="median", error="independent")
    units = [(method, n, s, 0.7 + 0.01 * s) for method in ("median", "mean") for n in (1, 3) for s in range(5)]
    units = tidy(units, ["method", "noise", "slice"], metric="accuracy", theta=0.15, inhomogeneity=20, draw=0)
    metrics = {
        "spectra_dimensions": spectra.assign(dataset="private"),
        "theory_strength": strength.assign(dataset="simulated_objects", level=0.8, space="consensus"),
        "ml_estimators": units.assign(dataset="brainweb"),
    }
    found = claims.judge_claims(example, metrics)
    assert found["verdict"].tolist() == ["reproduced"] * 4
    spectra.loc[spectra["method"] == "c_lle", "value"] -= 0.2
    metrics["spectra_dimensions"] = spectra.assign(dataset="prostate_mrsi")
    worse = claims.judge_claims(example, metrics)["verdict"].tolist()
    assert worse == ["does not hold on the substitute"] * 2 + ["reproduced"] * 2


def test_the_page_of_rules_lists_every_kind_its_cells_and_their_parameters():
    text = (ROOT / "docs" / "rules.md").read_text()
    assert re.findall(r"^## `(\w+)`", text, re.M) == kinds()
    for name, declared in DECLARED.items():
        kind, _, cells = name.partition("/")
        section = re.search(rf"^## `{kind}`\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
        (row,) = re.findall(rf"^\| {f'`{cells}`' if cells else '-'} \|.*$", section, re.M)
        assert declared.test in re.split("[;,] ", row.split(" | ")[1].replace(" for beyond", "")), name
        missing = [key for key in (*declared.required, *declared.optional) if f"`{key}`" not in row]
        # These mean the same everywhere, and stand above the kinds.
        assert set(missing) <= {"metric", "where", "criterion", "margin", "by", "pair", "across"}, (name, missing)


def test_a_file_that_is_no_utf8_is_named(tmp_path):
    (tmp_path / "mine.tsv").write_bytes("id\tpäper\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"mine\.tsv: expected text in UTF-8, found other bytes"):
        read_rows(tmp_path / "mine.tsv")


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("[" * 100_000, "line 2, claim MY-01: expected a test"),
        ('{"metric": "a", "metric": "b"}', "expected every key of a test once, found 'metric' twice"),
        ('{"metric": "a", "paper": 1, "margin": Infinity}', "expected finite numbers in a test, found Infinity"),
        ('{"metric": "a", "paper": NaN, "margin": 1}', "expected finite numbers in a test, found NaN"),
        ('{"metric": "a", "paper": 1, "margin": 1e999}', "expected finite numbers in a test, found 1e999"),
    ],
    ids=["deep", "repeated", "infinity", "nan", "overflow"],
)
def test_json_that_is_no_test_is_refused(tmp_path, test, message):
    path = write(tmp_path / "mine.tsv", line("MY-01", "value", test))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_rows(path)

"""Files of claims: several of them, a user's own, and one clear error for whatever is wrong with them."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from presented import smallest
from replication.catalogue.claim_files import KINDS, asks_and_family, claim_files, read_rows
from replication.catalogue.configuration import check_claims
from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.papers import PAPERS
from replication.claims import judging
from replication.platform.configuration import ConfigurationError
from replication.shared.kinds import ClaimTest

ROOT = Path(__file__).parents[2]
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
OF_PAIRS = {"by": ["noise"], "pair": ["slice"], "at_least": 1, "of": 1}
COMPARABLE = {"pairs": [["a", "b"]], "by": ["noise"], "pair": ["slice"]}
SHARE = {"metric": "holds", "where": [{}], "at_least": 0.9}
RISING = {"metric": "accuracy", "on": "noise"}


def entry(name, kind, test, experiment="brain_grid", **fields):
    claim = {"id": name, "experiment": experiment, "dataset": "brainweb", "statement": "words", "rule": "words"}
    return claim | {"test": {"kind": kind, **test} if isinstance(test, dict) else test} | fields


def write(path, *entries):
    path.write_text(yaml.safe_dump(list(entries), sort_keys=False))
    return path


@pytest.fixture
def mine(tmp_path):
    return write(
        tmp_path / "mine.yaml",
        entry("MY-01", "value", WITHIN),
        entry("MY-02", "compare", PAIRED),
        entry("MY-03", "trend", RANK_TREND),
        entry("MY-04", "compare", EQUIVALENCE),
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


def test_own_claims_come_with_those_of_the_papers_or_in_their_place(mine):
    both = judging.read_claims(["papers", mine])
    assert both["id"].tolist() == [*judging.read_claims()["id"].tolist(), "MY-01", "MY-02", "MY-03", "MY-04"]
    own = judging.read_claims([mine])
    assert own.equals(judging.read_claims(str(mine)))
    assert set(both["paper"]) == {*PAPERS, "own claims"}
    write(mine, entry("MY-01", "value", WITHIN, paper="tiwari2008"))
    assert judging.read_claims(mine)["paper"].tolist() == ["tiwari2008"]


def test_own_claims_are_judged(mine):
    found = judging.judge_claims(judging.read_claims([mine]), {"brain_grid": grid()}).set_index("id")
    assert found["verdict"].tolist() == ["reproduced", "reproduced", "reproduced", "reproduced"]
    assert found["test"].tolist() == ["value", "order", "trend", "equivalence"]
    assert found.loc["MY-01", "measured"].startswith("0.72 (standard deviation")
    worse = judging.judge_claims(judging.read_claims([mine]), {"brain_grid": grid(gap=-0.3)}).set_index("id")
    assert worse["verdict"].tolist() == ["reproduced", "not reproduced", "reproduced", "not reproduced"]
    simulated = grid(source="simulated", dataset="phantom")
    found = judging.judge_claims(judging.read_claims([mine]), {"brain_grid": simulated})
    assert set(found["verdict"]) == {"holds on the substitute"}
    assert set(judging.judge_claims(judging.read_claims([mine]), {})["verdict"]) == {"not testable"}


DRAWS = PAIRED | {"test": "draws", "by": ["noise"], "at_least": 0.9}
EQUIVALENT = PAIRED | {"criterion": "equivalent"}
REDRAWS = {"metrics": ["distance"], "sizes": [1, 10, 20], "falls": "no further"}
PICTURES = REDRAWS | {"space": "picture"} | smallest(effect=1)
METHODS = {"metrics": [{"metric": "height", "methods": list("abcd")}, {"metric": "score", "methods": list("vwxyz")}]}
STUDIES = {"method": "a", "against": ["b"], "cases": [{"metrics": ["sensitivity"]}]}
SLOPE = {"method": "a", "against": "b", "on": ["noise"], "pair": ["slice"]}
NEEDED = {"method": "ose_ssl", "cases": [{"needed": "si", "against": "ssge"}]}
CHOICE = {"choice": "CH-01", "level": "a", "with": {"margin": 1}}
ONE_OF_TWO = "test.smallest: .*effect or relative, found both or neither"
# Kind, test, and what the message names.
WRONG = {
    "an unknown kind": ("valu", WITHIN, "test.kind: .*'valu' .did you mean value"),
    "no kind": ("", ["compare"], "test: expected .*, found "),
    "a kind of another kind": ("compare", {"kind": 3}, "test.kind: "),
    "no metric": ("value", {"paper": 1, "margin": 0.05}, "test: expected metric, found none in"),
    "a limit of another form": ("value/shares", {"method": "a", "limits": {"si": {"paper": 0.5}}}, "test.limits.si"),
    "an unknown parameter": ("value", WITHIN | {"margn": 1}, "test.margn: .*'margn' .did you mean margin"),
    "text for a number": ("value", WITHIN | {"margin": "0.05"}, 'test.margin: expected a valid number, found "0.05"'),
    "a margin below zero": ("value", WITHIN | {"margin": -1}, "test.margin: .*0, found -1"),
    "a large number inside": ("value", WITHIN | {"where": {"noise": [-1e301]}}, "expected finite numbers"),
    "more than there are": ("count", COUNT | {"at_least": 19}, "at most 18, found 19"),
    "of nothing": ("count", COUNT | {"of": 0}, "of to be above 0"),
    "a name twice": ("count", COUNT | {"by": ["noise", "noise"]}, "test.by: .*'noise' twice"),
    "a unit that is a condition": ("count", COUNT | {"pair": ["noise"]}, "'noise' in both"),
    "the methods as conditions": ("count", COUNT | {"by": ["method"]}, "found 'method' in both"),
    "a trend over its units": ("trend", RISING | {"pair": ["noise"]}, "'noise' in both"),
    "a method against itself": ("compare", PAIRED | {"against": ["consensus"]}, "'consensus' in both"),
    "a number for methods": ("compare", PAIRED | {"method": 3}, "test.method: .*string or a valid list, found 3"),
    "an empty list": ("compare", PAIRED | {"against": []}, r"test.against: .*at least 1 item.*found \[\]"),
    "an unknown order": ("compare", PAIRED | {"criterion": "over"}, "test.criterion: .*'equivalent', found \"over\""),
    "a count of nothing": ("count", OF_PAIRS, "method and against"),
    "equivalence without a margin": ("compare", EQUIVALENT, "expected margin"),
    "a margin of a lead": ("compare", PAIRED | {"margin": 0.05, "criterion": "above"}, "expected no margin: "),
    "draws below": ("compare", DRAWS | {"criterion": "below"}, "expected test draws to compare one method"),
    "an effect of draws": ("compare", DRAWS | smallest(effect=0.1), "expected no smallest: "),
    "a share of units": ("compare", PAIRED | {"at_least": 0.9}, "expected no at_least: "),
    "equivalence by signs": ("compare", EQUIVALENT | {"margin": 0.1, "test": "sign"}, "expected no test: "),
    "equivalence to the last digit": ("compare", EQUIVALENT | {"margin": 0}, "expected margin to be above 0"),
    "a margin of a count": ("count", COUNT | {"margin": 0.1}, "expected no margin: "),
    "pairs and a method": ("count", COUNT | {"pairs": [["a", "b"]]}, "expected no method and no against: "),
    "a range that falls": ("value/range", {"ranges": {"accuracy": [1, 0]}}, r"smaller limit first, found \[1.0, 0.0\]"),
    "no further than nothing": ("trend/redraws", REDRAWS, "expected smallest"),
    "pictures, of which there are no redraws": ("trend/redraws", PICTURES, "expected no space: "),
    "pictures that fall at all": ("trend/redraws", PICTURES | {"falls": "at all"}, "expected no space: "),
    "a smallest effect without a reason": (
        "compare",
        PAIRED | {"smallest": {"effect": 0.02}},
        "test.smallest: expected because, found none",
    ),
    "two smallest effects": (
        "compare",
        PAIRED | {"smallest": {"effect": 0.02, "relative": 0.1, "because": "words"}},
        ONE_OF_TWO,
    ),
    "no smallest effect": ("compare", PAIRED | {"smallest": {"because": "words"}}, ONE_OF_TWO),
    "a change without a test or a size": ("trend/shares", NEEDED, "test: expected smallest with the other parameters"),
    "a change of an unknown key": (
        "trend/shares",
        NEEDED | {"cases": [{"metrc": "si", "on": "training"}]},
        "did you mean metric",
    ),
    "a change of half a pair": ("trend/shares", NEEDED | {"cases": [{"metric": "si"}]}, "test.cases.0: .*found metric"),
    "methods without another": ("trend/methods", METHODS, "expected as many methods of either metric, found 4 and 5"),
    "a wrong choice": (
        "value",
        WITHIN | {"choices": [CHOICE | {"with": {"margn": 1}}]},
        "test.choices.0.with: test.margn: .*did you mean margin",
    ),
    "a choice by no experiment": (
        "value",
        WITHIN | {"choices": [CHOICE | {"experiment": "toy_rbg"}]},
        "test.choices.0.experiment: .*did you mean toy_rgb",
    ),
    "a metric as a condition": ("value", WITHIN | {"where": {"metric": "error"}}, "test.where: .*found 'metric'"),
    "a value as a condition": ("share", SHARE | {"where": [{"value": 1}]}, "test.where.0: .*found 'value'"),
    "a method as a condition": (
        "trend/differences",
        SLOPE | {"where": {"method": "a"}},
        "test.where: .*found 'method'",
    ),
    "a method as a condition of several": (
        "trend/methods",
        {"metrics": [METHODS["metrics"][0] | {"where": {"method": "a"}}] * 2},
        "test.metrics.0.where: .*found 'method'",
    ),
    "a method of studies as a condition": (
        "compare/studies",
        STUDIES | {"where_of": {"b": {"method": "c"}}},
        "test.where_of.b: .*found 'method'",
    ),
    "a method as a condition of a case": (
        "compare/studies",
        {"method": "a", "against": ["b"], "cases": [{"metrics": ["sensitivity"], "where": {"method": "c"}}]},
        "test.cases.0.where: .*found 'method'",
    ),
    "no other method": ("compare/studies", STUDIES | {"against": []}, "test.against: .*at least 1"),
    "no cases": ("compare/studies", STUDIES | {"cases": []}, "test.cases: .*at least 1"),
    "a case without metrics": (
        "compare/studies",
        STUDIES | {"cases": [{"metrics": []}]},
        "test.cases.0.metrics: .*at least 1",
    ),
    "a misspelt key of a case": (
        "compare/studies",
        {"method": "a", "against": ["b"], "cases": [{"metric": "sensitivity"}]},
        "test.cases.0.metric: expected one of metrics, name, where; found 'metric' .did you mean metrics",
    ),
    "an unknown key of a choice": (
        "value",
        WITHIN | {"choices": [{"choice": "CH-01", "level": "a", "wth": {"margin": 1}}]},
        "test.choices.0.wth: expected one of choice, level, experiment, ruled_out, with; found 'wth'",
    ),
    "no value of a condition": ("value", WITHIN | {"subset": {"noise": []}}, r"test.subset: .*of noise, found \[\]"),
    "a pair of one": ("count", OF_PAIRS | {"pairs": [["a"]]}, "test.pairs.0: .*at least 2 items"),
    "a pair of the same": ("count", OF_PAIRS | {"pairs": [["a", "a"]]}, "test.pairs.0: .*'a' twice"),
    "a pair without a list": ("count", OF_PAIRS | {"pairs": ["ab", "cd"]}, "test.pairs.0: expected a valid list"),
    "comparable to itself": ("comparable", COMPARABLE | {"pairs": [["a", "a"]]}, "test.pairs.0: .*'a' twice"),
    "reported without a list": (
        "comparable",
        COMPARABLE | {"reported": ["a", "b"]},
        "test.reported.0: expected a valid",
    ),
    "a share of no baseline": (
        "comparable",
        COMPARABLE | smallest(relative=0.1),
        "expected smallest to be one number, found relative",
    ),
    "an effect of one metric for a comparison": (
        "compare",
        PAIRED | smallest(effect={"accuracy": 0.1}),
        "expected smallest to be one number or relative, found one for each metric or condition",
    ),
    "wrong new data": ("value", WITHIN | {"new_data": {"paper": "1"}}, "test.new_data: test.paper: "),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_one_clear_error_names_file_claim_field_expected_and_found(tmp_path, wrong):
    kind, test, message = WRONG[wrong]
    path = write(tmp_path / "mine.yaml", entry("MY-09", kind, test))
    with pytest.raises(ConfigurationError, match=f"^claims: {re.escape(str(path))}: claim MY-09: .*{message}") as error:
        check_claims({"claims": [str(path)]})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"experiment": "brain_gird"}, "experiment: .*'brain_gird' .did you mean brain_grid"),
        ({"experiment": ""}, "experiment: .*at least 1 character"),
        ({"plase": "Fig. 1"}, "plase: .*'plase' .did you mean place"),
    ],
)
def test_a_wrong_field_of_a_claim_is_named(tmp_path, fields, message):
    path = write(tmp_path / "mine.yaml", entry("MY-09", "value", WITHIN, **fields))
    with pytest.raises(ValueError, match=f"mine.yaml: claim MY-09: {message}"):
        read_rows(path, EXPERIMENTS)


def test_an_id_that_occurs_twice_is_refused_within_and_between_files(tmp_path, mine):
    again = write(tmp_path / "again.yaml", entry("OWN", "value", WITHIN), entry("MY-02", "value", WITHIN))
    with pytest.raises(ValueError, match=r"again.yaml: claim MY-02: .*mine.yaml"):
        judging.read_claims([mine, again])
    with pytest.raises(ValueError, match=r"claim CE-01: expected an id that no other claim has"):
        judging.read_claims(["papers", "papers"])


def test_a_claim_is_a_reading_of_one_that_is_there_and_none_itself(tmp_path):
    def claims(*of):
        entries = [entry(f"MY-0{k}", "value", WITHIN, **fields) for k, fields in enumerate(of)]
        return read_rows(write(tmp_path / "mine.yaml", *entries))

    # In any order.
    rows = claims({"reading_of": "MY-01"}, {}, {"reading_of": "MY-01"})
    assert [row["reading_of"] for row in rows] == ["MY-01", "", "MY-01"]
    assert read_rows(["papers", write(tmp_path / "own.yaml", entry("MY-09", "value", WITHIN, reading_of="CE-02"))])
    # None, itself, and a reading of a third.
    for wrong in (
        [{"reading_of": "MY-07"}],
        [{"reading_of": "MY-00"}],
        [{}, *({"reading_of": f"MY-0{k}"} for k in (0, 1))],
    ):
        named = f"mine.yaml: claim MY-0{len(wrong) - 1}: reading_of: expected the id of a claim that is no reading"
        with pytest.raises(ValueError, match=f"{named} of another, found '{wrong[-1]['reading_of']}'"):
            claims(*wrong)


def test_readings_of_a_claim_are_judged_each_and_the_ledger_says_of_what(tmp_path):
    path = write(tmp_path / "mine.yaml", entry("A", "compare", PAIRED), entry("B", "compare", PAIRED, reading_of="A"))
    found = judging.judge_claims(judging.read_claims(path), {"brain_grid": grid()})
    assert found["reading_of"].tolist() == ["", "A"]
    assert list(found.columns[:2]) == ["id", "reading_of"]
    assert found["verdict"].tolist() == ["reproduced"] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a list of claims"),
        ("id: MY-01", "expected a list of claims"),
        ("- words", "claim number 1: "),
        ("- {experiment: toy_rgb}", "claim number 1: claim: expected id and dataset"),
    ],
)
def test_a_file_that_is_no_list_of_claims_is_refused(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"mine.yaml: {message}|mine.yaml: .*{message}"):
        read_rows(path)


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"none.yaml: cannot be read"):
        read_rows(tmp_path / "none.yaml")


def test_a_table_of_claims_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"mine.tsv: claims are entries of a YAML file, .* config/README.md"):
        check_claims({"claims": [str(tmp_path / "mine.tsv")]})


def test_files_of_other_systems_are_read_and_words_stay_words(tmp_path):
    path = tmp_path / "windows.yaml"
    test = "{kind: trend, metric: accuracy, on: noise, where: {state: off}}"
    lines = [
        "- id: MY-01",
        "  experiment: brain_grid",
        "  dataset: any",
        "  statement: It rises",
        f"  test: {test}",
        "",
    ]
    path.write_bytes(("\ufeff" + "\r\n".join(lines)).encode())
    assert judging.read_claims(path)["test"].tolist() == [
        {"metric": "accuracy", "on": "noise", "where": {"state": "off"}}
    ]


def test_a_condition_that_the_metrics_do_not_have_is_named(tmp_path):
    for test in (WITHIN | {"where": {"nose": 3}}, WITHIN | {"subset": {"nose": 3}}):
        listed = judging.read_claims(write(tmp_path / "mine.yaml", entry("MY-09", "value", test)))
        with pytest.raises(ValueError, match=r"Claim MY-09 .*columns of the metrics of brain_grid.*found 'nose'"):
            judging.judge_claims(listed, {"brain_grid": grid()})
    listed = judging.read_claims(write(tmp_path / "mine.yaml", entry("MY-09", "compare", PAIRED | {"pair": ["slyce"]})))
    with pytest.raises(ValueError, match=r"Claim MY-09 .*found 'slyce'"):
        judging.judge_claims(listed, {"brain_grid": grid()})


def test_a_claim_that_cannot_be_judged_is_named(tmp_path):
    test = WITHIN | {"where": {"table": 3}}
    listed = judging.read_claims(write(tmp_path / "mine.yaml", entry("MY-09", "value", test)))
    with pytest.raises(ValueError, match="Claim MY-09 cannot be judged: "):
        judging.judge_claims(listed, {"brain_grid": grid().assign(study=1)})


def test_the_claims_of_the_papers_are_read_in_the_order_of_the_papers():
    rows = read_rows()
    assert list(dict.fromkeys(row["id"][:2] for row in rows)) == ["CE", "MC", "CL", "OS", "FI"]
    assert all((ROOT / path).is_file() for path in claim_files(["papers"]))
    assert set(KINDS) == {row["kind"] for row in rows}


@pytest.fixture
def example(tmp_path):
    text = (ROOT / "config" / "README.md").read_text()
    path = tmp_path / "my_claims.yaml"
    path.write_text(re.search(r"## Add a claim of your own\n.*?```yaml\n(.*?)```", text, re.S)[1])
    check_claims({"claims": ["papers", str(path)]})
    return judging.read_claims(path).set_index("id", drop=False)


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
    found = judging.judge_claims(example, metrics)
    assert found["verdict"].tolist() == ["reproduced"] * 4
    spectra.loc[spectra["method"] == "c_lle", "value"] -= 0.2
    metrics["spectra_dimensions"] = spectra.assign(dataset="prostate_mrsi")
    worse = judging.judge_claims(example, metrics)["verdict"].tolist()
    assert worse == ["does not hold on the substitute"] * 2 + ["reproduced"] * 2


def test_the_page_of_rules_lists_every_kind_and_its_parameters():
    text = (ROOT / "docs" / "rules.md").read_text()
    assert set(re.findall(r"^## `(\w+)`", text, re.M)) == {name.split("/")[0] for name in KINDS}
    for name, model in KINDS.items():
        (row,) = re.findall(rf"^\| `{name}` \| (?=\w+[;,]? ?.* \| ).*$", text, re.M)
        asked = {one.removesuffix(" for beyond") for one in row.split(" | ")[1].split("; ")}
        found = [asks_and_family(name, {"criterion": criterion}) for criterion in (None, *model.by_criterion)]
        assert asked == {asks if family == "none" else f"{asks}, over {family}" for asks, family in found}, name
        missing = [key for key in set(model.model_fields) - set(ClaimTest.model_fields) if f"`{key}`" not in row]
        # These mean the same everywhere, and stand above the kinds.
        shared = {"metric", "where", "criterion", "margin", "by", "pair", "across", "smallest"}
        assert set(missing) <= shared, (name, missing)

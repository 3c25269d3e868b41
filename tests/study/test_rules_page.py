"""The worked examples of the page of rules, judged by the code."""

import re
from pathlib import Path

import pandas as pd
import pytest
from replication.catalogue.claim_files import KINDS
from replication.claims.judging import JUDGES
from replication.platform.configuration import load_yaml
from replication.shared.substitutes import rank_settings, reached_targets

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
SECTIONS = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
METHODS = ("method", "against", "first", "second", "pairs")


def names_in(value):
    return {value} if isinstance(value, str) else {name for one in value for name in names_in(one)}


def number(text):
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def metrics(lines, test):
    """Tidy metrics from a table whose bold columns hold the values of a method, or of a metric."""
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    methods = set().union(*(names_in(test[key]) for key in METHODS if key in test))
    found = []
    for row in rows:
        given = {name: number(cell) for name, cell in zip(head, row, strict=True)}
        fixed = {name: value for name, value in given.items() if not name.startswith("**")}
        for name, value in given.items():
            column = name.strip("*")
            if column != name:
                what = {"method" if column in methods else "metric": column} if column != "value" else {}
                found.append({"metric": "accuracy", "method": "ours", "dataset": "made_up", "source": "simulated"})
                found[-1] |= {"repetition": "0"} | fixed | what | {"value": float(value)}
    return pd.DataFrame(found)


@pytest.mark.parametrize("kind", list(SECTIONS))
def test_the_worked_example_of_a_kind_is_what_the_code_says(kind, tmp_path):
    test, rest = re.search(r"```yaml\n(.*?)```\n(.*)", SECTIONS[kind], re.S).groups()
    (tmp_path / "test.yaml").write_text(test)
    test = load_yaml(tmp_path / "test.yaml", plain=True)
    model = KINDS[test["kind"]].model_validate(test)
    test = model.model_dump(exclude_unset=True, exclude={"kind"})
    found = JUDGES[model.kind](metrics(re.findall(r"^\|.*\|$", rest, re.M), test), test)
    assert found.measured == re.search(r"^Ledger: `(.*)`$", rest, re.M)[1]
    parts, verdict = re.search(r"^Parts: (.*)\. Verdict: (.*)\.$", rest, re.M).groups()
    said = {part: getattr(found, part) for part in ("direction", "significance", "magnitude")}
    assert ", ".join(f"{part} {word}" for part, word in said.items() if word) == parts
    assert found.verdict == verdict


def test_the_worked_example_of_a_substitute_is_what_the_code_says():
    section = PAGE.split("## Substitutes", 1)[1].split("\n## ", 1)[0]
    lines = [line.strip("|").split("|") for line in re.findall(r"^\|.*\|$", section, re.M)]
    head, _, *body = [[cell.strip() for cell in line] for line in lines]
    rows = [dict(zip(head, map(float, line), strict=True)) for line in body]
    printed = re.search(r"with (\d+) and (\d+) printed", section).groups()
    printed = dict(zip(("LLE", "PCA"), map(float, printed), strict=True))
    picks = rank_settings([{"noise": row["noise"]} for row in rows], rows, printed)
    assert picks["distance"].round(2).tolist() == [row["distance"] for row in rows]
    assert f"noise {picks.loc[picks['picked'], 'noise'].item():.0f} misses" in section
    margin = float(re.search(r"margin of (\d+)", section)[1])
    assert (reached_targets(picks, printed, margin)["within the margin"] == "yes").all()

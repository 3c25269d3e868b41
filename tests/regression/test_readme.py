"""The README shows the committed results of the paper-scale study, and its commands and links exist."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from consensus_embedding.readers.planted_expression import planted_expression
from replication.ledger.claims import read_claims
from replication.shared.tidy import read_table
from update_readme import REFERENCE, generated_parts, replace_parts

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_generated_parts_are_those_of_the_reference():
    assert replace_parts(README, generated_parts()) == README


def test_every_claim_of_the_config_has_a_verdict_in_the_reference():
    ledger = read_table(REFERENCE / "claims.tsv")
    assert ledger["id"].tolist() == read_claims(ROOT / "config" / "claims.tsv")["id"].tolist()
    assert (ledger["verdict"] != "").all()


@pytest.mark.parametrize(
    ("experiment", "section", "file"),
    [
        ("brain_calibration", "image_embedding", "calibration.tsv"),
        ("gene_calibration", "gene_embedding", "gene_calibration.tsv"),
    ],
)
def test_the_configuration_holds_what_the_calibration_picked(experiment, section, file):
    """The defaults are those of the rule, on calibration slices or training splits; see the experiment's module."""
    picks = read_table(REFERENCE / file)
    picked = picks[picks["picked"] == "True"].set_index("choice")["option"]
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    assert {key: str(config[section][key]) for key in picked.index} == picked.to_dict()
    assert {key: [str(option) for option in listed] for key, listed in config[experiment]["options"].items()} == {
        choice: group["option"].tolist() for choice, group in picks.groupby("choice", sort=False)
    }


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert len(links) >= 5
    headings = {
        path: {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)}
        for path, text in (("", README), ("config/README.md", (ROOT / "config/README.md").read_text()))
    }
    for link in links:
        path, _, heading = link.partition("#")
        assert (ROOT / path).exists(), link
        assert not heading or heading in headings[path], link


def test_make_targets_that_the_readme_names_exist():
    makefile = (ROOT / "Makefile").read_text()
    named = {target for target in re.findall(r"^make(?: ([a-z]+))? ", README, flags=re.MULTILINE) if target}
    assert {"paper", "test"} <= named
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in named)


def test_the_library_example_runs():
    block = re.search(r"```python\n(from sklearn.*?)```", README, flags=re.DOTALL)[1]
    small = block.replace("load_digits().data", "load_digits().data[:150]").replace("n_embeddings=20", "n_embeddings=2")
    namespace: dict = {}
    exec(small, namespace)
    assert namespace["picture"].shape == (150, 2)


def test_the_example_on_a_table_runs(tmp_path, monkeypatch):
    block = re.search(r"```python\n(from consensus_embedding import \(\n    calc_cons.*?)```", README, flags=re.DOTALL)[
        1
    ]
    planted = planted_expression(
        n_genes=400, n_informative=60, effect=2.0, training=[12, 12], test=[10, 8], seed=0
    )  # fmt: skip
    rows = []
    for name, part in (("train", planted.training), ("test", planted.test)):
        rows.append(pd.DataFrame(part.values, columns=part.genes).assign(**{"class": part.classes, "split": name}))
    pd.concat(rows).to_csv(tmp_path / "expression.csv", index=False)
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    exec(block.replace("300", "60").replace("500", "20"), namespace)
    assert namespace["cluster_scores"](namespace["clusters"], planted.test.classes == "B").accuracy > 0.9

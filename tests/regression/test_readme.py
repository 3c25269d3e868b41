"""README.md and docs show the committed results of the paper-scale study; their commands and links exist."""

import re

import pytest
from pages import PAGES, ROOT, anchors, code_blocks, links
from replication.ledger.claims import read_claims
from replication.ledger.experiments import EXPERIMENTS
from replication.platform.configuration import read_configuration
from replication.shared.tidy import read_table
from update_readme import REFERENCE, generated_parts, replace_parts

COMMANDS = {path: "".join(code_blocks(text)).splitlines() for path, text in PAGES.items()}
STATEMENTS = [(path, line) for path, lines in COMMANDS.items() for line in lines]
GENERATED = generated_parts()


def test_the_readme_is_short_enough_for_a_newcomer():
    assert len(PAGES["README.md"].splitlines()) <= 250


@pytest.mark.parametrize("path", PAGES)
def test_the_generated_parts_are_those_of_the_reference(path):
    assert replace_parts(PAGES[path], GENERATED.get(path, {})) == PAGES[path]


def test_every_paper_has_a_page_of_results():
    papers = set(read_table(REFERENCE / "claims.tsv")["paper"])
    assert papers == {path.stem for path in (ROOT / "docs" / "results").glob("*.md")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<!-- a: written by x -->\n<!-- end -->\n", "'a'"),
        ("<!-- b: written by x -->\n<!-- end -->\n" * 2, "'b', 'b'"),
        ("", ""),
    ],
)
def test_a_page_with_other_generated_parts_is_an_error(text, found):
    with pytest.raises(ValueError, match=re.escape(f"['b'], found [{found}]")):
        replace_parts(text, {"b": "new"})


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
    config = read_configuration()
    assert {key: str(config[section][key]) for key in picked.index} == picked.to_dict()
    assert {key: [str(option) for option in listed] for key, listed in config[experiment]["options"].items()} == {
        choice: group["option"].tolist() for choice, group in picks.groupby("choice", sort=False)
    }


def test_there_are_links_in_the_readme():
    assert len(links(PAGES["README.md"])) >= 5


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_somewhere(path):
    for link in links(PAGES[path]):
        target, _, anchor = link.partition("#")
        to = (ROOT / path).parent / target if target else ROOT / path
        assert to.resolve().is_relative_to(ROOT), link
        assert to.exists(), link
        assert not anchor or anchor in anchors(to.read_text()), link


def test_every_page_and_every_picture_is_linked():
    reached = {
        ((ROOT / path).parent / link.partition("#")[0]).resolve() for path in PAGES for link in links(PAGES[path])
    }
    shown = [ROOT / path for path in PAGES if path != "README.md"] + list((ROOT / "resources" / "readme").iterdir())
    assert [path for path in shown if path not in reached] == []


def test_make_targets_that_the_pages_name_exist():
    makefile = (ROOT / "Makefile").read_text()
    named = {match[1] for _, line in STATEMENTS if (match := re.match(r"make ([a-z-]+)", line))}
    assert {"paper", "test"} <= named
    assert {target for target in named if not re.search(rf"^{target}:", makefile, flags=re.MULTILINE)} == set()


def test_what_the_pages_give_to_snakemake_exists():
    """Rules, configuration files and profiles; options end with the first rule, as in `--cores 2 brain_grid`."""
    sources = [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").rglob("*.smk")]
    rules = {name for path in sources for name in re.findall(r"^rule (\w+):", path.read_text(), flags=re.MULTILINE)}
    rules |= set(EXPERIMENTS)
    named = set()
    for path, line in STATEMENTS:
        if not line.startswith("snakemake "):
            continue
        words = line.partition(" #")[0].split()[1:]
        assert [word for word in words if "/" in word and not (ROOT / word).exists()] == [], (path, line)
        named |= {word for word in words if re.fullmatch(r"[a-z]+(_[a-z]+)*", word)}
    assert {"plan", "mce_convergence"} <= named
    assert named - rules == set()

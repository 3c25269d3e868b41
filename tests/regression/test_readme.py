"""README.md and docs show the committed results of the paper-scale study; their links lead somewhere."""

import re

import pandas as pd
import pytest
from pages import PAGES, ROOT, anchors, links
from replication.catalogue.configuration import read_configuration
from replication.claims.judging import read_claims
from replication.shared.tidy import read_table
from repository_pages import SECTIONS
from update_readme import COPIED, REFERENCE, generated_parts, replace_parts

GENERATED = generated_parts()
# Table of the study -> its committed copy.
COMMITTED = {original: copy for copy, original in COPIED.items()}


@pytest.mark.parametrize("path", PAGES)
def test_the_generated_parts_are_those_of_the_reference(path):
    assert replace_parts(PAGES[path], GENERATED.get(path, {})) == PAGES[path]


def test_every_paper_has_a_page_of_results():
    papers = set(read_table(REFERENCE / "claims.tsv")["paper"])
    assert papers == {path.stem for path in (ROOT / "docs" / "results").glob("*.md")} - {"index"}


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
    assert ledger["id"].tolist() == read_claims()["id"].tolist()
    assert (ledger["verdict"] != "").all()


def picks_of(experiment):
    """The committed picks of a calibration, as text."""
    return pd.read_csv(REFERENCE / COMMITTED[f"{experiment}/tables/picks.tsv"], sep="\t", dtype=str)


def shown(option):
    """An option as the table of picks has it."""
    return str(tuple(option) if isinstance(option, list) else option)


def settings_of(config):
    """Calibration -> data set of its picks, "" if they are for all -> the settings in the configuration."""
    retrieval = config["gland_retrieval"]
    return {
        "brain_calibration": {"": config["image_embedding"]},
        "gene_calibration": {"": config["gene_embedding"]},
        "spectra_calibration": {"": config["spectra_embedding"]},
        "fine_calibration": {"all": config["feature_embedding"]},
        "retrieval_calibration": {
            "swiss_roll": config["swiss_roll"],
            "glands": retrieval["glands"] | {"size": retrieval["size"]},
            "digits": retrieval["digits"],
        },
    }


@pytest.mark.parametrize("experiment", settings_of(read_configuration()))
def test_the_configuration_holds_what_the_calibration_picked(experiment):
    """The defaults are those of the rule, on calibration data; see the experiment's module."""
    config = read_configuration()
    picks = picks_of(experiment)
    parts = picks.groupby("dataset") if "dataset" in picks else [("", picks)]
    settings, options = settings_of(config)[experiment], config[experiment]["options"]
    found = {name: part[part["picked"] == "True"].set_index("choice")["option"].to_dict() for name, part in parts}
    assert found.keys() == settings.keys()
    for name, picked in found.items():
        listed = options.get(name, options)
        assert picked == {choice: shown(settings[name][choice]) for choice in listed}


@pytest.mark.parametrize("experiment", settings_of(read_configuration()))
def test_the_committed_picks_are_of_the_options_of_the_configuration(experiment):
    picks = picks_of(experiment)
    options = read_configuration()[experiment]["options"]
    for name, part in picks.groupby("dataset") if "dataset" in picks else [("", picks)]:
        listed = options.get(name, options)
        assert {choice: list(map(shown, values)) for choice, values in listed.items()} == {
            choice: group["option"].tolist() for choice, group in part.groupby("choice", sort=False)
        }


def test_the_configuration_holds_how_hard_the_substitutes_were_found_to_be():
    config = read_configuration()
    rows = read_table(REFERENCE / "retrieval_targets.tsv").itertuples()
    sets = {"swiss_roll": config["swiss_roll"], **config["gland_retrieval"]}
    assert all(sets[row[1]][row.parameter] == row.setting for row in rows)
    cohorts = {one["name"]: (one["features"], one.get("noise")) for one in config["pathology"]["sets"]}
    rows = read_table(REFERENCE / "pathology_targets.tsv").itertuples()
    assert all(cohorts[row.study] == (row.features, row.noise) for row in rows)


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
    # What the navigation of the site lists.
    reached |= {ROOT / "docs" / f"{page}.md" for pages in [["index"], *SECTIONS.values()] for page in pages}
    shown = [ROOT / path for path in PAGES if path != "README.md"] + list((ROOT / "resources" / "readme").iterdir())
    assert [path for path in shown if path not in reached] == []

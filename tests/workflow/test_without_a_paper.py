"""A paper is its folder: without it the study works, less its experiments, its data of the arena and its universes."""

import re
import shutil

import pytest
import yaml
from checkout import ROOT
from replication.catalogue.experiments import PAPER_OF
from replication.catalogue.papers import PAPERS
from replication.platform.configuration import read_yaml


def less(config, paper, refused):
    """A configuration without the experiments of a paper and the keys that were refused."""
    kept = [name for name in config["experiments"] if PAPER_OF[name] != paper]
    config = {**config, "experiments": kept}
    for key in refused:
        *sections, last = key.split(".")
        section = config
        for name in sections:
            section = section.get(name, {})
        section.pop(last, None)
    return config


def write(checkout, paper, refused):
    """Take a paper and what was refused out of the configuration of a checkout."""
    for path in ("config/config.yaml", "config/mine.yaml"):
        config = less(read_yaml(checkout / path), paper, refused)
        (checkout / path).write_text(yaml.safe_dump(config, sort_keys=False))


@pytest.fixture(scope="session")
def complete(fresh):
    """Rule -> number of jobs, with all papers."""
    shutil.copy(ROOT / "config/quick.yaml", fresh / "config/mine.yaml")
    return fresh.job_counts("config/mine.yaml")


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_study_works_without_the_folder_of_a_paper(new_checkout, complete, paper):
    """Its sections are refused by name, and so are its universes; its rows of config/choices.tsv may stay."""
    checkout, refused = new_checkout(), []
    shutil.copy(ROOT / "config/quick.yaml", checkout / "config/mine.yaml")
    shutil.rmtree(checkout / "workflow/replication/papers" / paper)
    # First its sections, then its universes.
    for _ in range(2):
        write(checkout, paper, refused)
        said = checkout.look("--dry-run", "--configfile", "config/mine.yaml", fails=True)
        refused = re.findall(r"^([\w.]+): unknown", said, re.M)
        assert refused
    write(checkout, paper, refused)
    counts = checkout.job_counts("config/mine.yaml")
    own = {f"run_{name}" for name in PAPER_OF if PAPER_OF[name] == paper}
    assert set(counts) < set(complete)
    assert not own & set(counts)
    assert counts["run_universes"] == complete["run_universes"] - len(PAPERS[paper].families)
    assert counts["run_consensus_arena"] == counts["judge_claims"] == counts["write_report"] == 1

"""A paper is its folder: without it the study works, less its experiments, its data of the arena and its universes."""

import re
import shutil

import pytest
import yaml
from checkout import ROOT
from replication.platform.configuration import read_yaml

PAPER = "tiwari2008"
EXPERIMENTS = "spectra_"


def less(config, refused):
    """A configuration without the experiments of the paper and the keys that were refused."""
    kept = [name for name in config["experiments"] if not name.startswith(EXPERIMENTS)]
    config = {**config, "experiments": kept}
    for key in refused:
        *sections, last = key.split(".")
        section = config
        for name in sections:
            section = section.get(name, {})
        section.pop(last, None)
    return config


@pytest.mark.slow
def test_a_study_works_without_the_folder_of_a_paper(new_checkout):
    """Its sections are refused by name, and so are its universes; its rows of config/choices.tsv may stay."""
    checkout = new_checkout()
    shutil.copy(ROOT / "config/quick.yaml", checkout / "config/mine.yaml")
    complete = checkout.job_counts("config/mine.yaml")
    shutil.rmtree(checkout / "workflow/replication/papers" / PAPER)
    refused = []
    for _ in range(2):
        for path in ("config/config.yaml", "config/mine.yaml"):
            (checkout / path).write_text(yaml.safe_dump(less(read_yaml(checkout / path), refused), sort_keys=False))
        said = checkout.look("--dry-run", "--configfile", "config/mine.yaml", fails=True)
        refused = re.findall(r"^([\w.]+): unknown key", said, re.M)
        assert refused
        assert all("spectra" in key for key in refused)
    for path in ("config/config.yaml", "config/mine.yaml"):
        (checkout / path).write_text(yaml.safe_dump(less(read_yaml(checkout / path), refused), sort_keys=False))
    counts = checkout.job_counts("config/mine.yaml")
    assert set(counts) < set(complete)
    assert not [rule for rule in counts if rule.startswith(f"run_{EXPERIMENTS}")]
    assert counts["run_universes"] == complete["run_universes"] - 1
    assert counts["score_arena"] < complete["score_arena"]
    assert counts["run_consensus_arena"] == counts["judge_claims"] == counts["write_report"] == 1

"""A paper is its folder: without it the study works, less its experiments, its data of the arena and its universes."""

import shutil

import pytest
from checkout import ROOT
from replication.ledger.papers import PAPERS
from replication.platform.configuration import read_yaml

QUICK = read_yaml(ROOT / "config/quick.yaml")


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_study_works_without_the_folder_of_a_paper(new_checkout, paper):
    """Its sections stay in the configuration, and its rows in config/choices.tsv."""
    checkout = new_checkout()
    checkout.config = QUICK
    complete = checkout.job_counts(checkout.write_config())
    folder = checkout / "workflow/replication/papers" / paper
    its_own = {path.stem for path in (folder / "experiments").glob("*.py")}
    offers = (folder / "arena.py").exists()
    shutil.rmtree(folder)
    kept = [name for name in QUICK["experiments"] if name not in its_own]
    counts = checkout.job_counts(checkout.write_config({"experiments": kept}))
    assert set(counts) < set(complete)
    assert not {f"run_{name}" for name in its_own} & set(counts)
    assert counts["run_universes"] == complete["run_universes"] - len(PAPERS[paper].families)
    assert (counts["score_arena"] < complete["score_arena"]) == offers
    assert counts["run_consensus_arena"] == counts["judge_claims"] == counts["write_report"] == 1


@pytest.mark.slow
def test_an_experiment_of_a_paper_without_its_folder_is_refused(new_checkout):
    checkout = new_checkout()
    shutil.rmtree(checkout / "workflow/replication/papers/tiwari2008")
    checkout.config = QUICK
    said = checkout.look("--dry-run", "--configfile", checkout.write_config(), fails=True)
    assert "found the text 'spectra_methods'" in said

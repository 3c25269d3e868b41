"""A paper is its folder: without it the study works, less its experiments, its data of the arena and its universes."""

import shutil

import pytest
from checkout import ROOT
from replication.platform.configuration import read_yaml

DELETED = "tiwari2008"


@pytest.mark.slow
def test_a_study_works_without_the_folder_of_a_paper(new_checkout):
    """Its sections stay in the configuration, and its rows in config/choices.tsv."""
    checkout = new_checkout()
    study = read_yaml(ROOT / "config/quick.yaml")
    checkout.config = study
    complete = checkout.job_counts(checkout.write_config())
    declared = checkout / "workflow/replication/papers" / DELETED / "experiments"
    its_own = {path.stem for path in declared.glob("*.py")}
    shutil.rmtree(declared.parent)
    kept = [name for name in study["experiments"] if name not in its_own]
    counts = checkout.job_counts(checkout.write_config({"experiments": kept}))
    assert len(kept) < len(study["experiments"])
    assert not {f"run_{name}" for name in its_own} & set(counts)
    # The spectra are made for nothing else.
    assert set(complete) > set(counts)
    assert counts["run_universes"] == complete["run_universes"] - 1
    assert counts["score_arena"] < complete["score_arena"]
    assert counts["run_consensus_arena"] == counts["judge_claims"] == counts["write_report"] == 1
    unknown = checkout.look("--dry-run", "--configfile", checkout.write_config(study), fails=True)
    assert "found the text 'spectra_methods'" in unknown or "found the text 'spectra_substitute'" in unknown

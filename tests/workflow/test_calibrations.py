"""The calibrations that the studies leave out still run, and pick from the numbers that were last looked at."""

import pandas as pd
import pytest
import yaml
from checkout import ROOT
from replication.catalogue.configuration import read_configuration
from replication.catalogue.experiments import EXPERIMENTS
from replication.platform.configuration import read_yaml
from replication.shared.tidy import read_table
from test_drift import labelled, moved, read_old, same_runs
from update import summarize

pytestmark = pytest.mark.long_study

LEFT_OUT = sorted(
    name for name, one in EXPERIMENTS.items() if one.calibrates and name not in read_configuration()["experiments"]
)


@pytest.fixture(scope="module")
def calibrated(new_checkout):
    checkout = new_checkout()
    shipped = read_yaml(ROOT / "config/quick.yaml") | {"arithmetic": checkout.config["arithmetic"]}
    (checkout / "config/shipped.yaml").write_text(yaml.safe_dump(shipped))
    checkout.snakemake("--cores", "1", *LEFT_OUT, "--configfile", "config/shipped.yaml")
    return checkout / "results/quick"


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_calibration_at_the_size_of_the_quick_study_has_the_committed_numbers(calibrated, name):
    new = labelled(summarize(read_table(calibrated / name / "metrics.tsv")))
    assert moved(name, read_old(name), new, same_runs()) == []


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_calibration_lists_and_draws_what_it_tried(calibrated, name):
    picks = pd.read_csv(calibrated / name / "tables/picks.tsv", sep="\t")
    assert len(picks) > 1
    assert (calibrated / name / "figures/calibration.png").stat().st_size > 10_000

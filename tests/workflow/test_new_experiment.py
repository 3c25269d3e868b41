"""An experiment is a file, with its name in two configurations; its claim is an entry in the claims of its paper."""

import shutil

import pandas as pd
import pytest
from checkout import ROOT

NAME = "median_efficiency"
PAPER = "workflow/replication/papers/viswanath2012"
CLAIM = """
- id: CE-99
  place: a textbook
  experiment: median_efficiency
  dataset: normal_numbers
  statement: The median of normal numbers is less precise than their mean
  paper_value: less
  rule: the squared error of the median is larger (paired t-test)
  test: {kind: compare, metric: squared_error, method: median, against: [mean], pair: [repetition], by: [size]}
"""
# Variance of the mean of three normal numbers over that of their median, and its limit.
EFFICIENCY = {3: 1 / 3 / (1 - 3**0.5 / 3.141593), 101: 2 / 3.141593}


@pytest.mark.slow
def test_an_experiment_of_one_file_runs_and_is_judged(new_checkout):
    checkout = new_checkout()
    shutil.copy(ROOT / f"tests/workflow/{NAME}.py", checkout / f"{PAPER}/experiments")
    listed = checkout / "config/config.yaml"
    listed.write_text(listed.read_text().replace("  - m_sensitivity\n", f"  - m_sensitivity\n  - {NAME}\n"))
    checkout.write_config({"study": "new", "experiments": [NAME], NAME: {"repetitions": 3000}})
    with open(checkout / f"{PAPER}/claims.yaml", "a") as claims:
        claims.write(CLAIM)

    checkout.snakemake("--cores", "2", "--configfile", "config/mine.yaml")
    results = checkout / "results/new"
    table = pd.read_csv(results / f"{NAME}/tables/efficiency.tsv", sep="\t").set_index("size")["efficiency"]
    assert {size: table[size] for size in EFFICIENCY} == pytest.approx(EFFICIENCY, rel=0.1)
    assert (results / f"{NAME}/figures/efficiency.png").stat().st_size > 5000
    ledger = pd.read_csv(results / "claims.tsv", sep="\t").set_index("id")
    assert ledger.loc["CE-99", "verdict"] == "reproduced"
    assert "Efficiency of the median" in (results / "report.html").read_text()

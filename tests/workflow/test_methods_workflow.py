"""A method in one file outside the project joins the experiments by configuration alone, as its page shows."""

import re
import shutil

import pandas as pd
import pytest
import yaml
from checkout import ROOT, appended
from replication.platform.configuration import read_yaml

PAGE = (ROOT / "docs/add_a_method.md").read_text()
CLASS, CONFIGURATION = (re.search(rf"```{kind}\n(.*?)```", PAGE, re.S)[1] for kind in ("python", "yaml"))
METHODS = yaml.safe_load(CONFIGURATION)["methods"]
COMPARISON = "results/quick/consensus_comparison"


def counts(checkout, configfile, *targets):
    """Rule -> number of jobs that a run would do for some targets."""
    output = checkout.look("--dry-run", *targets, "--configfile", configfile)
    table = output.rpartition("Job stats:")[2] if "Job stats:" in output else ""
    return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", table, re.M) if rule != "total"}


@pytest.fixture
def mine(finished):
    """The finished study with the file and the methods of the page, and with one experiment that takes them."""
    (finished / "my_methods.py").write_text(CLASS)
    experiments = [*finished.config["experiments"], "consensus_comparison"]
    yield finished.write_config({"experiments": experiments, "methods": METHODS})
    for folder in (COMPARISON, "results/quick/methods", "results/logs/quick/score_added"):
        shutil.rmtree(finished / folder, ignore_errors=True)
    (finished / "my_methods.py").unlink()


@pytest.mark.slow
def test_a_method_asks_for_its_own_jobs_and_the_tables_and_figures_of_four_experiments(fresh):
    shipped = read_yaml(ROOT / "config/quick.yaml")
    (fresh / "config/shipped.yaml").write_text(yaml.safe_dump(shipped))
    (fresh / "config/added.yaml").write_text(yaml.safe_dump({**shipped, "methods": METHODS}))
    (fresh / "my_methods.py").write_text(CLASS)
    before, after = (fresh.job_counts(f"config/{name}.yaml") for name in ("shipped", "added"))
    (fresh / "my_methods.py").unlink()
    # Of each method: the digits, a brain unit, a set of genes, three conditions of the spectra, and the inputs of the
    # arena.
    scored = 2 * (1 + 1 + 1 + 3 + before["score_arena"])
    assert after == {**before, "verify_method": 2, "score_added": scored}


@pytest.mark.long_study
def test_the_methods_of_the_page_have_rows_and_what_changes_them_reruns_theirs_alone(finished, mine):
    finished.snakemake("--cores", "1", "consensus_comparison", "--configfile", mine)
    table = pd.read_csv(finished / COMPARISON / "tables/comparison.tsv", sep="\t")
    assert list(dict.fromkeys(table["method"]))[-2:] == ["added: spectral weights", "added: Isomap"]
    assert (finished / COMPARISON / "figures/comparison.png").stat().st_size > 10_000
    assert "added" not in (finished / COMPARISON / "metrics.tsv").read_text()
    assert counts(finished, mine, "consensus_comparison") == {}
    with appended(finished / "my_methods.py", "\n# An edit.\n"):
        edited = counts(finished, mine, "consensus_comparison")
    presented = {"present_consensus_comparison": 1, "consensus_comparison": 1}
    assert edited == {"verify_method": 1, "score_added": 1, **presented}
    alone = finished.write_config({"experiments": finished.config["experiments"] + ["consensus_comparison"]})
    assert counts(finished, alone, "consensus_comparison") == presented


@pytest.mark.long_study
def test_a_class_that_breaks_the_contract_ends_with_one_message_before_anything_else(finished, mine):
    (finished / "my_methods.py").write_text(CLASS.replace("self.distances_ = ", "self.distances_ = -"))
    output = finished.snakemake("--cores", "1", "consensus_comparison", "--configfile", mine, fails=True)
    message = (
        "contract of spectral_weights failed: The added method 'spectral weights' (my_methods.SpectralWeights) is not "
    )
    assert f"{message}a valid consensus: distances_ of SpectralWeights must not be negative, found -" in output
    assert not (finished / COMPARISON).exists()

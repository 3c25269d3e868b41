"""snakemake plan: what will run, how long it takes, how much it downloads, in plain words."""

import re
from numbers import Number

import pandas as pd
import pytest
import yaml
from checkout import ROOT
from replication.catalogue.configuration import read_configuration
from replication.platform.configuration import merge, read_yaml
from replication.platform.registry import files_of_sets, load_registry

pytestmark = pytest.mark.long_study


def kinds(output):
    """What -> number of jobs."""
    return {what: int(n) for n, what in re.findall(r"^ +(\d+) x (.*): about \d+ (?:s|minutes)$", output, re.M)}


def volume(files):
    """Number and size of files, as the plan says it."""
    unknown = sum(file.bytes is None for file in files)
    text = f"{len(files)} files, {sum(file.bytes or 0 for file in files) / 1e6:.1f} MB"
    return f"{text} and {unknown} files of unknown size" if unknown else text


def test_the_plan_of_the_paper_scale_study_needs_no_option(new_checkout):
    checkout = new_checkout()
    output = checkout.snakemake("plan")
    jobs = checkout.job_counts("config/config.yaml")
    n_jobs = sum(n for rule, n in jobs.items() if rule != "all")
    words = re.search(r"It would run (\d+) jobs and take about (\d+) minutes\.", output)
    assert int(words[1]) == n_jobs
    assert int(words[2]) >= 1
    assert sum(kinds(output).values()) == n_jobs
    assert kinds(output)["t-SNE runs, Barnes-Hut kernel"] >= 10
    assert kinds(output)["texture, objects and base embeddings of brain slices"] >= 6
    assert kinds(output)["gland_retrieval: every share of training glands and labels"] == 1
    assert kinds(output)["feature_selection: Gisette"] == 1

    registry = load_registry()
    made = checkout.outputs("config/config.yaml")
    read = [file for file in registry.values() if made.get(f"resources/data/{file.name}") == "download"]
    assert kinds(output)["downloads"] == len(read) == jobs["download"] > 0
    assert f"It would download {volume(read)}." in output
    wanted = files_of_sets(registry, checkout.paper["data"]["sets"])
    assert f"`snakemake fetch` would download {volume(wanted)}." in output


def test_the_plan_of_the_quick_study_needs_no_download(new_checkout):
    checkout = new_checkout()
    (checkout / "config/shipped.yaml").write_text((ROOT / "config/quick.yaml").read_text())
    output = checkout.snakemake("plan", "--configfile", "config/shipped.yaml")
    assert "It needs no download." in output
    assert "downloads" not in kinds(output)
    assert re.search(r"It would run \d+ jobs and take about \d+ (s|minutes)\.", output)


def test_the_plan_counts_what_is_left_to_do(finished):
    output = finished.snakemake("plan", "--cores", "1", "--configfile", "config/quick.yaml")
    assert "The study quick on this machine, with --cores 1" in output
    assert "All results are up to date: nothing to run." in output
    assert not kinds(output)
    more = finished.write_config({"mce_tail": {"draws": 10}})
    output = finished.snakemake("plan", "--cores", "1", "--configfile", more)
    assert "It would run 6 jobs" in output
    assert kinds(output) == {
        "mce_tail: probabilities": 1,
        "tables and figures of an experiment": 1,
        "verdicts": 1,
        "picture of the ledger": 1,
        "report": 1,
        "manifest: how every result was made": 1,
    }


def test_the_plan_names_a_file_that_is_cut_off_or_another(new_checkout):
    """Such a file is not downloaded again, since it is there."""
    checkout = new_checkout()
    path = checkout / "resources/data/kent_ridge/ALL-AML_train.data"
    path.parent.mkdir(parents=True)
    path.write_text("1,2,3,ALL\n")
    output = checkout.snakemake("plan")
    n_files = len(files_of_sets(load_registry(), checkout.paper["data"]["sets"]))
    assert (
        "1 damaged (delete and fetch them again):\n  kent_ridge/ALL-AML_train.data: expected 1108781 bytes, found 10\n"
        f"0 of the {n_files} files of the chosen data sets are in place.\n"
    ) in output


def read_timings():
    return pd.read_csv(ROOT / "resources/timings.tsv", sep="\t", comment="#", keep_default_na=False)


@pytest.mark.parametrize("overlays", [(), ("quick.yaml",)], ids=["paper", "quick"])
def test_every_timing_counts_something_that_the_configuration_has(overlays):
    counted = pd.json_normalize(read_configuration(*overlays)).iloc[0]
    for unit in {key for row in read_timings().itertuples() for key in row.unit.split("*")} - {"", "runs", "pool"}:
        assert isinstance(counted[unit], Number | list), unit


# A study may be called as files or folders of a study are.
@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("config.yaml", {}),
        ("quick.yaml", {"study": "metrics_labels"}),
        ("own_expression.yaml", {}),
        ("own_spectra.yaml", {}),
        ("own_retrieval.yaml", {}),
        ("own_features.yaml", {}),
        ("own_images.yaml", {}),
        ("own_embedding.yaml", {}),
    ],
)
def test_every_job_has_one_timing(fresh, path, changes):
    shipped = read_yaml(ROOT / "config" / path)
    (fresh / "config/shipped.yaml").write_text(yaml.safe_dump(merge(shipped, changes)))
    expected = {rule: n for rule, n in fresh.job_counts("config/shipped.yaml").items() if rule != "all"}
    assert expected["write_manifest"] == 1
    found = dict.fromkeys(expected, 0)
    for output, rule in fresh.outputs("config/shipped.yaml").items():
        for row in read_timings().itertuples():
            found[rule] += bool(re.fullmatch(row.rule, rule) and re.search(row.file, output))
    assert found == expected


def test_the_plan_of_a_study_of_own_tables(new_checkout):
    checkout = new_checkout()
    output = checkout.snakemake("plan", "--configfile", "config/own_expression.yaml")
    jobs = checkout.job_counts("config/own_expression.yaml")
    assert "The study own_expression on this machine" in output
    assert f"It would run {sum(n for rule, n in jobs.items() if rule != 'all')} jobs and take about " in output
    assert kinds(output)["gene expression: base embeddings"] == 2
    assert "It needs no download." in output


def test_a_rule_without_a_timing_is_named(new_checkout):
    checkout = new_checkout()
    path = checkout / "resources/timings.tsv"
    path.write_text("".join(line for line in path.open() if not line.startswith("check_embedding")))
    output = checkout.snakemake("plan", "--configfile", "config/own_embedding.yaml")
    assert "Rules whose time is not known: check_embedding_digits." in output

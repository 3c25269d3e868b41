"""snakemake plan: what will run, how long it takes, how much it downloads, in plain words."""

import re
from itertools import product
from types import SimpleNamespace

import pytest
import yaml
from checkout import ROOT
from replication.arena.arena_inputs import inputs_of
from replication.catalogue.configuration import read_configuration
from replication.catalogue.estimates import seconds_of_jobs
from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.steps import steps_of
from replication.platform.configuration import merge, read_yaml
from replication.platform.registry import files_of_sets, load_registry
from replication.platform.steps import Seconds
from replication.platform.study import Study

pytestmark = pytest.mark.long_study


def kinds(output):
    """What -> number of jobs."""
    return {what: int(n) for n, what in re.findall(r"^ +(\d+) x (.*): about \d+ (?:s|minutes) in all$", output, re.M)}


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
    assert kinds(output)["t-SNE (barnes_hut) of the digits: runs ... to ..."] >= 10
    assert kinds(output)["Base embeddings of ..., draw 0, noise ... %"] >= 6
    assert kinds(output)["gland_retrieval: Retrieve by class, glands"] == 1
    assert kinds(output)["feature_selection: Rank the features of gisette, round by round"] == 1

    registry = load_registry()
    made = checkout.outputs("config/config.yaml")
    read = [file for file in registry.values() if made.get(f"resources/data/{file.name}") == "download"]
    assert kinds(output)["Downloads"] == len(read) == jobs["download"] > 0
    assert f"It would download {volume(read)}." in output
    wanted = files_of_sets(registry, checkout.paper["data"]["sets"])
    assert f"`snakemake fetch` would download {volume(wanted)}." in output


def test_the_plan_of_the_quick_study_needs_no_download(new_checkout):
    checkout = new_checkout()
    (checkout / "config/shipped.yaml").write_text((ROOT / "config/quick.yaml").read_text())
    output = checkout.snakemake("plan", "--configfile", "config/shipped.yaml")
    assert "It needs no download." in output
    assert "Downloads" not in kinds(output)
    assert re.search(r"It would run \d+ jobs and take about \d+ (s|minutes)\.", output)


def test_the_plan_counts_what_is_left_to_do(finished):
    # Its own run holds the lock meanwhile.
    output = finished.snakemake("plan", "--cores", "1", "--configfile", "config/quick.yaml")
    assert "The whole study quick on this machine with --cores 1" in output
    assert "All results are up to date: nothing to run." in output
    assert not kinds(output)
    more = finished.write_config({"mce_tail": {"draws": 10}})
    output = finished.snakemake("plan", "--cores", "1", "--configfile", more)
    assert "It would run 6 jobs" in output
    assert kinds(output) == {
        "mce_tail: Probability of a deviation from the reference, against the number of runs": 1,
        "Tables and figures of an experiment": 1,
        "Verdicts": 1,
        "Picture of the ledger": 1,
        "Report": 1,
        "Manifest: how every result was made": 1,
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


# What a wildcard that is no list of words may be.
WORDS = {"start": "0", "stop": "10"}


def jobs_of(step, study):
    """Wildcards of jobs of a step: of every word in their lists."""
    if step.name == "score_arena":
        return [SimpleNamespace(kind=kind, data=data) for kind, data in inputs_of(study)]
    words = step.wildcards(study) if callable(step.wildcards) else step.wildcards
    values = [[WORDS.get(name, "1")] if isinstance(allowed, str) else allowed for name, allowed in words.items()]
    return [SimpleNamespace(**dict(zip(words, chosen, strict=True))) for chosen in product(*values)]


@pytest.mark.parametrize("overlays", [(), ("quick.yaml",)], ids=["paper", "quick"])
def test_the_time_of_every_step_counts_what_the_configuration_has(overlays):
    study, checked = Study(read_configuration(*overlays)), set()
    for step in steps_of(study).values():
        for job in jobs_of(step, study):
            assert step.seconds(study, job).of_job(study, job) > 0, step.name
            checked.add(step.name)
    # Others are of methods and data that a user adds.
    assert checked >= {f"run_{name}" for name in EXPERIMENTS} | {"embed_runs", "gather_runs", "run_universes"}


def test_a_time_of_a_setting_that_is_not_there_is_refused():
    study = Study(read_configuration())
    for unit in ("mce_tial.draws", "mce_tail.n_draws"):
        with pytest.raises(KeyError):
            Seconds(1, 2, f"brain.slices*{unit}").of_job(study, None)


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
def test_every_job_is_counted_once(fresh, path, changes):
    shipped = read_yaml(ROOT / "config" / path)
    (fresh / "config/shipped.yaml").write_text(yaml.safe_dump(merge(shipped, changes)))
    expected = {rule: n for rule, n in fresh.job_counts("config/shipped.yaml").items() if rule != "all"}
    assert expected["write_manifest"] == 1
    study = Study(merge(read_configuration(), merge(shipped, changes)))
    outputs, found = fresh.outputs("config/shipped.yaml"), {}
    for rule in expected:
        kinds, unknown = seconds_of_jobs([(rule, path) for path, maker in outputs.items() if maker == rule], study)
        assert not unknown
        found[rule] = sum(map(len, kinds.values()))
    assert found == expected


def test_a_step_without_a_time_is_named(new_checkout):
    checkout = new_checkout()
    path = checkout / "workflow/replication/own_data/steps.py"
    path.write_text("".join(line for line in path.open() if "takes=lambda" not in line))
    output = checkout.snakemake("plan", "--configfile", "config/own_embedding.yaml")
    assert "Rules whose time is not known: check_embedding_digits." in output

"""snakemake plan: what will run, how long it takes, how much it downloads, in plain words."""

import re

import pandas as pd
from consensus_embedding.datasets.registry import files_of_sets, load_registry


def kinds(output):
    """What -> number of jobs."""
    return {what: int(n) for n, what in re.findall(r"^ +(\d+) x (.*): about \d+ (?:s|minutes)$", output, re.M)}


def test_the_plan_of_the_paper_scale_study_needs_no_option(new_checkout):
    checkout = new_checkout()
    output = checkout.snakemake("plan")
    jobs = checkout.job_counts("config/config.yaml")
    n_jobs = sum(n for rule, n in jobs.items() if rule != "all")
    words = re.search(r"It would run (\d+) jobs and take about (\d+) minutes\.", output)
    assert int(words[1]) == n_jobs
    assert int(words[2]) >= 1
    assert sum(kinds(output).values()) == n_jobs
    assert kinds(output)["t-SNE runs, exact kernel"] >= 10

    files = files_of_sets(load_registry(), checkout.paper["data"]["sets"])
    megabytes = sum(file.bytes or 0 for file in files) / 1e6
    unknown = sum(file.bytes is None for file in files)
    assert "It needs no download." in output
    fetch = f"`snakemake fetch` would download {len(files)} files, {megabytes:.1f} MB and {unknown} files of unknown"
    assert fetch in output


def test_the_plan_counts_what_is_left_to_do(finished):
    output = finished.snakemake("plan", "--cores", "1", "--configfile", "config/quick.yaml")
    assert "The study quick on this machine, with --cores 1" in output
    assert "Everything is in place: there is nothing to run." in output
    assert not kinds(output)
    more = finished.write_config({"mce_tail": {"draws": 10}})
    output = finished.snakemake("plan", "--cores", "1", "--configfile", more)
    assert "It would run 4 jobs" in output
    assert kinds(output) == {
        "mce_tail: probabilities": 1,
        "tables and figures of an experiment": 1,
        "verdicts": 1,
        "report": 1,
    }


def test_every_job_of_the_paper_scale_study_has_one_timing(fresh):
    timings = pd.read_csv(fresh / "resources/timings.tsv", sep="\t", comment="#", keep_default_na=False)
    expected = {rule: n for rule, n in fresh.job_counts("config/config.yaml").items() if rule != "all"}
    found = dict.fromkeys(expected, 0)
    for output, rule in fresh.outputs("config/config.yaml").items():
        for row in timings.itertuples():
            found[rule] += bool(re.fullmatch(row.rule, rule) and re.search(row.file, output))
    assert found == expected

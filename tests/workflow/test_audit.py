"""The trail: records beside the logs, the manifest, and `snakemake audit`."""

import json
import re

import pytest
from checkout import rewritten
from replication.catalogue.claim_files import claim_files
from test_runs import appended, stamps

pytestmark = pytest.mark.long_study

STUDY = {"study": "audited", "experiments": ["theory_error"], "theory_error": {"n_objects": 10, "repetitions": 2}}
RESULTS = "results/audited"
METRICS = f"{RESULTS}/theory_error/metrics.tsv"
TABLE = f"{RESULTS}/theory_error/tables/error.tsv"
PAPER = "workflow/replication/papers/viswanath2012"


@pytest.fixture(scope="module")
def audited(new_checkout):
    """A study of one experiment that has run to its end; tests leave it as they found it."""
    checkout = new_checkout()
    checkout.configfile = checkout.write_config(STUDY)
    checkout.output = checkout.snakemake("--cores", "1", "--configfile", checkout.configfile)
    return checkout


def manifest_of(checkout):
    return json.loads((checkout / RESULTS / "manifest.json").read_text())


def failing_audit(checkout, configfile=None):
    """What an audit says that finds something; it runs nothing else and changes no result."""
    before = stamps(checkout / RESULTS)
    output = checkout.snakemake("audit", "--configfile", configfile or checkout.configfile, fails=True)
    assert stamps(checkout / RESULTS) == before
    assert "\n1 steps to run.\n" in output
    return output


def named(output, state):
    """The lines below a state."""
    found = re.search(rf"^{state}:\n((?:  .*\n)+)", output, re.M)
    assert found, output
    return found[1]


def reasons(output):
    """Reason -> files that are stale for it."""
    blocks = re.findall(r"  because (.*):\n((?:    .*\n)+)", named(output, "stale"))
    return {reason: files.split() for reason, files in blocks}


def test_the_manifest_tells_how_every_result_was_made(audited):
    manifest = manifest_of(audited)
    listed = {path for path in manifest["results"] if not path.endswith(".pdf")}
    made = set(audited.outputs(audited.configfile)) - {f"{RESULTS}/manifest.json"}
    assert {path for path in made if not path.endswith(".pdf")} == listed
    assert manifest["without_record"] == {}
    metrics = manifest["results"][METRICS]
    job = manifest["jobs"][metrics["job"]]
    assert (metrics["rule"], metrics["seed"], job["params"]["seed"]) == ("run_theory_error", 20121, 20121)
    assert job["params"]["settings"]["theory_error"]["repetitions"] == 2
    assert {f"{PAPER}/theory_error.py", f"{PAPER}/experiments/theory_error.py", "workflow/scripts/run.py"} <= set(
        job["code"]
    )
    assert "src/consensus_embedding/utils/seeds.py" in job["code"]
    # All that a job has loaded is an input of its rule: nothing is left to be told apart.
    assert [one["rule"] for one in manifest["jobs"].values() if one["modules"]] == []
    assert manifest["results"][f"{RESULTS}/claims.tsv"]["data"] == sorted(claim_files(["papers"]))
    assert manifest["configuration"]["study"] == "audited"
    assert manifest["environments"][0]["packages"]["snakemake"].startswith("9.")
    # Where files were looked for, and on how many cores, changes no result.
    assert "mirrors" not in manifest["configuration"]["data"]
    assert "workers" not in manifest["configuration"]


def test_a_finished_study_is_intact_and_there_is_nothing_to_do(audited):
    again = audited.snakemake("--cores", "1", "--configfile", audited.configfile)
    assert "Nothing to be done" in again
    output = audited.run("make", "audit", f"CONFIG={audited.configfile}")
    count = len(manifest_of(audited)["results"]) + 1  # the manifest itself
    assert f"Audit of the study audited: {count} files" in output
    assert re.search(rf"^ +{count}  intact", output, re.M)


def test_another_seed_runs_jobs_again_also_where_snakemake_forgot_what_they_ran_with(audited):
    metadata = audited / ".snakemake/metadata"
    configfile = audited.write_config({**STUDY, "seed": 99}, path="config/another_seed.yaml")
    expected = audited.job_counts(configfile)
    assert expected["run_theory_error"] == 1
    metadata.rename(audited / "metadata")
    try:
        assert audited.job_counts(audited.configfile) == {}
        assert audited.job_counts(configfile) == expected
    finally:
        (audited / "metadata").rename(metadata)


def test_edited_deleted_and_unknown_files_and_changed_keys_are_found(audited):
    changed = audited.write_config({**STUDY, "seed": 5, "mce_tail": {"draws": 9}}, path="config/changed.yaml")
    kept, mine = (audited / TABLE).rename(audited / "kept.tsv"), audited / RESULTS / "theory_error/mine.tsv"
    mine.write_text("mine\n")
    try:
        with appended(audited / METRICS, "\n"):
            output = failing_audit(audited, changed)
    finally:
        kept.rename(audited / TABLE)
        mine.unlink()
    assert named(output, "edited by hand").startswith(f"  {METRICS}: run_theory_error wrote sha256 ")
    assert f"{RESULTS}/claims.tsv" in reasons(output)[f"{METRICS} was edited by hand"]
    assert named(output, "missing") == f"  {TABLE}: made by present_theory_error\n"
    assert named(output, "unknown") == f"  {RESULTS}/theory_error/mine.tsv\n"
    assert "The configuration changed, manifest -> now:\n  mce_tail.draws: 8 -> 9\n  seed: 20121 -> 5\n" in output
    assert output.count("The study audited is not intact: ") == 2
    assert "and 2 keys of the configuration changed" in output


def test_changed_code_is_named_and_what_ran_with_it_is_stale(audited):
    module, captions = f"{PAPER}/theory_error.py", f"{PAPER}/experiments/toy_rgb.py"
    with appended(audited / module, "\n# An edit.\n"), appended(audited / captions, "\n# Another edit.\n"):
        found = reasons(failing_audit(audited))
    assert METRICS in found[f"{module} changed"]
    # The verdicts rest on both, as an experiment declares its figures and its stages in one module.
    both = {f"{RESULTS}/claims.tsv", f"{RESULTS}/report.html"}
    (reason,) = [reason for reason, files in found.items() if both <= set(files)]
    assert set(reason.split("; ")) == {f"{module} changed", f"{captions} changed"}


def test_a_new_caption_concerns_what_shows_it_and_no_computation(audited):
    declared = audited / f"{PAPER}/experiments/theory_error.py"
    with rewritten(declared, declared.read_bytes().replace(b"Share of the repetitions", b"Part of the repetitions")):
        counts, output = audited.job_counts(audited.configfile), failing_audit(audited)
    assert {"present_theory_error", "judge_claims", "write_report"} <= counts.keys()
    assert "run_theory_error" not in counts
    assert TABLE in named(output, "stale")
    assert METRICS not in output


def test_another_number_of_cores_gives_the_same_hashes(audited):
    before = {path: entry["sha256"] for path, entry in manifest_of(audited)["results"].items()}
    audited.snakemake("--cores", "2", "--forceall", "--configfile", audited.configfile)
    after = {path: entry["sha256"] for path, entry in manifest_of(audited)["results"].items()}
    report = f"{RESULTS}/report.html"  # it shows run times
    assert before.pop(report)
    assert after.pop(report)
    assert after == before


def test_timings_leave_out_an_experiment_that_is_no_longer_in_the_study(audited):
    logs = audited / "results/logs/audited"
    record = json.loads((logs / "run_theory_error.json").read_text())
    record["outputs"] = {f"{RESULTS}/toy_rgb/metrics.tsv": record["outputs"][METRICS]}
    (logs / "run_toy_rgb.json").write_text(json.dumps(record))
    try:
        output = audited.snakemake("timings", "--configfile", audited.configfile)
    finally:
        (logs / "run_toy_rgb.json").unlink()
    assert re.search(r"^ +\d+  theory_error$", output, re.M)
    assert "toy_rgb" not in output


def test_a_result_that_was_made_without_a_record_is_told_with_the_rule_to_run(audited):
    """The last of the tests with this study, which it changes."""
    (audited / "results/logs/audited/present_theory_error.json").unlink()
    audited.snakemake("--forcerun", "write_manifest", "--cores", "1", "--configfile", audited.configfile)
    reason = "no record: made by an earlier version; rerun with --forcerun present_theory_error"
    assert f"  {TABLE}: {reason}\n" in named(failing_audit(audited), "no record")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("audit", "results/never_run/manifest.json: no such file."),
        ("compare", "A quick study has other sizes than the committed study"),
        ("timings", "There is no record of a job in results/logs/never_run; run the study first."),
    ],
)
def test_of_a_study_that_has_not_run_nothing_is_said_but_why_and_below_all(fresh, target, message):
    configfile = fresh.write_config({"study": "never_run"}, path="config/never_run.yaml")
    output = fresh.snakemake(target, "--configfile", configfile, fails=True)
    assert output.count(message) == 2
    assert message in (fresh / f"results/logs/never_run/{target}.log").read_text()
    assert not (fresh / "results/never_run").exists()

"""Runs: to the end, again, after kill -9, and after edits."""

import contextlib
import fcntl
import json
import os
import random
import re
import threading
import time
from pathlib import Path

import pytest
from checkout import ROOT, appended, kill_all_of, untimed
from replication.catalogue.claim_files import read_rows
from replication.catalogue.experiments import EXPERIMENTS
from replication.platform.configuration import merge, read_yaml

AFTER_A_NEW_METRIC = {"judge_claims": 1, "draw_ledger": 1, "write_report": 1, "write_manifest": 1, "all": 1}


def stamps(folder):
    """Path -> size and time of last change."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_make_ends_with_the_ledger_and_the_paths_of_report_and_manifest(finished):
    *lines, report, manifest = finished.output.rstrip().splitlines()
    n_claims = sum(row["kind"] != "context" and not row["reading_of"] for row in read_rows())
    assert any(line.startswith(f"{n_claims} claims") for line in lines)
    assert report == "Report:   results/quick/report.html"
    assert manifest == "Manifest: results/quick/manifest.json"
    assert (finished / "results/quick/report.html").is_file()
    assert any("they prove that everything runs, and nothing more" in line for line in lines)
    assert not any("MC-01" in line for line in lines)
    assert finished.output.count("Report:   ") == 1


@pytest.mark.slow
def test_commands_that_judge_nothing_end_with_their_own_answer(finished):
    # The study is finished, so that there is a summary of its verdicts.
    assert (finished / "results/quick/summary.txt").is_file()
    output = finished.snakemake("fetch", "verify_data", "--cores", "1", "--configfile", "config/quick.yaml")
    assert "0 of 0 files are intact." in output
    assert "nothing to test" not in output


def test_a_second_make_has_nothing_to_do_and_touches_nothing(finished):
    before = stamps(finished / "results")
    output = finished.run("make", "CORES=2")
    assert "Nothing to be done" in output
    assert output.rstrip().endswith("Manifest: results/quick/manifest.json")
    assert output.count("Report:   ") == 1
    assert stamps(finished / "results") == before


@pytest.mark.long_study
def test_a_killed_run_taken_up_again_gives_the_tables_of_an_uninterrupted_one(new_checkout, finished):
    """Killed among several jobs of one experiment; of other moments, and killed twice, the campaign has more."""
    checkout = new_checkout()
    moments = random.Random(20121)
    plain = ["snakemake", "--cores", "2", "--configfile", "config/quick.yaml"]
    process = checkout.start(*plain)
    while not list(checkout.folder.glob("results/logs/quick/embed_runs/*.log")):
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.05)
    time.sleep(moments.uniform(0, finished.seconds / 6))
    assert process.poll() is None, "the run ended before it could be killed"
    kill_all_of(process, checkout.folder)
    assert not (checkout / "results/quick/report.html").exists()

    checkout.run("make", "CORES=2")

    expected = finished.tables()
    assert {Path(name).name for name in expected} >= {"metrics.tsv", "claims.tsv", "distances.tsv", "tail.tsv"}
    assert checkout.tables() == expected
    leftovers = [path for path in (checkout / "results").rglob("*") if path.name.startswith(".")]
    assert leftovers == []
    assert "Nothing to be done" in checkout.run("make", "CORES=2")


@contextlib.contextmanager
def damaged(path, how):
    """A file that is lost, emptied, or edited with its time stamp kept, for a while."""
    content, stat = path.read_bytes(), path.stat()
    if how == "lost":
        path.unlink()
    else:
        path.write_bytes(b"" if how == "emptied" else content + b"edited")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - (how == "edited") * 10**12))
    try:
        yield
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.long_study
@pytest.mark.parametrize("how", ["lost", "emptied", "edited"])
def test_a_dry_run_finds_every_output_that_is_not_as_its_job_wrote_it(finished, how):
    """Of every job, one at a time; it leaves each as it is."""
    manifest = json.loads((finished / "results/quick/manifest.json").read_text())
    rules = {path: one["rule"] for path, one in manifest["results"].items()}
    rules["results/quick/manifest.json"] = "write_manifest"
    word = {"lost": "missing", "emptied": "empty", "edited": "changed"}[how]
    made = {str(path.relative_to(finished.folder)) for path in (finished / "results/quick").rglob("*.*")}
    assert {path for path in made if "/benchmarks/" not in path} == set(rules)
    for name, rule in rules.items():
        with damaged(finished / name, how):
            state = (finished / name).exists() and (finished / name).read_bytes()
            output = finished.look("--dry-run", "--configfile", "config/quick.yaml")
            assert f"  {name}: {word}\n" in output
            assert re.search(rf"^{rule} +1$", output, re.M), name
            assert state == ((finished / name).exists() and (finished / name).read_bytes())
    assert finished.job_counts("config/quick.yaml") == {}


@pytest.mark.long_study
def test_damaged_outputs_get_back_their_bytes_by_the_same_command(finished):
    """One of every kind of job in one run, intermediate ones too: the campaign has each alone."""
    results = finished / "results/quick"
    paths = [results / name for name in ("mce_tail/metrics.tsv", "mce_convergence/pictures.npz", "ledger.svg")]
    paths += [results / "mce_tail/figures/tail.png", next(results.glob("embeddings/**/*.npz"))]
    before = {path: path.read_bytes() for path in paths}
    for k, path in enumerate(paths):
        path.unlink() if k % 2 else path.write_bytes(b"")
    output = finished.run("make", "CORES=2")
    assert "to be made again" in output
    assert {path: path.read_bytes() for path in paths} == before
    assert finished.job_counts("config/quick.yaml") == {}
    assert "is not intact" not in finished.snakemake("audit", "--configfile", "config/quick.yaml")


@pytest.mark.slow
def test_other_figure_formats_are_drawn_for_an_experiment_asked_for_by_name(finished):
    output = finished.look(
        "--dry-run", "mce_convergence", "--configfile", "config/quick.yaml", "--config", "figure_formats=[svg]"
    )
    # Snakemake names them in no order, and the terminal cuts the line.
    assert re.search(r"Missing output files: results/quick/mce_convergence/figures/\w+\.svg", output)
    assert re.search(r"^present_mce_convergence +1$", output, re.M)


@pytest.mark.slow
def test_a_rerun_that_failed_ends_complete_once_the_fault_is_gone(finished):
    """The job that failed has lost its figures, and nothing that was made from them is older than its code."""
    before, figures = finished.tables(), finished / "results/quick/mce_tail/figures"
    report = finished / "results/quick/report.html"
    says = untimed(report)
    names = sorted(path.name for path in figures.iterdir())
    module = finished / "workflow/replication/papers/tomo2025/mce_figures.py"
    with appended(module, "\nraise RuntimeError('a fault')\n"):
        output = finished.run("make", "CORES=2", fails=True)
    assert "Still of an earlier run:\n  results/quick/report.html\n" in output
    assert not list(figures.glob("*"))
    finished.run("make", "CORES=2")
    assert sorted(path.name for path in figures.iterdir()) == names
    assert finished.tables() == before
    # Also of how many jobs: those of the run before are not counted.
    assert untimed(report) == says
    assert finished.job_counts("config/quick.yaml") == {}


PLAIN = ("snakemake", "--cores", "1", "--configfile", "config/quick.yaml")
OTHERS = {
    "run.lock": (fcntl.LOCK_EX, "Another run is using this folder (process 7 on here, since 9:00)"),
    "jobs.lock": (fcntl.LOCK_SH, "Jobs of a killed run are still running"),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("command", [("make", "CORES=1"), PLAIN], ids=["make", "snakemake"])
@pytest.mark.slow
def test_a_run_that_finds_another_at_work_says_whose_it_is_and_waits(finished, command, name):
    kind, message = OTHERS[name]
    with open(finished / ".snakemake" / name, "w") as lock:
        fcntl.flock(lock, kind)
        lock.write("process 7 on here, since 9:00")
        lock.flush()
        # Looking is free.
        assert finished.job_counts("config/quick.yaml") == {}
        process = finished.start(*command)
        limit = threading.Timer(60, process.kill)
        limit.start()
        # Snakemake names its profile and files first.
        assert message in next(line for line in process.stdout if "waiting" in line)
        assert process.poll() is None
    output, _ = process.communicate(timeout=60)
    limit.cancel()
    assert process.returncode == 0
    assert "Nothing to be done" in output


@pytest.mark.slow
def test_an_edit_of_a_text_for_readers_reruns_nothing(finished):
    with (
        appended(finished / "README.md", "\nMore words.\n"),
        appended(finished / "config/quick.yaml", "\n# More words.\n"),
        appended(finished / "resources/datasets.yaml", "\n# More words.\n"),
    ):
        assert finished.job_counts("config/quick.yaml") == {}


@pytest.mark.slow
def test_a_changed_parameter_reruns_what_depends_on_it_and_nothing_else(finished):
    configfile = finished.write_config({"mce_tail": {"draws": 10}})
    expected = {"run_mce_tail": 1, "present_mce_tail": 1, **AFTER_A_NEW_METRIC}
    assert finished.job_counts(configfile) == expected


# Where a setting is read: the rules that work anew, and how many jobs of them.
MULTIVERSE = {"run_universes": 1, "run_multiverse": 1}
CALIBRATIONS_OF_RETRIEVAL = {"run_retrieval_calibration": 1, "run_retrieval_substitute": 1}
OF_POOLS = {"embed_genes": 2, "score_gene_expression": 1, "run_gene_expression": 1}
OF_POOLS |= {"run_m_sensitivity": 1, "run_theta_sensitivity": 1}
READERS = {
    "another subject": (
        {"brain": {"second_subject": "brainweb_resimulated"}},
        {"download": 3, "make_brain_volumes": 1, "embed_brain": 1, "score_brain_grid": 1, "run_brain_grid": 1}
        | {"run_ml_estimators": 1},
    ),
    "another draw of the noise": (
        {"brain": {"noise_draws": 2}},
        {"make_brain_volumes": 1, "embed_brain": 1, "score_brain_grid": 1, "run_brain_grid": 1, "run_ml_estimators": 1},
    ),
    "how embeddings of images are selected and combined": (
        {"image_embedding": {"theta": 0.2, "exploratory_theta": 0.8, "normalization": "mean", "mds": "smacof"}},
        {"score_brain_grid": 1, "run_brain_grid": 1, "run_ml_estimators": 1}
        | {"score_theta_sensitivity": 1, "run_theta_sensitivity": 1}
        | {"score_brain_readings": 2, "run_brain_readings": 1, "run_theory_monotone": 1}
        | {"run_brain_calibration": 1, "run_brain_runtime": 1, "run_leave_one_out": 1, **MULTIVERSE},
    ),
    "how embeddings of genes are selected and combined": (
        {"gene_embedding": {"theta": 0.2, "normalization": "mean", "knn_neighbors": 5, "label_weights": "zhao"}},
        {"score_gene_expression": 1, "run_gene_expression": 1, "run_gene_calibration": 1, "run_m_sensitivity": 1}
        | {"score_theta_sensitivity": 1, "run_theta_sensitivity": 1, **MULTIVERSE},
    ),
    "draws of subsets of genes": ({"genes": {"repetitions": 4}}, {**OF_POOLS, "score_theta_sensitivity": 1}),
    "numbers of base embeddings of genes": (
        {"m_sensitivity": {"n_embeddings": [10, 25]}},
        {**OF_POOLS, "score_theta_sensitivity": 1, "run_theory_monotone": 1},
    ),
    "preparation of genes": (
        {"gene_embedding": {"transform": "log"}},
        {**OF_POOLS, "score_theta_sensitivity": 1, "run_theory_monotone": 1, "run_gene_calibration": 1}
        | {"run_intrinsic_dimension": 1, **MULTIVERSE},
    ),
    "splits of the calibration on genes": ({"gene_calibration": {"splits": 3}}, {"run_gene_calibration": 1}),
    "dimensions of spectra": ({"spectra_dimensions": {"n_components": [3, 5]}}, {"run_spectra_dimensions": 1}),
    "thresholds": (
        {"theta_sensitivity": {"thetas": [0.15, 0.95]}},
        {"score_theta_sensitivity": 2, "run_theta_sensitivity": 1},
    ),
    "halves of the embeddings of images": (
        {"theta_sensitivity": {"repetitions": 3}},
        {"score_theta_sensitivity": 1, "run_theta_sensitivity": 1},
    ),
    "digits of the retrieval": (
        {"gland_retrieval": {"digits": {"n_components": 4}}},
        {"score_gland_retrieval": 1, "run_gland_retrieval": 1, **CALIBRATIONS_OF_RETRIEVAL, **MULTIVERSE},
    ),
    "the simulator of glands": (
        {"glands": {"between_regions": 0.2}},
        {"score_gland_retrieval": 1, "run_gland_retrieval": 1, **CALIBRATIONS_OF_RETRIEVAL, **MULTIVERSE},
    ),
    "variants of the Swiss roll": (
        {"swiss_roll": {"variants": []}},
        {"score_swiss_roll": 1, "run_swiss_roll": 1},
    ),
    "draws of the retrieval": (
        {"out_of_sample": {"draws": 4}},
        {"score_swiss_roll": 1, "run_swiss_roll": 1, "score_gland_retrieval": 3, "run_gland_retrieval": 1},
    ),
    "the picture of a consensus": (
        {"median_consensus": {"mds": "classical"}},
        {"run_mce_convergence": 1, "run_mce_extensions": 1, "run_consensus_comparison": 1, **MULTIVERSE},
    ),
    "a method": (
        {"methods": [{"name": "Isomap", "class": "sklearn.manifold.Isomap", "kind": "embedding"}]},
        {"verify_method": 1, "score_added": 10},
    ),
    "one source of instability": ({"mce_extensions": {"kinds": ["perplexity"]}}, {"run_mce_extensions": 1}),
}


@pytest.fixture(scope="module")
def pretended(new_checkout):
    """A checkout in which Snakemake takes the quick study for done, with all calibrations and items of one's own."""
    checkout = new_checkout()
    own = {"own": [{"name": "wines", "table": "results/example/items.tsv"}]}
    experiments = [name for name in EXPERIMENTS if name != "brain_real_slices"]
    changes = {"experiments": experiments, "gland_retrieval": own}
    checkout.config = merge(read_yaml(ROOT / "config/quick.yaml"), changes)
    study = checkout.write_config()
    for name in checkout.outputs(study):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).touch()
    checkout.snakemake("--touch", "--forceall", "--cores", "1", "--configfile", study)
    assert checkout.job_counts(study) == {}
    return checkout


@pytest.mark.slow
@pytest.mark.parametrize("setting", READERS)
def test_a_setting_reruns_the_jobs_that_read_it_and_no_others(pretended, setting):
    changes, expected = READERS[setting]
    counts = pretended.job_counts(pretended.write_config(changes))
    counts = {rule: n for rule, n in counts.items() if rule not in AFTER_A_NEW_METRIC}
    assert {rule: n for rule, n in counts.items() if not rule.startswith("present_")} == expected


@pytest.mark.slow
def test_a_method_judges_no_claim_anew(pretended):
    counts = pretended.job_counts(pretended.write_config(READERS["a method"][0]))
    assert not {"judge_claims", "run_multiverse"} & set(counts)
    assert {rule for rule in counts if rule.startswith("present_")} == {
        f"present_{name}"
        for name in ("brain_grid", "consensus_arena", "consensus_comparison", "gene_expression", "spectra_methods")
    }


@pytest.mark.slow
def test_an_edited_simulator_reruns_the_jobs_that_read_it_and_no_others(pretended):
    path = pretended / "config/simulators/glands.yaml"
    before = path.read_text()
    path.write_text(before.replace("between_regions: 0.3", "between_regions: 0.2"))
    edited = pretended.job_counts(pretended.write_config())
    path.write_text(before)
    assert edited == pretended.job_counts(pretended.write_config({"glands": {"between_regions": 0.2}}))
    assert edited["score_gland_retrieval"] == 1


@pytest.mark.slow
def test_another_seed_reruns_what_is_drawn_and_no_example(pretended):
    counts = pretended.job_counts(pretended.write_config({"seed": 1}))
    drawn = {"embed_runs", "make_brain_volumes", "embed_brain", "embed_prostate", "run_toy_rgb", "run_theory_error"}
    assert drawn | OF_POOLS.keys() | {"read_genes", "run_gene_calibration"} < set(counts)
    assert "write_example_items" not in counts


# Edited module, rules that run again, and rules that do not. The figures of survival have a module of their own.
MODULES = [
    ("src/consensus_embedding/manifold/mds.py", {"run_mce_convergence"}, {"embed_runs", "gather_runs"}),
    ("src/consensus_embedding/io/table_formats.py", {"read_genes"}, {"embed_runs"}),
    (
        "workflow/replication/papers/tomo2025/mce_tail.py",
        {"run_mce_tail"},
        {"embed_runs", "gather_runs", "run_mce_convergence"},
    ),
    (
        "workflow/replication/papers/viswanath2012/gene_expression.py",
        {"score_gene_expression"},
        {"read_genes", "embed_genes"},
    ),
    (
        "workflow/replication/data/domains/gene_preparation.py",
        {"embed_genes", "score_gene_expression", "run_gene_calibration"},
        {"embed_brain"},
    ),
    (
        "workflow/replication/papers/ginsburg2016/fine_figures.py",
        {"present_feature_selection"},
        {"score_feature_selection", "run_feature_selection", "present_survival", "judge_claims"},
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "reruns", "stays"), MODULES, ids=[Path(module).stem for module, *_ in MODULES])
def test_an_edited_module_reruns_the_experiments_that_use_it(pretended, module, reruns, stays):
    study = pretended.write_config()
    with appended(pretended / module, "\n# An edit.\n"):
        counts = pretended.job_counts(study)
    assert reruns <= set(counts)
    assert not stays & set(counts)


# --- one more claim


def with_one_more_claim(checkout, like, name):
    """A configuration of the study with a claim more, like one that ships but under another id."""
    shipped = "\n".join(path.read_text() for path in (ROOT / "workflow/replication/papers").glob("*/claims.yaml"))
    claim = re.search(rf"^- id: {like}\n(?:  .*\n)+", shipped, re.M)[0]
    (checkout / f"config/{name}_claims.yaml").write_text(claim.replace(like, "MY-01", 1))
    return checkout.write_config({"claims": ["papers", f"config/{name}_claims.yaml"]}, f"config/{name}.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("like", "reruns"),
    [
        # Of an experiment that no universe runs; of one whose table shows the numbers of its claims; of one that
        # universes run: their saved metrics are judged again, and no universe is run.
        ("CE-01", {}),
        ("MC-01", {"present_mce_convergence": 1, "run_multiverse": 1, "present_multiverse": 1}),
        ("CE-04", {"run_multiverse": 1, "present_multiverse": 1}),
    ],
)
def test_one_more_claim_runs_the_judging_alone(pretended, like, reruns):
    assert pretended.job_counts(with_one_more_claim(pretended, like, "more")) == {**AFTER_A_NEW_METRIC, **reruns}

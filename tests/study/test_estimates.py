"""How long `snakemake plan` says that work on one's own data takes."""

import os
import shutil
import subprocess
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from replication.catalogue.configuration import read_configuration
from replication.catalogue.estimates import on_machine, settle_command
from replication.catalogue.steps import steps_of
from replication.data.digits import N_DIGITS
from replication.own_data.entry import number_of_points
from replication.own_data.steps import check_seconds
from replication.platform.configuration import merge
from replication.platform.study import Study
from replication.shared import rows
from snakemake.cli import parse_jobs


def seconds(**item):
    return check_seconds({"name": "mine", **item}).each


def table(folder, n):
    path = folder / f"{n}.csv"
    path.write_text("a,b\n" + "1,2\n" * n)
    return str(path)


def test_it_is_proportional_to_the_runs(tmp_path):
    path = table(tmp_path, 500)
    assert seconds(table=path, n_embeddings=40) == pytest.approx(2 * seconds(table=path), rel=0.1)


@pytest.mark.parametrize(("n", "low", "high"), [(N_DIGITS // 4, 0.1, 0.25), (2 * N_DIGITS, 2.0, 4.0)])
def test_it_grows_faster_than_the_points(tmp_path, n, low, high):
    ratio = seconds(table=table(tmp_path, n)) / seconds(table=table(tmp_path, N_DIGITS))
    assert low < ratio < high


def test_a_sample_counts_instead_of_the_table(tmp_path):
    assert seconds(table=table(tmp_path, 3000), sample=400) == pytest.approx(seconds(table=table(tmp_path, 400)))


@pytest.mark.parametrize("keys", [{"anndata": "cells.h5ad"}, {"table": "not_there.csv"}, {"table": "table.parquet"}])
def test_a_sample_counts_where_the_rows_are_not_known(tmp_path, keys):
    for n in (400, 5000):
        expected = seconds(table=table(tmp_path, 6000), sample=n)
        assert seconds(**keys, sample=n) == pytest.approx(expected)


def test_an_ending_in_capitals_is_that_of_a_table(tmp_path):
    path = table(tmp_path, 500)
    shutil.copy(path, tmp_path / "T.CSV")
    np.save(tmp_path / "a.npy", np.zeros((500, 2)))
    (tmp_path / "a.npy").rename(tmp_path / "A.NPY")
    assert [number_of_points(str(tmp_path / name)) for name in ("T.CSV", "A.NPY")] == [500, 500]


def test_rows_are_counted_once_while_a_table_stays_the_same(tmp_path, monkeypatch):
    path = tmp_path / "mine.csv"
    path.write_text("# of mine\na,b\n\n1,2\n3,4\n")
    opened = Mock(side_effect=open)
    monkeypatch.setattr(rows, "open", opened, raising=False)
    assert [rows.number_of_rows(str(path)) for _ in range(3)] == [2, 2, 2]
    path.write_text("a,b\n1,2\n3,4\n5,6\n")
    assert [rows.number_of_rows(str(path)) for _ in range(3)] == [3, 3, 3]
    assert opened.call_count == 2


def test_a_table_that_the_run_makes_counts_as_the_digits(tmp_path):
    assert seconds(table="not_there.csv") == pytest.approx(seconds(table=table(tmp_path, N_DIGITS)))


def test_ready_embeddings_are_only_compared(tmp_path):
    runs = [tmp_path / f"run_{k}.npy" for k in range(20)]
    for run in runs:
        np.save(run, np.zeros((N_DIGITS, 2)))
    ready = seconds(embeddings=list(map(str, runs)))
    assert 0 < ready < seconds(table=table(tmp_path, N_DIGITS)) / 3


def test_a_damaged_array_counts_as_the_digits(tmp_path):
    for name, content in {"cut.npy": b"\x93NUMPY", "empty.npy": b"", "text.npy": b"1,2\n"}.items():
        (tmp_path / name).write_bytes(content)
        assert seconds(table=str(tmp_path / name)) == seconds(table="not_there.csv")
    np.save(tmp_path / "number.npy", 3.0)
    assert seconds(table=str(tmp_path / "number.npy")) == seconds(table="not_there.csv")


def test_a_slow_embedder_takes_longer(tmp_path):
    path = table(tmp_path, 500)
    ours = seconds(table=path)
    umap, theirs = (seconds(table=path, embedder=name) for name in ("umap.UMAP", "sklearn.manifold.TSNE"))
    assert ours < umap < theirs


def of_step(name, changes, **wildcards):
    """Seconds of a job of a step with these changes of the configuration."""
    study, wildcards = Study(merge(read_configuration(), changes)), SimpleNamespace(**wildcards)
    return steps_of(study)[name].seconds(study, wildcards).of_job(study, wildcards)


@pytest.mark.parametrize(
    ("experiment", "role"),
    [(f"spectra_{name}", "evaluation") for name in ("dimensions", "stability", "components")]
    + [("spectra_calibration", "training")],
)
def test_own_spectra_take_the_place_of_the_simulated_ones(experiment, role):
    def run(sizes, *roles):
        own = [{"name": f"study_{k}", "role": each, "table": "no.csv"} for k, each in enumerate(roles)]
        changes = {"experiments": [experiment], "spectra": {**sizes, "own": own}}
        return of_step(f"run_{experiment}", changes)

    few = {"n_studies": 4, "n_repeated": 4, "n_training": 4}
    other = "training" if role == "evaluation" else "evaluation"
    assert run(few, role, role, other) == run({}, role, role) == pytest.approx((run({}, *[role] * 4) + 3) / 2)
    assert run({}, *[role] * 4) == run(few) < run({})


@pytest.mark.parametrize(
    ("name", "experiment"),
    [
        ("embed_genes", "gene_expression"),
        ("score_gene_expression", "gene_expression"),
        ("run_gene_calibration", "gene_calibration"),
        ("run_m_sensitivity", "m_sensitivity"),
    ],
)
def test_own_expression_takes_longer_the_more_samples_it_has(tmp_path, name, experiment):
    def of_table(path):
        genes = {"sets": [{"name": "mine", "table": path, "label": "a"}]}
        return of_step(name, {"experiments": [experiment], "genes": genes}, set="mine", reduction="pca")

    few, some, many = (of_table(table(tmp_path, n)) for n in (100, 400, 2000))
    assert of_table("not_there.csv") == of_table("table.arff") == few
    assert 2 * few < some < many / 4


def test_rounds_of_own_features_take_longer_the_more_samples_they_have(tmp_path):
    def of_table(n, **embedding):
        sets = [{"name": "mine", "table": table(tmp_path, n) if n else "not_there.csv", "label": "a"}]
        changes = {"features": {"sets": sets}, "feature_selection": {"sets": ["mine"]}, "feature_embedding": embedding}
        return of_step("score_feature_selection", changes, set="mine")

    assert of_table(100) == of_table(2000) == of_table(100, round_most=1500)
    assert of_table(2000, round_most=1500) == of_table(0, round_most=1500) > 20 * of_table(2000)


@pytest.mark.parametrize(
    ("options", "command"),
    [
        ([], "make settle"),
        (["--config", "study=mine"], "make settle OPTIONS='--config study=mine'"),
        (
            ["--configfile", "config/quick.yaml", "--config", "seed=1"],
            "make settle CONFIG=config/quick.yaml OPTIONS='--config seed=1'",
        ),
        (["--configfile", "config/quick.yaml", "mine.yaml"], "make settle CONFIG='config/quick.yaml mine.yaml'"),
        (["--config", "data={mirrors: ['https://me:secret@host']}"], "make settle"),
    ],
)
def test_the_command_that_settles_a_study_names_its_configuration(options, command):
    assert settle_command(options) == command


@pytest.mark.parametrize(
    "options", [["--configfile", "my study.yaml", "it's.yaml"], ["--config", "experiments=[a, b]", "study=$x"]]
)
def test_the_command_that_settles_a_study_keeps_names_with_blanks(tmp_path, options):
    (tmp_path / "Makefile").write_text(
        "CONFIG ?= no\nsettle:\n\t@printf '%s\\n' "
        "$(if $(filter-out file,$(origin CONFIG)),--configfile $(CONFIG)) $(OPTIONS)\n"
    )
    # Of a make that runs the tests, which would have this one say where it works.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    answer = subprocess.run(
        settle_command(options), shell=True, cwd=tmp_path, env=outside, capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines() == options


def test_a_plan_for_more_cores_than_there_are_says_so(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert on_machine(2) == "on this machine with --cores 2"
    assert on_machine(16) == "on a machine like this, which has 2, with --cores 16"
    assert on_machine(100, "--jobs") == "on nodes like this machine with --jobs 100"
    assert on_machine(parse_jobs("unlimited"), "--jobs") == "on nodes like this machine with --jobs unlimited"

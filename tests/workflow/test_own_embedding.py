"""Checks of your own embeddings, run as a user would run them."""

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import yaml
from checkout import ROOT
from consensus_embedding.io.anndata_file import read_anndata
from test_runs import damaged, stamps

pytestmark = pytest.mark.long_study

FILE = "config/own_embedding.yaml"
FEW = {"n_embeddings": 3, "n_neighbors": 5}
TSNE = {"embedder": "consensus_embedding.ExactTSNE", "parameters": {"perplexity": 8, "max_iter": 250}}
EXAMPLE = {"name": "digits", "table": "results/example/embedding.tsv", "label": "digit", "id": "image", "sample": 60}
CELLS = {"name": "cells", "anndata": "own/cells.h5ad", "label": "kind", "representation": "X_pca", "n_neighbors": 5}
ITEMS = [
    {**EXAMPLE, **FEW, **TSNE},
    {**CELLS, "obsm": ["X_run_0", "X_run_1", "X_run_2"], "distances": True},
    {"name": "ready", "embeddings": [f"own/run_{k}.npy" for k in range(3)], "n_neighbors": 5},
]


def configured(checkout, items, name="config/own.yaml", **keys):
    """Options for a run with these items."""
    (checkout / name).write_text(yaml.safe_dump({"own_embeddings": items, **keys}))
    return ["--configfile", FILE, name]


@pytest.fixture(scope="module")
def checked(new_checkout):
    """A checkout in which three embeddings were checked, with what was said."""
    checkout = new_checkout()
    (checkout / "own").mkdir()
    shutil.copy(ROOT / "tests/data/cells.h5ad", checkout / "own/cells.h5ad")
    rng = np.random.default_rng(0)
    for k in range(3):
        np.save(checkout / f"own/run_{k}.npy", rng.normal(size=(30, 2)))
    checkout.output = checkout.snakemake("--cores", "1", *configured(checkout, ITEMS))
    return checkout


def folder(checkout, name):
    return checkout / "results/own_embedding/embedding_check" / name


def test_without_a_target_only_the_checks_are_run_and_the_pages_are_named(checked):
    assert not (checked / "results/own_embedding/report.html").exists()
    _, _, end = checked.output.partition("\nLook at:\n")
    for name in ("digits", "cells", "ready"):
        assert f"results/own_embedding/embedding_check/{name}/check.html: what can be trusted" in end
    assert "Nothing to be done" in checked.snakemake("--cores", "1", "embedding_check", *configured(checked, ITEMS))


@pytest.mark.parametrize(
    ("name", "n", "files"),
    [
        ("digits", 60, {"label_groups.tsv", "label_pairs.tsv", "fidelity.tsv"}),
        ("cells", 40, {"label_groups.tsv", "label_pairs.tsv", "fidelity.tsv", "distances.npy", "cells.h5ad"}),
        ("ready", 30, set()),
    ],
)
def test_each_check_writes_the_files_that_its_data_allow(checked, name, n, files):
    made = {path.name for path in folder(checked, name).iterdir()}
    assert made == {"check.html", "points.tsv", "convergence.tsv", "figures", *files}
    page = (folder(checked, name) / "check.html").read_text()
    for path in files:
        assert f'href="{path}"' in page
    figures = {path.name for path in (folder(checked, name) / "figures").iterdir()}
    stems = {"pictures", "convergence", *(name.removesuffix(".tsv") for name in files if name.endswith(".tsv"))}
    assert figures == {f"{stem}.{kind}" for stem in stems for kind in ("png", "pdf")}
    table = pd.read_csv(folder(checked, name) / "points.tsv", sep="\t")
    assert len(table) == n
    assert table[["x", "y", "instability"]].notna().all(axis=None)


def test_an_anndata_file_stays_and_its_copy_has_the_results(checked):
    original = ROOT / "tests/data/cells.h5ad"
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (original, checked / "own/cells.h5ad")}
    assert len(digests) == 1
    table = pd.read_csv(folder(checked, "cells") / "points.tsv", sep="\t")
    copy = read_anndata(folder(checked, "cells") / "cells.h5ad", representation="X_consensus", label="stability")
    np.testing.assert_allclose(copy.values, table[["x", "y"]], rtol=1e-8)
    assert copy.labels.tolist() == table["category"].tolist()
    assert copy.ids == tuple(table["id"])
    with h5py.File(folder(checked, "cells") / "cells.h5ad") as file:
        assert len(file["uns/stability_colors"]) == len(file["obs/stability/categories"]) == 3
    assert np.load(folder(checked, "cells") / "distances.npy").shape == (40 * 39 // 2,)


def test_what_was_done_is_on_record(checked):
    manifest = json.loads((checked / "results/own_embedding/manifest.json").read_text())
    assert "results/own_embedding/embedding_check/cells/check.html" in json.dumps(manifest)
    log = (checked / "results/logs/own_embedding/check_embedding_digits.log").read_text()
    assert "60 points read" in log
    assert "3 runs were compared on 60 points" in log


def test_runs_in_jobs_of_their_own_give_the_same_bytes_and_are_made_once(checked):
    item = {**ITEMS[0], "runs_per_job": 1}
    options = configured(checked, [item], "config/parts.yaml", study="parts")
    assert checked.job_counts(*options[1:])["embed_own_digits"] == 3
    checked.snakemake("--cores", "1", *options)
    whole, parts = folder(checked, "digits"), checked / "results/parts/embedding_check/digits"
    files = [path.relative_to(whole) for path in whole.rglob("*") if path.is_file()]
    assert len(files) >= 7
    assert all((parts / path).read_bytes() == (whole / path).read_bytes() for path in files)
    more = {**item, "n_embeddings": 5, "n_neighbors": item["n_neighbors"] + 1, "tolerance": 0.2}
    again = configured(checked, [more], "config/parts.yaml", study="parts")
    assert checked.job_counts(*again[1:])["embed_own_digits"] == 2


def test_an_example_that_all_studies_share_is_that_of_no_seed(checked):
    options = configured(checked, ITEMS, "config/seed.yaml", seed=5)
    counts = checked.job_counts(*options[1:])
    assert "check_embedding_digits" in counts
    assert "write_example_embedding" not in counts


def test_wrong_input_gets_one_message_and_leaves_nothing(checked):
    wrong = [
        {**CELLS, "name": "key", "obsm": ["X_run_0", "X_run_1", "X_umap"]},
        {"name": "package", "table": "results/example/embedding.tsv", "embedder": "absent_package.Map"},
    ]
    options = configured(checked, wrong, "config/wrong.yaml")
    output = checked.snakemake("--cores", "1", "--keep-going", "embedding_check", *options, fails=True)
    _, _, said = output.partition("check of key failed: ")
    assert "own/cells.h5ad: expected a key 'X_umap' of obsm, found 'X_pca'" in said
    assert "own_embeddings, embedder of package: absent_package.Map needs the package absent_package" in output
    # The end names step, log and what to do, in lines that can be read.
    end = output.rpartition("Exiting because a job execution failed")[2]
    for item in wrong:
        log = f"results/logs/own_embedding/check_embedding_{item['name']}.log"
        assert re.search(rf"^check of {item['name']} failed: [^\0]+?^The full trace is in {log}$", end, re.M)
    assert "run the same command again" in end
    assert max(map(len, output.splitlines())) < 200
    for item in wrong:
        assert not folder(checked, item["name"]).exists() or not [
            path for path in folder(checked, item["name"]).rglob("*") if path.is_file()
        ]


def test_a_file_replaced_by_an_older_one_is_checked_again_and_no_other(checked):
    mine, page = checked / "own/run_0.npy", folder(checked, "ready") / "check.html"
    content, stat, says = mine.read_bytes(), mine.stat(), page.read_bytes()
    np.save(mine, np.load(mine)[::-1])
    os.utime(mine, (1e9, 1e9))
    output = checked.snakemake("--cores", "1", *configured(checked, ITEMS))
    assert "  own/run_0.npy: changed\n" in output
    assert not re.search(r"^check_embedding_(digits|cells) ", output, re.M)
    assert page.read_bytes() != says
    assert "Nothing to be done" in checked.look("--dry-run", *configured(checked, ITEMS))
    # As it was, but for its time stamp.
    mine.write_bytes(content)
    checked.snakemake("--cores", "1", *configured(checked, ITEMS))
    assert page.read_bytes() == says
    os.utime(mine, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert "Nothing to be done" in checked.snakemake("--cores", "1", *configured(checked, ITEMS))


@pytest.mark.parametrize("name", ["own/run_0.npy", "workflow/scripts/run.py"])
def test_a_file_dated_in_the_future_is_refused_before_anything_runs(checked, name):
    mine, before = checked / name, stamps(checked / "results")
    stat = mine.stat()
    os.utime(mine, (stat.st_atime, stat.st_mtime + 3 * 86400))
    options = configured(checked, ITEMS)
    try:
        for command in ([], ["--dry-run"], ["embedding_check"]):
            output = checked.look("--cores", "1", *command, *options, fails=True)
            assert "dated in the future" in output
            assert f"touch {name}" in output
        assert stamps(checked / "results") == before
    finally:
        os.utime(mine, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert "Nothing to be done" in checked.look("--dry-run", *options)


@pytest.mark.parametrize("target", [[], ["embedding_check"]])
@pytest.mark.parametrize("how", ["lost", "emptied"])
def test_every_file_of_a_check_is_made_again(checked, how, target):
    options = configured(checked, ITEMS)
    for name in ("digits", "cells", "ready"):
        paths = [path for path in folder(checked, name).rglob("*") if path.is_file()]
        assert len(paths) >= 7
        for path in paths:
            with damaged(path, how):
                output = checked.look("--dry-run", *target, *options)
                assert re.search(rf"^check_embedding_{name} +1$", output, re.M), path
    # Without a record by the names of the files alone.
    record = checked / "results/logs/own_embedding/check_embedding_ready.json"
    aside = record.rename(checked / "aside.json")
    try:
        for path in filter(Path.is_file, list(folder(checked, "ready").rglob("*"))):
            with damaged(path, "lost"):
                assert re.search(r"^check_embedding_ready +1$", checked.look("--dry-run", *target, *options), re.M)
    finally:
        aside.rename(record)

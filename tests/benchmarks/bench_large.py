"""
Time what a user does with a table of 3832 rows and with the slices of a whole head.

    .venv/bin/python tests/benchmarks/bench.py --only large_fine large_retrieval base_runs whole_head    ten minutes

The table is simulated: 27 clusters in 30 features. The head is simulated on the anatomy that comes with nilearn. Each
median consensus of UMAP runs has a process of its own, so that each pays for compiling UMAP.
"""

import os
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from consensus_embedding import MedianConsensusEmbedding, choose_embedding
from replication.catalogue.configuration import read_configuration
from replication.data.brainweb import brain_slices, load_anatomy
from replication.data.mri_simulator import GREY, WHITE
from replication.data.readers.item_table import read_items
from replication.papers.sparks2011 import gland_retrieval
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.papers.viswanath2012.region_maps import CONDITIONS
from replication.papers.viswanath2012.region_volumes import map_slices
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics
from rows import elsewhere, in_words, measure, note, once
from threadpoolctl import threadpool_limits

N_SAMPLES, N_FEATURES, N_CLASSES = 3832, 30, 27
N_RUNS, ROUNDS = 10, 2


def table():
    """Samples and their classes."""
    rng = np.random.default_rng(0)
    y = np.arange(N_SAMPLES) % N_CLASSES
    return rng.normal(size=(N_SAMPLES, N_FEATURES)) + 3 * rng.normal(size=(N_CLASSES, N_FEATURES))[y], y


def measure_runs(n_jobs):
    """
    Seconds of a median consensus of UMAP runs: on the clock, of all processors, and of the busiest chain of processes.

    The chain is this process, which waits for the workers, and the worker that computed most.
    """
    from umap import UMAP

    if hasattr(os, "sched_setaffinity"):
        # UMAP itself uses every core that it sees.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_jobs])
    warnings.filterwarnings("ignore", message="n_jobs value")
    os.environ["PYTHONWARNINGS"] = "ignore:n_jobs value"  # of the workers
    X, _ = table()
    model = MedianConsensusEmbedding(UMAP(init="random"), n_embeddings=N_RUNS, n_jobs=n_jobs, random_state=0)
    start, (own, picture) = time.perf_counter(), once(model.fit_transform, X)
    clock = time.perf_counter() - start
    workers = [sum(child.cpu_times()[:2]) for child in psutil.Process().children()]
    return {
        "clock": clock,
        "all": own + sum(workers),
        "chain": own + max(workers, default=0.0),
        "picture": picture.tolist(),
    }


def bench_base_runs():
    """One core and two in turn, several times; ratios of the same round."""
    rounds = [{n_jobs: elsewhere(__file__, "runs", n_jobs) for n_jobs in (1, 2)} for _ in range(ROUNDS)]
    same = all(found[1]["picture"] == found[2]["picture"] for found in rounds)
    what = f"Median consensus of {N_RUNS} UMAP runs, {N_SAMPLES} x {N_FEATURES}, one core / two"
    for name, meant in (("clock", "on the clock"), ("chain", "processor time of the busiest chain of processes")):
        one, two = ([found[n_jobs][name] for found in rounds] for n_jobs in (1, 2))
        ratio = np.median(np.divide(one, two))
        note(
            f"{what}, {meant}", f"{in_words(np.median(one))} / {in_words(np.median(two))}",
            f"ratio {ratio:.2f}, median of {ROUNDS} rounds; {'the same picture' if same else 'PICTURES DIFFER'}",
        )  # fmt: skip


def bench_fine():
    """Choice of parameters and embedding."""
    X, _ = table()
    with threadpool_limits(1):
        choose_embedding(X[:60], "le", n_neighbors=(5,))
        for reduction in ("pca", "isomap", "le", "lle"):
            took, found = once(choose_embedding, X, reduction)
            residual = f"residual variance {found.residual_variance:.4f}"
            note(f"FINE, parameters and embedding by {reduction}, {N_SAMPLES} x {N_FEATURES}", in_words(took), residual)


def bench_own_retrieval():
    """One draw, times the number of draws."""
    X, y = table()
    grid = settings_of(OutOfSample, read_configuration()["out_of_sample"], "out_of_sample")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        columns = {"item": [f"i{k}" for k in range(N_SAMPLES)], "label": [f"class {k}" for k in y]}
        pd.DataFrame(X).add_prefix("f").assign(**columns).to_csv(path, index=False)
        items = read_items({"name": "items", "table": str(path)})
    with threadpool_limits(1):
        took, _ = once(gland_retrieval.run_own, items, grid.replace(draws=1), name="items")
    note(
        f"Retrieval among {N_SAMPLES} items of {N_FEATURES} features, {N_CLASSES} classes, {grid.draws} draws",
        in_words(grid.draws * took), "from one draw, its queries counted each time",
    )  # fmt: skip


def measure_head(together):
    """Processor seconds of the region maps of all slices of a head, and their size."""
    section = {**read_configuration()["image_embedding"]}
    del section["exploratory_theta"]
    tissue = np.isin(load_anatomy("icbm152").labels, (GREY, WHITE)).sum(axis=(0, 1))
    found = [z for z in np.flatnonzero(tissue) if _has_both(z)]
    slices = [replace(one, labels=None) for one in brain_slices("icbm152", 3, 20, found, seed=0)]
    metrics = Metrics("region_maps", "head", "simulated", CONDITIONS)
    took, maps = once(
        map_slices, slices, settings_of(RegionSettings, section, "image_embedding"), metrics,
        one_embedding=bool(together),
    )  # fmt: skip
    return {"took": took, "slices": len(slices), "voxels": int(sum((one > 0).sum() for one in maps))}


def _has_both(z):
    return np.isin((GREY, WHITE), load_anatomy("icbm152").labels[:, :, z]).all()


def bench_head():
    for together, how in enumerate(("slice by slice", "in one embedding")):
        found = elsewhere(__file__, "head", together)
        what = f"Region maps of a head, {found['slices']} slices, {found['voxels'] / 1e6:.1f} million voxels, {how}"
        note(what, in_words(found["took"]), f"peak memory {found['peak']:.2f} GB")


if __name__ == "__main__":
    measure(runs=measure_runs, head=measure_head)

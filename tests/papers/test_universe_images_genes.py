"""Universes of the families images and genes: the same numbers as the study, and every level runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.utils.seeds import stream_seed
from replication.catalogue.configuration import read_configuration
from replication.claims.judging import judge_claims, read_claims
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression import load_split, read_split, save_split
from replication.data.readers.volumes import write_nifti
from replication.multiverse.multiverse import active_factors, read_levels, universe_config
from replication.multiverse.universe_families import reduced_config
from replication.papers.viswanath2012 import (
    brain_grid,
    m_sensitivity,
    method_names,
    ml_estimators,
    universe_genes,
    universe_images,
)
from replication.papers.viswanath2012.brain_files import score_units
from replication.papers.viswanath2012.gene_expression import CONDITIONS, score_variant
from replication.papers.viswanath2012.gene_splits import draw_subsets, embed_pool, gene_seed
from replication.papers.viswanath2012.image_slices import embed_slice, load_slices, pack_slices
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import GeneSettings, ImageSettings
from replication.shared.tidy import Metrics, read_table

ROOT = Path(__file__).parents[2]
SEED = 7
KEYS = ["noise", "inhomogeneity", "slice", "draw", "method", "metric"]


def factors_of(family, base):
    return active_factors(read_levels(read_table(ROOT / "config/choices.tsv"))[family], base)


@pytest.fixture(scope="module")
def volumes(tmp_path_factory):
    """Three slices of a round brain, its white matter inside: one for calibration, two that are evaluated."""
    folder = tmp_path_factory.mktemp("images") / "icbm152_0"
    folder.mkdir()
    x, y = np.ogrid[-24:24, -28:28]
    radius = np.hypot(x, y)
    labels = np.repeat(np.where(radius < 14, 3, np.where(radius < 22, 2, 0))[..., None], 3, axis=2).astype(np.uint8)
    labels[20:28, 25:31, 1] = 2
    write_nifti(labels, folder / "labels.nii.gz")
    paths = []
    for inhomogeneity in (0, 40):
        rng = np.random.default_rng(inhomogeneity)
        image = 100.0 + 15 * (labels == 3) + inhomogeneity / 4 * x[..., None] / 24 + rng.normal(0, 6, labels.shape)
        paths.append(str(folder / f"pn3_rf{inhomogeneity}.nii.gz"))
        write_nifti(image.astype(np.float32), paths[-1])
    return {"labels": str(folder / "labels.nii.gz"), "images": paths}


@pytest.fixture(scope="module")
def images(volumes):
    config = reduced_config(read_configuration("quick.yaml"), "images")
    return config, universe_images.study(config, volumes, SEED)


def test_universe_of_images_has_the_numbers_of_the_study(images, volumes, tmp_path):
    config, found = images
    brain, settings = config["brain"], ImageSettings.model_validate(config["image_embedding"])
    labels, parts = universe_images._volume(volumes["labels"]), {}
    for path, inhomogeneity in zip(volumes["images"], (0, 40), strict=True):
        for k, z in enumerate(brain["slices"], 1):
            mask = universe_images.quarter(labels[..., k] > 0, k - 1)
            parts[f"{settings.objects}/{inhomogeneity}/{z}"] = embed_slice(
                universe_images._volume(path)[..., k], mask, labels[..., k] == 3, settings,
                seed=stream_seed(SEED, "brain", 0),
            )  # fmt: skip
    saved = tmp_path / "icbm152_0" / "pn3.npz"
    saved.parent.mkdir()
    np.savez(saved, **pack_slices(parts))
    estimators = score_units(
        "ml_estimators", [saved], ml_estimators.CONDITIONS,
        lambda metrics, slices, **at: ml_estimators.score_combination(
            metrics, slices, settings, config["ml_estimators"]["estimators"], **at
        ),
        brain, settings.objects,
    )  # fmt: skip
    pd.testing.assert_frame_equal(
        found["ml_estimators"].sort_values(KEYS, ignore_index=True),
        estimators[estimators["theta"] == 0.15].sort_values(KEYS, ignore_index=True),
    )
    metrics, embedded = (
        Metrics("brain_grid", "icbm152_simulated", "simulated", brain_grid.CONDITIONS),
        load_slices(saved),
    )
    for inhomogeneity in brain["inhomogeneity"]:
        slices = {z: embedded[f"{settings.objects}/{inhomogeneity}/{z}"] for z in brain["slices"]}
        learnt = brain_grid.learnt_strengths(list(slices.values()))
        brain_grid.score_combination(metrics, slices, learnt, settings, seed=SEED, objects="mean_shift", noise=3,
                                     inhomogeneity=inhomogeneity, draw=0)  # fmt: skip
    whole = metrics.table().set_index(KEYS)["value"]
    part = found["brain_grid"].set_index(KEYS)["value"]
    assert set(part.index.get_level_values("method")) >= {*method_names.PAPER_METHODS, "best_single"}
    assert (part == whole[part.index]).all()


def test_claims_on_images_are_judged_whatever_the_objects_and_the_threshold(images, volumes):
    config, _ = images
    claims = read_claims()
    claims = claims[claims["id"].isin(["CE-02", "CE-04", "CE-05", "CE-06", "CE-20-brain", "CE-21-brain"])]
    other = {**config, "image_embedding": {**config["image_embedding"], "objects": "random", "theta": 0.9}}
    metrics = universe_images.study(other, volumes, SEED)
    judged = judge_claims(claims, metrics)
    assert len(judged) == 6
    assert not (judged["verdict"] == "not testable").any(), judged[["id", "reason"]].to_string()
    objects = metrics["brain_grid"].query("metric == 'n_objects'")["value"]
    assert (objects == config["image_embedding"]["max_objects"]).all()


def test_claims_are_judged_at_the_configured_grey_levels():
    config = read_configuration("config.yaml")
    claims = read_claims()
    claims = claims[(claims["experiment"] == "brain_readings") & (claims["kind"] != "context")]
    levels = {test["where"]["levels"] for test in claims["test"]}
    assert levels == {config["image_embedding"]["levels"]} == {universe_images.JUDGED_LEVELS}


def test_what_a_universe_says_of_theta_does_not_move_the_claims_at_the_printed_theta(images, volumes):
    config, found = images
    other = {**config, "image_embedding": {**config["image_embedding"], "theta": 0.3, "theta_reading": "strongest"}}
    again = universe_images.study(other, volumes, SEED)
    pd.testing.assert_frame_equal(again["brain_readings"], found["brain_readings"])
    # It does move the others.
    assert not again["brain_grid"].equals(found["brain_grid"])


def test_quarters_are_a_partition_and_slices_are_evenly_spaced():
    mask = np.hypot(*np.ogrid[-20:21, -15:16]) < 14
    parts = np.array([universe_images.quarter(mask, k) for k in range(4)])
    np.testing.assert_array_equal(parts.sum(axis=0), mask)
    assert parts.sum(axis=(1, 2)).min() > mask.sum() / 5
    np.testing.assert_array_equal(universe_images.quarter(mask, 5), parts[1])
    assert universe_images.chosen_slices(10) == [0, 3, 6, 9]
    assert universe_images.chosen_slices(2) == [0, 1]


def test_images_refuse_volumes_that_do_not_fit(images, volumes):
    config, _ = images
    with pytest.raises(ValueError, match=r"Expected 2 slices .* found 3 and 3"):
        universe_images.study({**config, "brain": {**config["brain"], "slices": [80]}}, volumes, SEED)


@pytest.fixture(scope="module")
def genes(tmp_path_factory):
    config = reduced_config(read_configuration("quick.yaml"), "genes")
    path = tmp_path_factory.mktemp("genes") / "planted.npz"
    save_split(path, read_split(config["genes"]["sets"][0], seed=gene_seed(SEED, "planted")))
    files = {"splits": [str(path)]}
    return config, files, universe_genes.study(config, files, SEED)


def test_universe_of_genes_has_the_numbers_of_the_study(genes):
    config, files, found = genes
    settings, draws = GeneSettings.model_validate(config["gene_embedding"]), config["genes"]["repetitions"]
    numbers, own = config["m_sensitivity"]["n_embeddings"], gene_seed(SEED, "planted")
    size, split = max(settings.n_embeddings, *numbers), load_split(files["splits"][0])
    table = prepare_genes(split, **settings.preparation)
    pools = {
        reduction: [
            embed_pool(table, reduction, draw_subsets(len(table.genes), settings.subset_size, size, own, r), settings)
            for r in range(draws)
        ]
        for reduction in REDUCTIONS
    }
    main = Metrics("gene_expression", "planted", "simulated", CONDITIONS)
    score_variant(main, split, settings, pools=pools, repetitions=draws, pool_size=size, seed=own)
    keys = ["method", "variant", "class", "repetition", "metric"]
    whole, part = (
        one.fillna({"class": ""}).set_index(keys)["value"] for one in (main.table(), found["gene_expression"])
    )
    assert len(part) > 50
    assert {"knn_ensemble_scaled", "ssage", "best_single_pca", "consensus_ge_us"} <= set(
        found["gene_expression"]["method"]
    )
    np.testing.assert_allclose(part, whole[part.index], rtol=0, atol=1e-12)
    beside = Metrics("m_sensitivity", "planted", "simulated", m_sensitivity.CONDITIONS)
    for reduction in REDUCTIONS:
        m_sensitivity.score_pools(beside, pools[reduction], reduction, table.test_positive, settings, numbers)
    pd.testing.assert_frame_equal(found["m_sensitivity"], beside.table())


@pytest.mark.parametrize(("transform", "pruning"), [("none", "training"), ("log", "whole"), ("rank", "whole")])
def test_narrowed_genes_prepare_as_the_whole_table(genes, transform, pruning):
    config, files, _ = genes
    section = {**config["gene_embedding"], "transform": transform, "pruning": pruning}
    settings = GeneSettings.model_validate(section)
    whole = prepare_genes(load_split(files["splits"][0]), **settings.preparation)
    split = universe_genes.narrowed(files["splits"][0], transform, pruning == "whole", settings.n_genes)
    part = prepare_genes(split, **settings.replace(transform="none").preparation)
    np.testing.assert_array_equal(part.genes, whole.genes)
    np.testing.assert_allclose(part.training, whole.training, atol=1e-12)
    np.testing.assert_allclose(part.test, whole.test, atol=1e-12)
    assert split.training.values.shape[1] == settings.n_genes


@pytest.mark.slow
@pytest.mark.parametrize("family", ["images", "genes"])
def test_random_combinations_of_levels_run(family, volumes, genes):
    base = reduced_config(read_configuration("quick.yaml"), family)
    factors = factors_of(family, base)
    files, study = (volumes, universe_images.study) if family == "images" else (genes[1], universe_genes.study)
    rng, found = np.random.default_rng(0), []
    for _ in range(4):
        row = [rng.integers(len(factor.levels)) for factor in factors]
        for table in study(universe_config(base, factors, row), files, SEED).values():
            assert np.isfinite(table["value"]).all()
            found.append(table.query("metric == 'accuracy'")["value"].mean())
    assert len(set(found)) > 4

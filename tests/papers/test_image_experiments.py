"""The image experiments on tiny images with two textures: known answers, and what must hold exactly."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.clustering.clustering import clustering_accuracy, evidence_accumulation
from consensus_embedding.clustering.mean_shift import Objects, representative_objects
from consensus_embedding.consensus.subset_embeddings import (
    DistancesOfEmbeddings,
    combine_embeddings,
    select_embeddings,
)
from presented import rows
from replication.data.readers.volumes import ImageSlice
from replication.papers.viswanath2012 import (
    brain_calibration,
    brain_grid,
    brain_readings,
    brain_real_slices,
    brain_runtime,
    intrinsic_dimension,
    leave_one_out,
    method_names,
    ml_estimators,
    region_maps,
    theta_sensitivity,
)
from replication.papers.viswanath2012.brain_files import score_units
from replication.papers.viswanath2012.image_slices import (
    cluster,
    embed_slice,
    load_slices,
    pack_slices,
    slice_features,
)
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.steps import QUIET, Work
from replication.shared import calibration
from replication.shared.tidy import Metrics

SETTINGS = ImageSettings.model_validate(
    {
        "levels": 32,
        "scaling": "zscore",
        "max_objects": 40,
        "n_neighbors": 8,
        "n_embeddings": 8,
        "kmeans_starts": 5,
    },
)
COMBINE = {"n_components": 3, "normalization": "max", "mds": "classical"}
ESTIMATORS = ["median", "mean"]
SELECTION = {"thetas": [0.15, 0.9], "n_selected": [1, 4, 8, 99], "repetitions": 2}


def few_pixels(n, **change):
    """A slice with n pixels in its mask."""
    one, settings = own(**change)
    few = np.zeros_like(one.mask)
    few[2, 2 : 2 + n] = True
    return replace(one, mask=few), settings


def mapped(one, settings, **options):
    """Regions of a slice, and the metrics."""
    metrics = Metrics("region_maps", "mine", "own", region_maps.CONDITIONS)
    return region_maps.map_slice(one, settings, metrics, seed=1, **options), metrics.table()


def textures(seed, size=38, step=0.0):
    """Image, mask and class of interest: the right half is rougher, and brighter by a step."""
    rng = np.random.default_rng(seed)
    mask = np.zeros((size, size), dtype=bool)
    mask[6:-6, 5:-7] = True
    right = np.zeros((size, size), dtype=bool)
    right[:, size // 2 :] = True
    image = 100 + step * right + rng.normal(size=(size, size)) * np.where(right, 20, 4)
    return image, mask, right & mask


def embedded(seed, **change):
    return embed_slice(*textures(seed), SETTINGS.replace(**change), seed=1)


def planted():
    """Six objects of which the second base embedding alone tells the classes; pixels of the object 4 are of both."""
    positive, sizes = np.array([0.0, 0, 0, 5, 3, 2]), np.array([4, 3, 2, 5, 4, 2])
    assignment = np.repeat(np.arange(6), sizes)
    truth = np.concatenate([np.arange(size) < count for size, count in zip(sizes, positive, strict=True)])
    rng = np.random.default_rng(0)
    mask = np.zeros((5, 6), dtype=bool)
    mask.flat[3:23] = True
    embeddings = np.zeros((3, 6, 3), dtype=np.float32)
    for k, found in enumerate(([0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0])):
        embeddings[k, :, 0] = found
        embeddings[k] += 0.01 * rng.normal(size=(6, 3))
    features = rng.normal(size=(6, 5))
    return brain_grid.EmbeddedSlice(
        mask=mask,
        positive_pixels=truth,
        intensity=10.0 + 5 * truth,
        objects=Objects(features, assignment, sizes),
        positive=positive,
        embeddings=embeddings,
        subsets=np.array([[0, 1], [2, 3], [1, 4]]),
        accuracies=np.array([0.55, 0.95, 0.65]),
        r_squared=np.array([0.9, 0.5, 0.3]),
    )


PLANTED = SETTINGS.replace(n_neighbors=3, n_components=2)


@pytest.fixture(scope="module")
def one():
    return embedded(0)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Files of embedded slices of two units, two noise levels, two non-uniformities, two slices."""
    folder = tmp_path_factory.mktemp("slices")
    paths = []
    for unit in ("icbm152_0", "brainweb_resimulated_1"):
        for noise in (1, 9):
            path = folder / unit / f"pn{noise}.npz"
            path.parent.mkdir(exist_ok=True)
            seed = 100 * len(unit) + noise
            slices = {f"mean_shift/{f}/{z}": embedded(seed + z + f) for f in (0, 40) for z in (60, 70)}
            np.savez(path, **pack_slices(slices))
            paths.append(path)
    return paths


BRAIN = {"inhomogeneity": [0, 40], "slices": [60, 70]}


# --- slices


def assert_same_slice(first, second):
    for field in fields(first):
        if field.name != "objects":
            found, expected = getattr(first, field.name), getattr(second, field.name)
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype, field.name
    for field in ("features", "assignment", "sizes"):
        np.testing.assert_array_equal(getattr(first.objects, field), getattr(second.objects, field))


def test_slices_survive_a_file(tmp_path, one):
    other = embedded(5, objects="k_means")
    np.savez(tmp_path / "slices.npz", **pack_slices({"mean_shift/0/60": one, "mean_shift/0/7": other}))
    found = load_slices(tmp_path / "slices.npz")
    assert list(found) == ["mean_shift/0/60", "mean_shift/0/7"]
    assert_same_slice(found["mean_shift/0/60"], one)
    assert found["mean_shift/0/60"].objects.bandwidth == one.objects.bandwidth > 0
    some = load_slices(tmp_path / "slices.npz", ["mean_shift/0/7"])
    assert list(some) == ["mean_shift/0/7"]
    assert_same_slice(some["mean_shift/0/7"], other)
    assert some["mean_shift/0/7"].objects.bandwidth is None


def test_an_embedded_slice_accounts_for_every_pixel(one):
    image, mask, positive = textures(0)
    np.testing.assert_array_equal(one.intensity, image[mask])
    np.testing.assert_array_equal(one.positive_pixels, positive[mask])
    n_objects = len(one.objects.features)
    assert 2 <= n_objects <= SETTINGS.max_objects
    for k in range(n_objects):
        members = one.objects.assignment == k
        assert (one.objects.sizes[k], one.positive[k]) == (members.sum(), positive[mask][members].sum())
    assert one.embeddings.shape == (8, n_objects, 3)
    assert one.embeddings.dtype == np.float32


def test_strengths_are_shares_and_those_of_the_clusters(one):
    for strengths in (one.accuracies, one.r_squared):
        assert strengths.shape == (8,)
        assert ((strengths >= 0) & (strengths <= 1)).all()
    assert (one.accuracies >= 0.5).all()
    assert np.ptp(one.accuracies) > 0.05
    for embedding, accuracy in zip(one.embeddings, one.accuracies, strict=True):
        clusters = cluster(embedding.astype(np.float64), one.objects.sizes, SETTINGS)
        assert accuracy == one.accuracy(clusters)
        assert accuracy == pytest.approx(clustering_accuracy(one.objects.to_pixels(clusters), one.positive_pixels))


def test_objects_that_were_made_before_give_the_same_slice(one):
    image, mask, positive = textures(0)
    objects = representative_objects(slice_features(image, mask, SETTINGS), "mean_shift", max_objects=40, seed=1)
    assert_same_slice(embed_slice(image, mask, positive, SETTINGS, seed=1, objects=objects), one)


@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal:RuntimeWarning")
def test_subsets_of_constant_features_have_no_strength(one):
    image, mask, positive = textures(0)
    features = one.objects.features.copy()
    features[:, one.subsets[2]] = 0.1
    objects = Objects(features, one.objects.assignment, one.objects.sizes)
    found = embed_slice(image, mask, positive, SETTINGS, seed=1, objects=objects)
    assert found.accuracies[2] == found.r_squared[2] == 0
    assert (np.delete(found.accuracies, 2) > 0).all()
    unlabelled = embed_slice(image, mask, None, SETTINGS, seed=1, objects=objects)
    assert np.isnan(unlabelled.accuracies).all()
    assert unlabelled.r_squared[2] == 0


@pytest.mark.parametrize("kind", ["k_means", "random"])
def test_kinds_of_objects(kind):
    found = embed_slice(*textures(0), SETTINGS.replace(objects=kind), seed=1)
    expected = representative_objects(slice_features(*textures(0)[:2], SETTINGS), kind, max_objects=40, seed=1)
    np.testing.assert_array_equal(found.objects.features, expected.features)
    assert found.objects.bandwidth is None
    assert len(found.objects.features) == 40


def test_without_labels_nothing_counts_as_the_class_of_interest(one):
    image, mask, _ = textures(0)
    found = embed_slice(image, mask, None, SETTINGS, seed=1)
    assert found.positive_pixels.shape == (mask.sum(),)
    assert not found.positive_pixels.any()
    assert not found.positive.any()
    assert not np.nan_to_num(found.accuracies).any()
    np.testing.assert_array_equal(found.r_squared, one.r_squared)
    np.testing.assert_array_equal(found.embeddings, one.embeddings)


# --- brain_grid


def test_without_other_slices_the_methods_that_learn_are_left_out(one):
    found, counts = brain_grid.score_slice(one, SETTINGS, seed=3)
    assert not {"best_single_learnt", "consensus_strict_learnt"} & set(found)
    assert "n_selected_consensus_strict_learnt" not in counts
    assert set(method_names.PAPER_METHODS) <= set(found)


def test_what_is_learnt_elsewhere_decides_and_not_the_labels_of_the_slice():
    slice_ = planted()
    found, counts = brain_grid.score_slice(slice_, PLANTED, learnt=np.array([0.9, 0.5, 0.5]))
    accuracy = {method: slice_.accuracy(clusters) for method, clusters in found.items()}
    assert accuracy["best_single"] == 19 / 20
    # The first embedding puts the objects 1, 3 and 5 together: 7 of 10 right, and 4 + 2 + 1 of the others.
    assert accuracy["best_single_learnt"] == 14 / 20
    assert accuracy["consensus_strict"] == accuracy["best_single"]
    assert accuracy["consensus_strict_learnt"] == accuracy["best_single_learnt"]
    # Without labels the R-squared index chooses the first embedding too.
    assert accuracy["consensus_strict_unlabelled"] == accuracy["best_single_learnt"]
    assert counts == {
        "consensus": 3,
        "consensus_strict": 1,
        "consensus_strict_unlabelled": 1,
        "consensus_strict_learnt": 1,
    }


def test_the_best_single_embedding_tells_two_textures(one):
    found, _ = brain_grid.score_slice(one, SETTINGS, seed=0)
    accuracy = one.accuracy(found["best_single"])
    assert accuracy == one.accuracies.max()
    assert accuracy > 0.9
    assert accuracy > one.accuracy(found["random"]) + 0.2
    chosen = one.embeddings[select_embeddings(one.accuracies, 0.15)]
    space = combine_embeddings(chosen, **COMBINE).embedding
    np.testing.assert_array_equal(found["consensus"], cluster(space, one.objects.sizes, SETTINGS))


def test_raw_consensus_combines_the_feature_subsets_of_the_strict_one(one):
    found, _ = brain_grid.score_slice(one, SETTINGS, seed=0)
    chosen = one.subsets[one.accuracies > 0.9 * one.accuracies.max()]
    space = combine_embeddings([one.objects.features[:, subset] for subset in chosen], **COMBINE).embedding
    np.testing.assert_array_equal(found["raw_strict"], cluster(space, one.objects.sizes, SETTINGS))


@pytest.mark.parametrize("names", [(0, 1), (1, 0), (4, 2)])
def test_region_map_gives_the_class_of_interest_one_whatever_the_cluster_is_called(names):
    slice_ = planted()
    clusters = np.array([names[0]] * 3 + [names[1]] * 3)
    drawn = brain_grid.region_map(slice_, clusters)
    assert drawn.shape == slice_.mask.shape
    assert (drawn[~slice_.mask] == -1).all()
    # All pixels of the objects 3 to 5: one of the eleven is of the other class.
    np.testing.assert_array_equal(drawn[slice_.mask], [0] * 9 + [1] * 11)
    assert (drawn[slice_.mask] == slice_.positive_pixels).mean() == slice_.accuracy(clusters) == 19 / 20


def test_learnt_strengths_are_means_over_slices():
    slices = [replace(planted(), accuracies=np.array(values)) for values in ([0.5, 0.9, 0.7], [0.7, 0.7, 1.0])]
    np.testing.assert_allclose(brain_grid.learnt_strengths(slices), [0.6, 0.8, 0.85])


@pytest.mark.slow
@pytest.mark.parametrize("features", ["haralick14", "haralick13_intensity"])
def test_a_slice_has_the_same_features_by_mahotas(features):
    image, mask, _ = textures(0)
    found, expected = (
        slice_features(image, mask, SETTINGS.replace(features=features, implementation=one))
        for one in ("mahotas", "fast")
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_pixels_that_differ_in_intensity_are_told_by_it():
    bright = embed_slice(*textures(0, step=1000.0), SETTINGS, seed=1)
    found = brain_grid.pixel_accuracies(bright, SETTINGS.kmeans_starts)
    assert found == {"intensity": 1.0}
    alike = embedded(0)
    rough = slice_features(*textures(0)[:2], SETTINGS)
    found = brain_grid.pixel_accuracies(alike, SETTINGS.kmeans_starts, rough)
    assert set(found) == {"intensity", "features_of_pixels"}
    assert found["intensity"] < 0.7
    told = brain_grid.pixel_accuracies(alike, SETTINGS.kmeans_starts, alike.positive_pixels[:, None] + np.zeros((1, 2)))
    assert told["features_of_pixels"] == 1.0


def test_a_combination_is_scored_slice_by_slice(one):
    metrics = Metrics("brain_grid", "brainweb", "original", brain_grid.CONDITIONS)
    slices, at = {60: one, 70: embedded(4)}, {"objects": "mean_shift", "noise": 3, "inhomogeneity": 20, "draw": 0}
    features = {z: slice_features(*textures(seed)[:2], SETTINGS) for z, seed in ((60, 0), (70, 4))}
    maps = brain_grid.score_combination(metrics, slices, one.accuracies, SETTINGS, features=features, seed=0, **at)
    table = metrics.table()
    accuracy = rows(table, "accuracy")
    assert not accuracy.duplicated(["method", "slice"]).any()
    assert set(accuracy["method"]) == set(method_names.METHODS)
    for z, slice_ in slices.items():
        for method, clusters in maps[z].items():
            assert rows(accuracy, "accuracy", method=method, slice=z)["value"].item() == slice_.accuracy(clusters)
    assert set(rows(table, "n_selected", method="consensus")["value"]) == {8.0}
    for column, value in at.items():
        assert set(table[column]) == {value}


def test_without_features_the_pixels_are_not_clustered(one):
    metrics = Metrics("brain_grid", "brainweb", "original", brain_grid.CONDITIONS)
    brain_grid.score_combination(metrics, {60: one}, one.accuracies, SETTINGS, seed=0, noise=3)
    assert not set(metrics.table()["method"]) & {"intensity", "features_of_pixels"}


# --- ml_estimators, theta_sensitivity, through the walk over the files


def estimators(paths, work=QUIET):
    def score(metrics, slices, **at):
        ml_estimators.score_combination(metrics, slices, SETTINGS, ESTIMATORS, **at)

    return score_units("ml_estimators", paths, ml_estimators.CONDITIONS, score, BRAIN, "mean_shift", work)


def sensitivity(paths, work=QUIET):
    def score(metrics, slices, **at):
        theta_sensitivity.score_combination(metrics, slices, SETTINGS, **SELECTION, seed=5, **at)

    return score_units("theta_sensitivity", paths, theta_sensitivity.CONDITIONS, score, BRAIN, "mean_shift", work)


@pytest.mark.slow
@pytest.mark.parametrize("make", [estimators, sensitivity])
def test_the_number_of_threads_changes_nothing(saved, make):
    first = make(saved)
    pd.testing.assert_frame_equal(first, make(saved, Work(threads=2)))
    units = first[["dataset", "source", "draw", "noise", "inhomogeneity", "slice"]].drop_duplicates()
    assert len(units) == 2 * 2 * 2 * 2
    assert units["dataset"].unique().tolist() == ["icbm152_simulated", "brainweb_resimulated"]
    assert units.groupby("dataset")["draw"].unique().explode().to_dict() == {
        "icbm152_simulated": 0,
        "brainweb_resimulated": 1,
    }
    assert set(units["source"]) == {"simulated"}


def test_slices_keep_their_place_in_the_files(saved):
    seen = {}

    def score(metrics, slices, *, noise, inhomogeneity, draw):
        seen[draw, noise, inhomogeneity] = list(slices)
        for z, slice_ in slices.items():
            metrics.add("seen", "first", slice_.intensity[0], noise=noise, inhomogeneity=inhomogeneity, slice=z)

    said = []
    found = score_units(
        "made_up", saved[:2], ["noise", "inhomogeneity", "slice"], score, BRAIN, "mean_shift", Work(say=said.append)
    )
    assert len(said) == 4
    assert seen == {(0, noise, f): [60, 70] for noise in (1, 9) for f in (0, 40)}
    for row in found.itertuples():
        image, mask, _ = textures(100 * len("icbm152_0") + row.noise + row.slice + row.inhomogeneity)
        assert row.value == image[mask][0]


def test_estimators_combine_the_same_selected_embeddings(saved):
    table = estimators(saved[:1])
    # Two thresholds, two estimators, two slices, two non-uniformities.
    assert len(table) == 16
    assert set(table["metric"]) == {"accuracy"}
    assert set(table["theta"]) == {0.15, 0.9}
    slice_ = load_slices(saved[0])["mean_shift/40/70"]
    for theta in (0.15, 0.9):
        chosen = slice_.embeddings[slice_.accuracies > theta * slice_.accuracies.max()]
        for estimator in ("median", "mean"):
            space = combine_embeddings(chosen, estimator=estimator, **COMBINE).embedding
            expected = slice_.accuracy(cluster(space, slice_.objects.sizes, SETTINGS))
            at = {"method": estimator, "theta": theta, "slice": 70, "inhomogeneity": 40}
            assert rows(table, "accuracy", **at)["value"].item() == expected


def test_the_median_withstands_one_embedding_that_the_mean_follows():
    slice_ = planted()
    right, wrong = slice_.embeddings[1], 50 * slice_.embeddings[0]
    slice_ = replace(slice_, embeddings=np.array([right, wrong, right]), accuracies=np.array([0.9, 0.9, 0.9]))
    metrics = Metrics("ml_estimators", "brainweb", "original", ml_estimators.CONDITIONS)
    settings = PLANTED.replace(normalization="none")
    ml_estimators.score_combination(metrics, {60: slice_}, settings, ESTIMATORS, noise=3, inhomogeneity=0, draw=0)
    found = metrics.table().groupby("method")["value"].unique().to_dict()
    assert found == {"median": [19 / 20], "mean": [14 / 20]}


def test_thresholds_choose_within_a_random_half(monkeypatch, one):
    seen, combine = [], DistancesOfEmbeddings.combine

    def noted(distances, chosen):
        seen.append(set(chosen.tolist()))
        return combine(distances, chosen)

    monkeypatch.setattr(DistancesOfEmbeddings, "combine", noted)
    metrics = Metrics("theta_sensitivity", "brainweb", "original", theta_sensitivity.CONDITIONS)
    selection = {"thetas": [0.15, 0.9], "n_selected": [3], "repetitions": 4}
    theta_sensitivity.score_combination(
        metrics, {60: one}, SETTINGS, **selection, seed=5, noise=3, inhomogeneity=0, draw=0
    )
    halves, strong, random = seen[::3], seen[1::3], seen[2::3]
    assert {len(half) for half in halves} == {4}
    assert {len(chosen) for chosen in random} == {3}
    assert len(set(map(frozenset, halves))) > 1
    for half, chosen in zip(halves, strong, strict=True):
        best = max(one.accuracies[k] for k in half)
        assert chosen == {k for k in half if one.accuracies[k] > 0.9 * best}
    assert any(chosen < half for half, chosen in zip(halves, strong, strict=True))


def test_thresholds_and_numbers_of_embeddings(saved):
    table = sensitivity(saved[:1])
    # K = 1, 4, 8 of eight: 99 are too many. Half of the embeddings, of which the lowest threshold leaves all.
    assert set(rows(table, "accuracy", method="consensus_of_k")["n_selected"]) == {1, 4, 8}
    kept = rows(table, "n_selected", method="consensus")
    assert set(rows(kept, "n_selected", theta=0.15)["value"]) == {4}
    assert rows(kept, "n_selected", theta=0.9)["value"].between(1, 4).all()
    slice_ = load_slices(saved[0])["mean_shift/0/60"]
    here = rows(table, "accuracy", slice=60, inhomogeneity=0)
    # All embeddings combined, in whatever order, are the consensus of all.
    everything = cluster(combine_embeddings(slice_.embeddings, **COMBINE).embedding, slice_.objects.sizes, SETTINGS)
    of_all = rows(here, "accuracy", method="consensus_of_k", n_selected=8)["value"]
    assert of_all.tolist() == [slice_.accuracy(everything)] * 2
    # One embedding combined is that embedding, up to a turn of its space.
    alone = rows(here, "accuracy", method="consensus_of_k", n_selected=1)["value"]
    assert np.isclose(alone.to_numpy()[:, None], slice_.accuracies, atol=1e-12).any(axis=1).all()


# --- intrinsic_dimension


def dimensions(slice_, n_neighbors):
    metrics = Metrics("intrinsic_dimension", "brainweb", "original", intrinsic_dimension.CONDITIONS)
    image = textures(0)[0]
    intrinsic_dimension.score_slice(
        metrics, image, slice_, SETTINGS, n_neighbors, seed=0, noise=3, inhomogeneity=0, slice=60
    )
    return metrics.table()


def test_dimension_of_a_plane_and_of_a_line(monkeypatch, one):
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(one.mask.sum(), 2)) @ rng.normal(size=(2, 14))
    line = rng.uniform(size=(200, 1)) @ rng.normal(size=(1, 14))
    monkeypatch.setattr(intrinsic_dimension, "slice_features", lambda image, mask, settings: plane)
    slice_ = replace(one, objects=Objects(line, np.zeros(len(plane), dtype=int), np.ones(200, dtype=int)))
    table = dimensions(slice_, [10, 20])
    assert table["space"].tolist() == ["pixels", "objects"]
    assert set(table["metric"]) == {"intrinsic_dimension"}
    assert table["value"].tolist() == [pytest.approx(2.0, abs=0.3), pytest.approx(1.0, abs=0.2)]


def test_dimension_of_few_objects_takes_fewer_neighbours(one):
    few = replace(one, objects=replace(one.objects, features=one.objects.features[:12]))
    table = dimensions(few, [5, 20])
    assert np.isfinite(table["value"]).all()
    expected = intrinsic_dimension.intrinsic_dimension(one.objects.features[:12], k1=5, k2=10)
    assert table["value"].iloc[1] == expected


# --- brain_readings


def test_readings_share_base_embeddings_and_differ_in_what_they_combine(one):
    metrics = Metrics("brain_readings", "brainweb", "original", brain_readings.CONDITIONS)
    names = ["literal", "within", "strongest", "chance_corrected"]
    at = {"levels": 16, "noise": 3, "inhomogeneity": 20}
    brain_readings.score_combination(metrics, {75: one}, SETTINGS, names, **at)
    found = metrics.table().pivot_table(index="method", columns="metric", values="value")
    methods = ["consensus", "consensus_within", "consensus_strongest", "consensus_chance_corrected"]
    shares = {f"{kind}_{reading}" for kind in ("r_squared", "all") for reading in names}
    assert set(found.index) == {"features", "mds", "graph_embedding", *methods, *shares}
    strengths = one.accuracies
    for method, reading in zip(methods, names, strict=True):
        chosen = select_embeddings(strengths, SETTINGS.theta, reading=reading, chance=0.5)
        assert found.loc[method, "n_selected"] == len(chosen)
        space = combine_embeddings(one.embeddings[chosen], **COMBINE).embedding
        expected = one.accuracy(cluster(space, one.objects.sizes, SETTINGS))
        assert found.loc[method, "accuracy"] == pytest.approx(expected)
    # What is selected without labels, and how much of it the labels select too.
    unlabelled = select_embeddings(one.r_squared, SETTINGS.theta, reading="within")
    labelled = select_embeddings(strengths, SETTINGS.theta, reading="within")
    assert found.loc["r_squared_within", "strong_share"] == pytest.approx(np.isin(unlabelled, labelled).mean())
    assert found.loc["all_within", "strong_share"] == pytest.approx(len(labelled) / len(strengths))
    # The methods that select nothing are those of brain_grid.
    clusters, _ = brain_grid.score_slice(one, SETTINGS)
    for method in ("features", "mds", "graph_embedding", "consensus"):
        assert found.loc[method, "accuracy"] == one.accuracy(clusters[method])


def test_strength_without_labels_selects_by_the_r_squared_index(one):
    unlabelled = SETTINGS.replace(strength="r_squared", theta=0.8)
    assert one.selected(unlabelled).tolist() == select_embeddings(one.r_squared, 0.8).tolist()
    # Without labels chance is 0.
    corrected = select_embeddings(one.r_squared, 0.8, reading="chance_corrected", chance=0.0)
    assert one.selected(unlabelled, "chance_corrected").tolist() == corrected.tolist()


def test_objects_are_clustered_by_evidence_accumulation_if_the_settings_say_so(one):
    settings = SETTINGS.replace(clustering="evidence_accumulation")
    space, sizes = one.embeddings[0].astype(float), one.objects.sizes
    expected = evidence_accumulation(space, 2, weights=sizes, seed=0)
    np.testing.assert_array_equal(cluster(space, sizes, settings), expected)
    # So are the base embeddings that the strengths come from.
    other = embed_slice(*textures(5), settings, seed=1)
    for embedding, strength in zip(other.embeddings, other.accuracies, strict=True):
        clusters = evidence_accumulation(embedding.astype(float), 2, weights=other.objects.sizes, seed=0)
        assert strength == other.accuracy(clusters)


# --- brain_calibration


# Start value, other options and the pick; the margin is 0.01 unless another one is given.
PICKS = [
    ({"start": 0.80, "b": 0.80, "c": 0.79}, "start", {}),
    ({"start": 0.80, "b": 0.809, "c": 0.7}, "start", {}),
    ({"start": 0.80, "b": 0.82, "c": 0.7}, "b", {}),
    # The best takes its place, not the first that is good enough.
    ({"start": 0.80, "b": 0.82, "c": 0.83}, "c", {}),
    # Of equals the one that stands first.
    ({"start": 0.80, "b": 0.85, "c": 0.85}, "b", {}),
    ({"start": 0.5, "b": 0.75}, "start", {"margin": 0.25}),
    ({"start": 0.8, "b": 0.8}, "start", {"margin": 0.0}),
    ({5: 0.5, 3: 0.9}, 3, {}),
    ({1.0: 0.5}, 1.0, {}),
    # An end of a grid is not picked: below 32 may be better still. 64 is not taken instead.
    ({128: 0.6, 64: 0.65, 32: 0.7}, 128, {"inside": True}),
    ({128: 0.6, 64: 0.7, 32: 0.65}, 64, {"inside": True}),
    ({64: 0.6, 128: 0.7, 32: 0.5}, 64, {"inside": True}),
    # The start value may be an end itself.
    ({128: 0.7, 64: 0.6, 32: 0.65}, 128, {"inside": True}),
    # Two numbers, and names, have no ends.
    ({1.0: 0.6, 0.0: 0.7}, 0.0, {"inside": True}),
    ({"knn": 0.6, "gaussian": 0.65, "exponential": 0.7}, "exponential", {"inside": True}),
]


@pytest.mark.parametrize(("scores", "picked", "options"), PICKS)
def test_the_start_value_stays_unless_another_is_better_by_more_than_the_margin(scores, picked, options):
    assert calibration.pick_option(scores, **({"margin": 0.01} | options)) == picked


BRAINWEB = {"dataset": "brainweb", "source": "original"}
CALIBRATION = {"n_embeddings": 5, "margin": 0.01, "options": {"window": [5, 3], "normalization": ["max", "rank"]}}


def calibrate(parameters):
    images = {(3, 0, 75): textures(20), (9, 40, 75): textures(21)}
    model = brain_calibration.BrainCalibration.model_validate(parameters)
    return brain_calibration.run(images, SETTINGS, model, about=BRAINWEB, work=Work(seed=1))


def test_all_parameters_of_the_consensus_are_its_own_and_those_of_graph_embedding():
    options = {"sigma": [1.0, 0.3], "normalization": ["max", "rank"], "mds": ["classical", "smacof"]}
    metrics, _ = calibrate(CALIBRATION | {"options": options})
    found = metrics[metrics["metric"] == "spread"].pivot_table(index="choice", columns="method", values="value")
    assert found["graph_embedding"].nunique() == 1
    ours = found["consensus"]
    assert ours["all"] == pytest.approx((2 * ours["own"] + ours["shared"]) / 3)


def test_calibration_scores_every_option_and_picks_one_a_choice():
    metrics, picks = calibrate(CALIBRATION)
    assert picks["configured"].tolist() == [True, False, True, False]
    metrics, spreads = metrics[metrics["metric"] == "accuracy"], metrics[metrics["metric"] == "spread"]
    # Of the parameters tried the normalisation alone is one of the consensus, and none is one of graph embedding.
    assert spreads[["method", "choice", "noise"]].to_numpy().tolist() == [
        ["consensus", choice, n] for choice in ("own", "all") for n in (3, 9)
    ]
    here = metrics[(metrics["method"] == "consensus") & (metrics["choice"] == "normalization")]
    for noise, spread in zip((3, 9, 3, 9), spreads["value"], strict=True):
        assert spread == pytest.approx(here[here["noise"] == noise]["value"].std())
    found = metrics.groupby(["choice", "option", "method"])["value"].mean()
    for row in picks.to_dict("records"):
        for method in method_names.PAPER_METHODS:
            assert row[method] == pytest.approx(found[row["choice"], row["option"], method])
    for _, group in picks.groupby("choice"):
        scores = dict(zip(group["option"], group["mean"], strict=True))
        assert group["option"][group["picked"]].item() == calibration.pick_option(scores, 0.01)


def test_features_and_mds_do_not_outvote_the_other_two(monkeypatch):
    def scripted(image, mask, positive, settings, seed, objects):
        rank = settings.normalization == "rank"
        return {"features": 0.5, "mds": 0.5, "graph_embedding": 0.5, "consensus": 0.5} | (
            {"features": 0.6, "mds": 0.6, "consensus": 0.45, "graph_embedding": 0.44} if rank else {}
        )

    monkeypatch.setattr(brain_calibration, "_accuracies", scripted)
    # By four votes of equal weight rank would be 0.0225 better; by three it is 0.003 worse.
    _, picks = calibrate(CALIBRATION | {"options": {"normalization": ["max", "rank"]}})
    assert picks["picked"].tolist() == [True, False]
    assert picks["mean"].to_numpy() == pytest.approx([0.5, (0.6 + 0.44 + 0.45) / 3])


def test_later_choices_start_from_earlier_picks(monkeypatch):
    seen = []

    def scripted(image, mask, positive, settings, seed, objects):
        seen.append((settings.window, settings.scaling, settings.kernel, len(objects.features)))
        assert settings.n_embeddings == 5
        features = slice_features(image, mask, settings)
        expected = representative_objects(features, max_objects=settings.max_objects, seed=seed)
        np.testing.assert_array_equal(objects.features, expected.features)
        score = {5: 0.5, 3: 0.7}[settings.window] + {"zscore": 0.0, "minmax": 0.005}[settings.scaling]
        return dict.fromkeys(method_names.PAPER_METHODS, score + {"knn": 0.0, "gaussian": 0.2}[settings.kernel])

    monkeypatch.setattr(brain_calibration, "_accuracies", scripted)
    options = {"window": [5, 3], "scaling": ["zscore", "minmax"], "kernel": ["knn", "gaussian"]}
    _, picks = calibrate(CALIBRATION | {"options": options})
    assert [call[:3] for call in seen[::2]] == [
        (5, "zscore", "knn"),
        # The pick is not scored again as the start of the next choice.
        (3, "zscore", "knn"),
        (3, "minmax", "knn"),
        (3, "zscore", "gaussian"),
    ]
    assert picks["option"][picks["picked"]].tolist() == ["3", "zscore", "gaussian"]
    assert picks["mean"].tolist() == pytest.approx([0.5, 0.7, 0.7, 0.705, 0.7, 0.9])


def test_objects_are_made_anew_for_each_implementation_of_the_texture(monkeypatch):
    made = []

    def scripted(image, mask, settings):
        made.append(settings.implementation)
        return slice_features(image, mask, settings.replace(implementation="fast"))

    monkeypatch.setattr(brain_calibration, "slice_features", scripted)
    calibrate(CALIBRATION | {"options": {"implementation": ["fast", "mahotas"]}})
    assert made == ["fast", "fast", "mahotas", "mahotas"]


# --- brain_real_slices, brain_runtime


def test_real_slices_and_their_simulation_are_scored_alike():
    def slices(offset):
        made = [textures(seed + offset) for seed in (0, 1)]
        return [
            ImageSlice(f"z{90 + k:03d}", image, mask, np.where(positive, 3, np.where(mask, 2, 0)))
            for k, (image, mask, positive) in enumerate(made)
        ]

    images = {"original": slices(0), "simulated": slices(10)}
    comparison = [{"slice": 90, "tissue": "grey matter", "n_pixels": 9, "real_mean": 180.0, "correlation": np.nan}]
    table = brain_real_slices.run(images, comparison, SETTINGS, seed=1)
    for source, offset in (("original", 0), ("simulated", 10)):
        for k in (0, 1):
            one = embedded(k + offset)
            expected = one.accuracy(brain_grid.score_slice(one, SETTINGS, seed=1)[0]["best_single"])
            found = rows(table, "accuracy", method="best_single", source=source, slice=f"z{90 + k:03d}")
            assert found["value"].item() == expected
    compared = table[table["method"] == "simulator"]
    assert compared[["source", "slice", "tissue", "metric", "value"]].to_numpy().tolist() == [
        ["simulated", "z090", "grey matter", "real_mean", 180.0]
    ]


def test_run_times_are_listed_by_step():
    table = brain_runtime.run(*textures(0), SETTINGS, n_pixels=50, repetitions=2, about=BRAINWEB, work=Work(seed=1))
    whole, sample = table[table["n_pixels"] != 50], table[table["n_pixels"] == 50]
    steps = ["texture", "subsampling", "create", "select", "combine"]
    assert set(whole["n_pixels"]) == {textures(0)[1].sum()}
    for _, here in whole.groupby("repetition"):
        seconds = here.set_index("method")["value"]
        assert seconds.index.tolist() == [*steps, "total"]
        assert (seconds > 0).all()
        assert seconds["total"] >= seconds[steps].sum()
    assert set(sample["method"]) == {"consensus_of_objects", "consensus_of_pixels", "create", "select", "combine"}
    scores = rows(sample, "accuracy")
    assert scores["value"].between(0.5, 1).all()
    assert scores["n_objects"].tolist() == [whole["n_objects"].iloc[0], 50]


@pytest.mark.parametrize(
    ("strength", "clustering"),
    [("accuracy", "k_means"), ("accuracy", "evidence_accumulation"), ("r_squared", "k_means")],
)
def test_the_selection_that_is_timed_is_the_configured_one(strength, clustering, monkeypatch):
    settings, given = SETTINGS.replace(strength=strength, clustering=clustering), []
    select = brain_runtime.select_embeddings
    monkeypatch.setattr(
        brain_runtime,
        "select_embeddings",
        lambda strengths, *how, **options: given.append((strengths, options)) or select(strengths, *how, **options),
    )
    brain_runtime.run(*textures(0), settings, n_pixels=50, repetitions=1, about=BRAINWEB, work=Work(seed=1))
    one = embed_slice(*textures(0), settings, seed=1)
    strengths, options = given[0]
    assert strengths == pytest.approx(one.accuracies if strength == "accuracy" else one.r_squared, abs=1e-4)
    assert options["chance"] == (0.5 if strength == "accuracy" else 0)


# --- leave_one_out


@pytest.mark.parametrize(
    ("strengths", "theta", "chosen"),
    [
        # Strong in all slices.
        ([[0.9, 0.8, 0.5], [0.6, 0.9, 0.9]], 0.6, [0, 1]),
        # Theta counts in units of each slice's largest strength.
        ([[0.5, 0.4, 0.1], [0.8, 1.0, 0.9]], 0.7, [0, 1]),
        # None is strong in all three: those strong in two.
        ([[1.0, 0.1, 0.1, 1.0], [1.0, 1.0, 0.1, 0.1], [0.1, 0.1, 0.1, 1.0]], 0.5, [0, 3]),
        # What lies at the threshold is not strong.
        ([[1.0, 0.5]], 0.5, [0]),
        ([[0.8, 0.9, 0.7]], 0.15, [0, 1, 2]),
    ],
)
def test_vote(strengths, theta, chosen):
    np.testing.assert_array_equal(leave_one_out.vote(np.array(strengths), theta), chosen)


def test_detection_scores_by_hand():
    truth = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    clusters = np.array([5, 5, 5, 2, 2, 2, 2, 2, 2, 5])
    expected = {"accuracy": 0.8, "sensitivity": 3 / 4, "specificity": 5 / 6, "balanced_accuracy": (3 / 4 + 5 / 6) / 2}
    assert leave_one_out.detection_scores(clusters, truth) == pytest.approx(expected)
    swapped = np.where(clusters == 5, 2, 5)
    assert leave_one_out.detection_scores(swapped, truth) == pytest.approx(expected)


def test_one_cluster_detects_nothing():
    truth = np.array([1, 0, 0, 0], dtype=bool)
    found = leave_one_out.detection_scores(np.zeros(4, dtype=int), truth)
    assert found == {"accuracy": 0.75, "sensitivity": 0.0, "specificity": 1.0, "balanced_accuracy": 0.5}
    assert not leave_one_out.detected(np.ones(4, dtype=int), ~truth).any()


def test_of_three_clusters_the_one_that_tells_most_pixels_right_is_detected():
    truth = np.array([1, 1, 0, 0, 0, 0], dtype=bool)
    found = leave_one_out.detection_scores(np.array([1, 1, 0, 0, 2, 2]), truth)
    assert set(found.values()) == {1.0}


@pytest.fixture(scope="module")
def glands():
    return {(gland, z): embedded(30 + 10 * gland + z) for gland in (0, 1) for z in (0, 1)}


STRICT = SETTINGS.replace(exploratory_theta=0.97)


def left_out(slices):
    return leave_one_out.score_slices(slices, STRICT, contrast=0.5)


def one_hot(slice_, index):
    """The slice with labels by which one embedding alone is strong."""
    accuracies = np.full(8, 0.5)
    accuracies[index] = 1.0
    return replace(slice_, accuracies=accuracies)


def test_every_slice_is_left_out_once_by_slice_and_by_gland(glands):
    metrics, maps = left_out(glands)
    table = metrics.table()
    assert list(maps) == list(glands)
    scores = table[table["metric"] != "n_selected"]
    assert not scores.duplicated(["metric", "scheme", "method", "gland", "slice"]).any()
    assert scores.groupby("scheme").size().to_dict() == dict.fromkeys(
        ("slice", "gland"), 4 * len(method_names.DETECTORS) * 4
    )
    assert rows(table, "n_selected", method="consensus")["value"].tolist() == [8] * 8
    for (gland, z), found in maps.items():
        for method, clusters in found.items():
            expected = leave_one_out.detection_scores(clusters, glands[gland, z].positive_pixels)
            here = scores[(scores["scheme"] == "slice") & (scores["gland"] == gland) & (scores["slice"] == z)]
            here = here[here["method"] == method]
            assert dict(zip(here["metric"], here["value"], strict=True)) == expected


def test_the_other_slices_decide(glands):
    # All others find embedding 5 alone strong, then 6 alone: the slice left out follows.
    for index in (5, 6):
        slices = {key: one if key == (0, 0) else one_hot(one, index) for key, one in glands.items()}
        metrics, maps = left_out(slices)
        one = slices[0, 0]
        expected = one.objects.to_pixels(cluster(one.embeddings[index].astype(float), one.objects.sizes, STRICT))
        np.testing.assert_array_equal(maps[0, 0]["best_single_learnt"], expected)
        truth = one.positive_pixels
        alone = leave_one_out.detection_scores(expected, truth)["accuracy"]
        # So it is by theta below the best and above chance; a share of the strongest takes another one too.
        selecting = ("consensus_within", "consensus_chance_corrected")
        for method in ("consensus_strict", *selecting, *(f"{name}_by_mean" for name in selecting)):
            kept = rows(metrics.table(), "n_selected", method=method, gland=0, slice=0)
            assert kept["value"].tolist() == [1, 1]
            combined = leave_one_out.detection_scores(maps[0, 0][method], truth)["accuracy"]
            assert combined == pytest.approx(alone)


def test_the_gland_left_out_has_no_say_in_the_selection(glands):
    def scores_of_first_gland(slices):
        table = left_out(slices)[0].table()
        here = table[(table["scheme"] == "gland") & (table["gland"] == 0)]
        return here.reset_index(drop=True)

    before = scores_of_first_gland(glands)
    assert len(before) == 2 * (4 * len(method_names.DETECTORS) + 2 + 2 * len(method_names.SELECTING))
    own = {key: one_hot(one, 3) if key[0] == 0 else one for key, one in glands.items()}
    pd.testing.assert_frame_equal(before, scores_of_first_gland(own))
    other = {key: one_hot(one, 3) if key[0] == 1 else one for key, one in glands.items()}
    kept = rows(scores_of_first_gland(other), "n_selected", method="consensus_strict")
    assert kept["value"].tolist() == [1, 1]
    assert rows(before, "n_selected", method="consensus_strict")["value"].max() > 1


def test_changed_labels_of_the_slice_left_out_do_not_move_its_clusters(glands):
    image, mask, _ = textures(30)
    upper = np.zeros_like(mask)
    upper[:19] = True
    relabelled = embed_slice(image, mask, upper & mask, SETTINGS, seed=1)
    assert (relabelled.accuracies != glands[0, 0].accuracies).any()
    _, before = left_out(glands)
    metrics, after = left_out(glands | {(0, 0): relabelled})
    for method in method_names.DETECTORS:
        np.testing.assert_array_equal(before[0, 0][method], after[0, 0][method])
    found = rows(metrics.table(), "accuracy", scheme="slice", method="nothing", gland=0, slice=0)["value"].item()
    assert found == np.mean(~upper[mask])


def test_pictures_show_lesion_and_detected_pixels(glands):
    one, maps = glands[1, 1], left_out(glands)[1][1, 1]
    found = leave_one_out.pictures(one, maps, "0.5/1")
    for picture in found.values():
        np.testing.assert_array_equal(np.isfinite(picture), one.mask)
    np.testing.assert_array_equal(found["0.5/1/lesion"][one.mask], one.positive_pixels)
    np.testing.assert_array_equal(found["0.5/1/image"][one.mask], one.intensity)
    for method in ("graph_embedding", "consensus", "consensus_strict"):
        accuracy = np.mean(found[f"0.5/1/{method}"][one.mask] == one.positive_pixels)
        assert accuracy == leave_one_out.detection_scores(maps[method], one.positive_pixels)["accuracy"]


# --- region_maps


def own(seed=0, labels=True, **change):
    image, mask, positive = textures(seed, step=60.0)
    return ImageSlice("z007", image, mask, np.where(positive, 4, 0) if labels else None), SETTINGS.replace(**change)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_regions", [2, 3])
@pytest.mark.parametrize("labels", [True, False])
def test_regions_rise_in_intensity_and_stay_inside_the_mask(labels, n_regions):
    one, settings = own(labels=labels)
    drawn, table = mapped(one, settings, n_regions=n_regions)
    assert (drawn[~one.mask] == 0).all()
    assert np.unique(drawn[one.mask]).tolist() == list(range(1, n_regions + 1))
    means = [one.image[drawn == region].mean() for region in range(1, n_regions + 1)]
    assert means == sorted(means)
    scored = {"accuracy", "sensitivity", "specificity", "balanced_accuracy"} if labels and n_regions == 2 else set()
    assert set(table["metric"]) == {"n_objects", "n_selected"} | scored


def test_regions_are_measured_in_millimetres_whatever_way_the_grid_lies():
    image, mask = np.arange(12.0).reshape(3, 4), np.ones((3, 4), dtype=bool)
    mask[0, 0] = False
    regions = np.where(mask, np.where(image < 6, 1, 2), 0)
    slices = [ImageSlice("a", image, mask), ImageSlice("b", image + 100, mask)]
    # Pixels of 2 x 3 mm, slices 5 mm apart, the grid turned by 30 degrees about the first axis and sheared along it.
    turn = np.array([[1, 0, 0], [0, np.sqrt(0.75), -0.5], [0, 0.5, np.sqrt(0.75)]])
    affine = np.eye(4)
    affine[:3, :3] = turn @ np.array([[2, 0, 1], [0, 3, 0], [0, 0, 5]])
    metrics = Metrics("region_maps", "mine", "own", region_maps.CONDITIONS)
    table = region_maps.measure_regions(slices, [regions, regions], affine, metrics, volume=True)
    assert table["slice"].tolist() == ["a", "a", "b", "b", "all", "all"]
    assert table["region"].tolist() == [1, 2] * 3
    assert table["pixels"].tolist() == [5, 6, 5, 6, 10, 12]
    np.testing.assert_allclose(table["area (mm2)"], 6 * table["pixels"])
    np.testing.assert_allclose(table["volume (mm3)"], 30 * table["pixels"])
    assert table["mean intensity"].tolist() == [3, 8.5, 103, 108.5, 53, 58.5]
    assert table["SD of the intensity"].iloc[0] == pytest.approx(np.sqrt(2))
    assert table["SD of the intensity"].iloc[4] == pytest.approx(np.sqrt(2 + 50**2))
    assert set(metrics.table()["metric"]) == set(region_maps.MEASURES)
    # The other two axes of a voxel are (0, 3, 0) and (1, 0, 5) mm.
    sagittal = region_maps.measure_regions(slices, [regions, regions], affine, metrics, axis=0, volume=True)
    np.testing.assert_allclose(sagittal["area (mm2)"], np.sqrt(234) * table["pixels"])
    flat = region_maps.measure_regions(slices[:1], [regions], affine, metrics, volume=False)
    assert "volume (mm3)" not in flat
    assert len(flat) == 2


def test_more_regions_than_a_byte_can_number():
    one, settings = own(max_objects=600, objects="random")
    drawn, _ = mapped(one, settings, n_regions=300)
    assert np.unique(drawn[one.mask]).tolist() == list(range(1, 301))
    assert (drawn[~one.mask] == 0).all()


def test_region_map_of_two_textures_with_labels_is_right():
    one, settings = own()
    drawn, table = mapped(one, settings)
    right = np.mean((drawn == 2)[one.mask] == (one.labels > 0)[one.mask])
    assert right > 0.9
    assert rows(table, "accuracy")["value"].item() == pytest.approx(right)
    np.testing.assert_array_equal(drawn, mapped(one, settings, n_jobs=2)[0])


@pytest.mark.parametrize("labels", [True, False])
def test_a_threshold_that_leaves_nothing_is_named(labels):
    with pytest.raises(ValueError, match=r"No embedding is stronger .*largest strength is .*Lower theta"):
        mapped(*own(labels=labels, theta=1.0))


@pytest.mark.parametrize("level", [0, 1])
def test_a_slice_of_one_class_is_mapped_as_without_labels(level):
    one, settings = own(labels=False)
    plain, _ = mapped(one, settings)
    drawn, table = mapped(replace(one, labels=np.full(one.image.shape, level)), settings)
    assert set(table["metric"]) == {"n_objects", "n_selected"}
    np.testing.assert_array_equal(drawn, plain)


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (3, {}, r"slice z007, 3 pixels in the mask"),
        (6, {"labels": False, "max_objects": 3}, r"z007, 6 pixels .*: expected at least 4 objects .* found 1\. To map"),
    ],
)
def test_a_slice_that_cannot_be_mapped_is_named(n, options, message):
    with pytest.raises(ValueError, match=message):
        mapped(*few_pixels(n, **options))


def test_as_many_pixels_as_are_asked_for_are_enough():
    assert region_maps.min_pixels(1) == 3
    n_pixels = region_maps.min_pixels(SETTINGS.n_components)
    assert n_pixels == SETTINGS.n_components + 1
    one, settings = few_pixels(n_pixels, labels=False)
    assert np.unique(mapped(one, settings)[0][one.mask]).tolist() == [1, 2]

"""Experiments of Sparks 2011 at a small size: draws, embeddings, averages, and that nothing depends on cores."""

import itertools

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.diagnostics.retrieval import retrieval_scores
from consensus_embedding.manifold.nystroem import nystroem_extension
from consensus_embedding.utils.threads import one_blas_thread
from replication.catalogue.configuration import read_configuration
from replication.data.glands import GlandSimulator
from replication.data.readers.item_table import Items
from replication.papers.sparks2011 import (
    gland_retrieval,
    retrieval_calibration,
    retrieval_grid,
    retrieval_substitute,
    swiss_roll,
)
from replication.papers.sparks2011.retrieval_calibration import RetrievalCalibration, made_sets
from replication.papers.sparks2011.retrieval_grid import (
    Draw,
    EmbeddingSettings,
    OutOfSample,
    Query,
    RetrievalSet,
    embed_all,
    extrapolate,
    extrapolate_both,
    retrieve,
)
from replication.papers.sparks2011.retrieval_sets import MadeDigits, MadeGlands, class_counts, own_set
from replication.papers.sparks2011.settings import EmbeddedDigits, SizedGlands
from replication.platform.steps import Work
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

SETTINGS = EmbeddingSettings(n_components=2, floor=1e-6, eigenvectors="none", nystroem="degree")
QUERY = Query(training=0.8, labelled=0.6, items=5)


@pytest.fixture
def config():
    quick = read_configuration("quick.yaml")
    quick["swiss_roll"]["n_samples"] = 150
    quick["out_of_sample"] |= {"training": [0.5, 0.8, 1.0], "labelled": [0.6], "draws": 2}
    for number in quick["glands"]["classes"].values():
        number["n_glands"] = 10
    quick["glands"]["classes"]["grade_3"]["n_glands"] = 40
    return quick


@pytest.fixture
def roll(config):
    return swiss_roll.SwissRollSettings.model_validate(config["swiss_roll"])


@pytest.fixture
def grid(config):
    return OutOfSample.model_validate(config["out_of_sample"])


@pytest.fixture
def embedding(config):
    return {key: config["out_of_sample"][key] for key in ("floor", "eigenvectors", "nystroem")}


@pytest.fixture
def simulator(config):
    return GlandSimulator.model_validate(config["glands"])


@pytest.fixture
def items():
    X, labels = load_iris(return_X_y=True)
    chosen = np.r_[0:12, 50:100, 100:130]
    apart = cdist(X[chosen], X[chosen])
    groups = np.arange(len(chosen)) // 4
    affinity = np.exp(-apart / np.median(apart))
    return RetrievalSet("iris", affinity, apart, labels[chosen], ("a", "b", "c"), groups)


def draw_of(items, number=0, split="objects"):
    return Draw(items, np.random.default_rng(number), split)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.45, 0.8, 1.0])
def test_training_holds_a_share_of_each_class_and_at_least_one_object(items, share):
    training = draw_of(items).training(share)
    assert np.array_equal(training, np.unique(training))
    for label, size in zip(range(3), (12, 50, 30), strict=True):
        assert (items.labels[training] == label).sum() == max(1, round(share * size))


def test_larger_shares_hold_the_smaller_ones(items):
    drawn = draw_of(items)
    shares = [0.1, 0.3, 0.7, 1.0]
    for small, large in itertools.pairwise(shares):
        assert set(drawn.training(small)) <= set(drawn.training(large))
        training = drawn.training(0.7)
        known, more = drawn.labelled(training, small), drawn.labelled(training, large)
        assert set(np.flatnonzero(known >= 0)) <= set(np.flatnonzero(more >= 0))


def test_labels_are_those_of_training_objects_and_right(items):
    drawn = draw_of(items)
    training = drawn.training(0.5)
    known = drawn.labelled(training, 0.4)
    at = np.flatnonzero(known >= 0)
    assert set(at) <= set(training)
    assert np.array_equal(known[at], items.labels[at])
    for label in range(3):
        of_class = (items.labels[training] == label).sum()
        assert (known == label).sum() == max(1, round(0.4 * of_class))


def test_whole_regions_are_drawn(items):
    training = draw_of(items, split="regions").training(0.5)
    inside = set(items.groups[training])
    assert len(training) == sum((items.groups == region).sum() for region in inside)
    assert {0, 1, 2} == set(items.labels[training])


def test_a_region_of_each_class_stays_outside(items):
    for number in range(20):
        training = draw_of(items, number, split="regions").training(0.95)
        outside = np.setdiff1d(np.arange(len(items.labels)), training)
        assert {0, 1, 2} == set(items.labels[outside])


def test_too_few_training_objects_are_refused(items):
    training = np.array([0, 40])
    with pytest.raises(ValueError, match="iris: expected at least 3 training objects for 2 components, found 2 of 92"):
        extrapolate(items, training, SETTINGS)


def test_objects_without_a_label_take_part_but_lend_none(items):
    labels = items.labels.copy()
    labels[::3] = -1
    part = RetrievalSet("iris", items.affinity, items.dissimilarities, labels, items.classes)
    drawn = draw_of(part)
    training = drawn.training(0.6)
    assert (labels[training] == -1).sum() == round(0.6 * (labels == -1).sum())
    assert (drawn.labelled(training, 1.0)[labels == -1] == -1).all()


def test_labels_outside_training_make_no_difference(items):
    training = draw_of(items).training(0.5)
    known = draw_of(items).labelled(training, 0.5)
    leaking = np.where(np.isin(np.arange(len(known)), training), known, items.labels)
    assert np.array_equal(
        extrapolate(items, training, SETTINGS, known), extrapolate(items, training, SETTINGS, leaking)
    )


def test_labels_that_are_not_known_make_no_difference(items):
    training = draw_of(items).training(0.5)
    known = draw_of(items).labelled(training, 0.5)
    others = np.where(known >= 0, items.labels, (items.labels + 1) % len(items.classes))
    turned = RetrievalSet("iris", items.affinity, items.dissimilarities, others, items.classes)
    assert np.array_equal(extrapolate(items, training, SETTINGS, known), extrapolate(turned, training, SETTINGS, known))


def test_training_objects_keep_the_embedding_of_the_training_set(items):
    training = draw_of(items).training(0.5)
    known = draw_of(items).labelled(training, 0.5)
    places = extrapolate(items, training, SETTINGS, known)
    inside = RetrievalSet("part", *(m[np.ix_(training, training)] for m in (items.affinity, items.dissimilarities)),
                          items.labels[training], items.classes)  # fmt: skip
    assert np.array_equal(places[training], embed_all(inside, SETTINGS, known[training]))


def test_extrapolated_objects_are_the_weighted_mean_over_the_eigenvalue(items):
    training = draw_of(items).training(0.5)
    places = extrapolate(items, training, SETTINGS)
    new = np.setdiff1d(np.arange(len(items.labels)), training)
    weights = items.affinity[np.ix_(new, training)] + SETTINGS.floor
    mean = weights @ places[training] / weights.sum(axis=1, keepdims=True)
    ratio = mean / places[new]
    assert np.allclose(ratio, np.median(ratio, axis=0), rtol=1e-6), "the mean is not the place times an eigenvalue"
    printed = extrapolate(items, training, SETTINGS.replace(nystroem="printed"))
    assert np.allclose(printed[new], places[new] * weights.sum(axis=1, keepdims=True), rtol=1e-8)


def test_an_object_outside_every_neighbourhood_takes_the_nearest_place(items):
    affinity = items.affinity.copy()
    alone, training = 3, np.arange(10, len(items.labels))
    affinity[alone, training] = affinity[training, alone] = 0.0
    cut = RetrievalSet("iris", affinity, items.dissimilarities, items.labels, items.classes)
    places = extrapolate(cut, training, SETTINGS)
    assert np.array_equal(places[alone], places[training[items.dissimilarities[alone, training].argmin()]])
    with pytest.raises(ValueError, match="affinity"):
        nystroem_extension(affinity[[alone]][:, training], places[training], np.array([0.5, 0.4]))


def test_queries_return_training_objects_by_distance(items):
    drawn = draw_of(items)
    training = drawn.training(0.8)
    queries = np.setdiff1d(np.arange(len(items.labels)), training)
    places = extrapolate_both(items, training, drawn.labelled(training, 0.6), SETTINGS)
    found = retrieve(items, training, places, QUERY.items, queries)
    assert set(found["item"]) <= set(training)
    assert not set(found["query"]) & set(training)
    assert (found.groupby(["query", "method"]).size() == 5).all()
    by_rank = found.sort_values("rank").groupby(["query", "method"])["distance"]
    assert by_rank.apply(lambda distances: distances.is_monotonic_increasing).all()
    raw = found[found["method"] == "dissimilarity"]
    one = raw[raw["query"] == raw["query"].iloc[0]]
    apart = items.dissimilarities[one["query"].iloc[0], training]
    assert np.allclose(one["distance"], np.sort(apart)[:5])


def test_queries_alone_return_what_they_return_in_the_grid(items, grid):
    about = {"draw": 3, "seed": 7, "experiment": "gland_retrieval", "source": "simulated", "variant": "wide"}
    found = retrieval_grid.score_query(items, SETTINGS, grid.query, **about)
    grid_rows = retrieval_grid.score_grid(items, SETTINGS, grid.query_cell(), split="queries", **about)
    expected = grid_rows[grid_rows["metric"] == "same_of_first"].reset_index(drop=True)
    assert len(expected) == 12
    pd.testing.assert_frame_equal(found, expected)


def test_a_variant_has_all_draws_of_the_queries_if_it_asks_for_them(config, grid):
    wide = {"sigma": 5.0, "n_components": 2}
    variants = [{"name": "asks", "queries": True, **wide}, {"name": "does not", **wide}]
    made = MadeDigits(EmbeddedDigits(n_components=2, noise=0), class_counts(config["glands"]))
    metrics, _, _ = gland_retrieval.run_made(made, variants, grid, query_draws=4)
    rows = metrics[(metrics["metric"] == "same_of_first") & (metrics["split"] == "queries")]
    assert {name: set(of["repetition"]) for name, of in rows.groupby("variant")} == {
        "": {0, 1, 2, 3},
        "asks": {0, 1, 2, 3},
    }
    first = [metrics[(metrics["variant"] == name) & (metrics["split"] == "objects")] for name in ("asks", "does not")]
    assert {*first[0]["repetition"]} == {*first[1]["repetition"]} == {0, 1}
    assert np.array_equal(*(part["value"] for part in first))


def values(metrics, metric, **at):
    rows = metrics[metrics["metric"] == metric]
    for column, value in at.items():
        rows = rows[rows[column] == value]
    return rows["value"].to_numpy(dtype=float)


def test_swiss_roll_scores_are_averages_of_the_scores_of_objects(roll, grid):
    metrics, pictures = swiss_roll.run(roll, grid, work=Work(seed=5)), swiss_roll.pictures(roll, grid, 5)
    items = swiss_roll.MadeRolls(roll).draw(5, 0)
    # A graph in pieces has nearly equal eigenvalues, so that another order of sums moves a rank here and there.
    with one_blas_thread():
        scores = retrieval_scores(embed_all(items, SETTINGS), items.labels)
    at = {"method": "ge", "variant": "", "training": 0.5, "repetition": 0}
    assert values(metrics, "si", objects="all", **at) == pytest.approx(scores.silhouette.mean())
    assert values(metrics, "auprc_queries", objects="all", **at) == pytest.approx(scores.area.mean())
    n = len(items.labels)
    groups = [values(metrics, "si", objects=name, **at)[0] for name in ("training", "extrapolated")]
    assert np.mean(groups) == pytest.approx(scores.silhouette.mean(), abs=2 / n)
    assert pictures["ose_ssl"].shape == (150, 2)
    assert pictures["training"].sum() in (74, 75, 76)
    assert set(metrics["variant"]) == {"", *(variant["name"] for variant in roll.variants)}


@pytest.mark.filterwarnings("ignore:Eigenvalues")
def test_the_largest_piece_of_a_torn_roll_is_counted(roll, grid):
    torn = roll.replace(radius=1.2, variants=({"name": "whole", "radius": 12.0, "shares": "all"},))
    metrics = swiss_roll.run(torn, grid.replace(draws=1), work=Work(seed=5))
    at = {"training": 0.5, "method": "training_graph"}
    assert (
        values(metrics, "pieces", variant="whole", **at) == values(metrics, "largest_piece", variant="whole", **at) == 1
    )
    (pieces,), (largest,) = (values(metrics, name, variant="", **at) for name in ("pieces", "largest_piece"))
    assert pieces > 2
    assert 1 / pieces <= largest <= 1 - (pieces - 1) / 76


def test_at_the_whole_training_set_extrapolation_is_the_full_embedding(roll, grid):
    metrics = swiss_roll.run(roll, grid, work=Work(seed=5))
    at = {"training": 1.0, "objects": "all", "variant": ""}
    for method, full in (("ose_ssl", "ssge"), ("recomputed", "ssge"), ("nm_ge", "ge")):
        assert np.array_equal(
            values(metrics, "auprc", method=method, **at), values(metrics, "auprc", method=full, **at)
        )
    whole = metrics[metrics["training"] == 1.0]
    assert "extrapolated" not in set(whole["objects"])
    assert "error_relative" not in set(whole["metric"])


def test_variants_change_what_they_say(roll, grid):
    variants = ({"name": "same", "nystroem": "degree", "shares": "some"}, {"name": "printed", "nystroem": "printed"})
    metrics = swiss_roll.run(roll.replace(variants=variants), grid, work=Work(seed=2))
    at = {"method": "ose_ssl", "training": 0.8, "labelled": 0.6, "objects": "extrapolated", "label": ""}
    main = values(metrics, "auprc", variant="", **at)
    assert np.array_equal(main, values(metrics, "auprc", variant="same", **at))
    assert not np.allclose(main, values(metrics, "auprc", variant="printed", **at), atol=1e-4)


def test_cohorts_are_paired_over_separations_and_apart_from_the_calibration(simulator):
    made = MadeGlands(SizedGlands(separation=1.0), simulator)
    main, again = made.cohort(7, 0), made.cohort(7, 0)
    assert np.array_equal(main.outlines, again.outlines)
    assert not np.array_equal(main.outlines, made.cohort(7, 1).outlines)
    assert not np.array_equal(main.outlines, made.cohort(7, 0, "training").outlines)
    assert np.array_equal(main.regions, made.varied({"separation": 0}).cohort(7, 0).regions)


def test_size_removed_changes_the_dissimilarities(simulator):
    kept, removed = (MadeGlands(SizedGlands(size=size), simulator).draw(7, 0) for size in ("kept", "removed"))
    assert not np.allclose(kept.dissimilarities, removed.dissimilarities)


def test_digits_have_the_imbalance_and_no_image_of_the_calibration(config):
    counts = class_counts(config["glands"])
    made = MadeDigits(EmbeddedDigits(noise=0), counts)
    images, labels = made.images(1, 4)
    assert list(np.bincount(labels)) == list(counts.values())
    seen, others = made.images(1, 4, "training")
    assert not {image.tobytes() for image in images} & {image.tobytes() for image in seen}
    assert len(others) == len(labels)


def test_too_many_digits_are_refused():
    with pytest.raises(ValueError, match=r"glands.classes.grade_4.n_glands: the digits have \d+ images .* found 900"):
        MadeDigits(EmbeddedDigits(), {"benign": 10, "grade_3": 20, "grade_4": 900}).draw(1, 0)


def own_items(kind="features"):
    X, labels = load_iris(return_X_y=True)
    names = np.array(["x", "y", "z"])[labels]
    known = np.where(np.arange(150) % 4 == 0, "", names)
    numbers = X if kind == "features" else cdist(X, X)
    return Items(tuple(f"iris_{k}" for k in range(150)), numbers, kind, tuple(known), tuple([False] * 150))


def test_own_queries_are_the_items_without_a_label(grid):
    own = own_items()
    metrics, _pictures, queries = gland_retrieval.run_own(own, grid, name="mine", n_components=2)
    assert set(queries["query"]) == {name for name, label in zip(own.names, own.labels, strict=True) if not label}
    assert set(queries["label"]) == {"x", "y", "z"}
    assert set(queries["label_of_query"]) == {""}
    right = load_iris().target[[int(name[5:]) for name in queries["query"]]]
    found = queries["label"].map({"x": 0, "y": 1, "z": 2}).to_numpy()
    assert (right == found)[(queries["method"] == "ose_ssl").to_numpy()].mean() > 0.85
    assert set(metrics["dataset"]) == {"mine"}
    assert set(metrics["source"]) == {"own"}
    best = queries[(queries["method"] == "ose_ssl") & (queries["rank"] == 1)]
    guessed = load_iris().target[[int(name[5:]) for name in best["query"]]]
    assert (best["predicted_label"].map({"x": 0, "y": 1, "z": 2}).to_numpy() == guessed).mean() > 0.85
    assert queries["votes"].between(1 / 3, 1).all()
    assert (queries.groupby(["query", "method"])[["predicted_label", "votes"]].nunique() == 1).all().all()


def test_many_own_items_are_scored_at_fewer_shares(grid):
    tenths = tuple(k / 10 for k in range(1, 11))
    full = grid.replace(training=tenths, labelled=tenths, query=grid.query.replace(training=0.8, labelled=0.6))
    few = gland_retrieval.own_grid(full, 3832)
    assert (few.training, few.labelled) == ((0.1, 0.3, 0.5, 0.8, 1.0), (0.1, 0.6, 1.0))
    assert gland_retrieval.own_grid(full, 2000) == full
    assert gland_retrieval.own_grid(full, 3832, every_share=True) == full
    assert gland_retrieval.own_seconds(full, 3832) > 5 * gland_retrieval.own_seconds(few, 3832)


def test_few_own_items_are_scored_at_the_shares_that_can_be_embedded(grid):
    own, chosen, said = own_items(), np.arange(0, 150, 13), []
    work = Work(seed=1, say=said.append)
    few = Items(
        tuple(own.names[k] for k in chosen), own.values[chosen], own.kind, tuple(own.labels[k] for k in chosen),
        (False,) * len(chosen),
    )  # fmt: skip
    wide = grid.replace(training=(0.1, 0.3, 0.8, 1.0))
    metrics, _, queries = gland_retrieval.run_own(few, wide, name="mine", n_components=4, work=work)
    assert set(metrics["training"]) - {""} == {0.8, 1.0}
    assert set(queries["label"]) <= {"x", "y", "z"}
    assert "at 2 shares of training objects" in said[0]
    assert "(not at those of 4 items or fewer" in said[0]
    # The query is at its share in any case.
    items = own_set(few, "mine", sigma=1.0, scaling="zscore")
    assert gland_retrieval.embeddable(items, wide, 11).training == (0.8, 1.0)


def test_the_scale_of_a_feature_matters_only_unscaled():
    own = own_items()
    wide = Items(own.names, own.values * [1, 100, 1, 1], own.kind, own.labels, own.queries)
    same = [own_set(items, "mine", sigma=1.0, scaling="zscore").dissimilarities for items in (own, wide)]
    other = [own_set(items, "mine", sigma=1.0, scaling="none").dissimilarities for items in (own, wide)]
    assert np.allclose(*same)
    assert not np.allclose(*other)


def test_labels_of_own_queries_are_not_used(grid):
    own = own_items()
    asked = tuple(k < 5 for k in range(150))
    marked = Items(own.names, own.values, own.kind, own.labels, asked)
    items = own_set(marked, "mine", sigma=1.0, scaling="zscore")
    assert (items.labels[:5] == -1).all()
    _, _, queries = gland_retrieval.run_own(marked, grid, name="mine", n_components=2)
    assert list(queries["query"].unique()) == list(own.names[:5])
    shown = queries.drop_duplicates("query").set_index("query")["label_of_query"]
    assert list(shown) == list(own.labels[:5])


def test_own_items_that_are_all_the_same_are_refused():
    same = Items(("a", "b", "c", "d"), np.ones((4, 2)), "features", ("x", "x", "y", "y"), (False,) * 4)
    with pytest.raises(ValueError, match="mine: expected items that differ, found only dissimilarities of 0"):
        own_set(same, "mine", sigma=1.0, scaling="none")


def test_own_dissimilarities_are_taken_as_they_are():
    own = own_items("dissimilarities")
    items = own_set(own, "mine", sigma=1.0, scaling="zscore")
    assert np.array_equal(items.dissimilarities, own.values)


def test_calibration_picks_by_its_rule(config, roll, embedding):
    options = {"digits": {"sigma": [1.0, 0.25]}, "swiss_roll": {"radius": [4.0, 8.0]}}
    parameters = RetrievalCalibration.model_validate({**config["retrieval_calibration"], "options": options})
    digits = MadeDigits(EmbeddedDigits(noise=0), dict(parameters.counts))
    configured = {"digits": digits, "swiss_roll": swiss_roll.MadeRolls(roll.replace(radius=4.0))}
    metrics, picks = retrieval_calibration.run(parameters, configured, embedding, Work(seed=1))
    assert len(metrics) == 2 * 2 * 4
    for (dataset, choice), rows in picks.groupby(["dataset", "choice"]):
        scored = metrics[(metrics["dataset"] == dataset) & (metrics["choice"] == choice)]
        means = scored.astype({"value": float}).groupby("option")["value"].mean()
        assert np.allclose(rows.set_index("option")["mean"], means.loc[rows["option"]])
        start, other = rows["mean"]
        assert rows["picked"].tolist() == ([False, True] if other > start + parameters.margin else [True, False])
        assert rows["configured"].tolist() == [True, False]


def test_the_calibration_of_glands_draws_them_at_each_separation(config, simulator, embedding):
    options = {"glands": {"separation": [0.25, 3.0]}}
    parameters = RetrievalCalibration.model_validate({**config["retrieval_calibration"], "options": options})
    configured = {"glands": MadeGlands(SizedGlands(), simulator)}
    _, picks = retrieval_calibration.run(parameters, configured, embedding, Work(seed=1))
    assert picks["picked"].tolist() == [False, True]


def test_the_share_that_a_baseline_needs_is_interpolated():
    """By hand: one draw, shortfalls 0.25 at 40 % and 0.01 at 60 %: 0.05 is crossed at 40 + 20 x 0.20 / 0.24."""
    one = pd.DataFrame([[0.3, 0.25, 0.01]], columns=[0.2, 0.4, 0.6])
    assert retrieval_substitute.crossing(one) == pytest.approx(0.4 + 0.2 * 0.20 / 0.24)
    # It has to stay below from there on; at all objects nothing falls short.
    assert retrieval_substitute.crossing(one.iloc[:, ::-1].set_axis([0.2, 0.4, 0.6], axis=1)) == pytest.approx(
        0.6 + 0.4 * 0.25 / 0.30
    )
    assert retrieval_substitute.crossing(one * 0.1) == 0.2
    # Of several draws the upper bound counts: mean 0.04, SD 0.02828, t = 6.314.
    two = pd.DataFrame([[0.02], [0.06]], columns=[0.5])
    bound = 0.04 + 6.3138 * 0.02
    assert retrieval_substitute.crossing(two) == pytest.approx(0.5 + 0.5 * (bound - 0.05) / bound, rel=1e-4)


def test_the_substitute_is_set_by_the_baseline_alone(embedding, monkeypatch):
    """The setting nearest to the printed number is picked, and no label reaches an embedding."""
    config = read_configuration("quick.yaml")
    monkeypatch.setattr(retrieval_grid, "semi_supervised_affinity", None)
    own = {"counts": {"benign": 5, "grade_3": 20, "grade_4": 3}, "draws": 2, "training": [0.5], "swiss_roll": [3, 5]}
    parameters = retrieval_substitute.RetrievalSubstitute.model_validate(
        {**config["retrieval_substitute"], **own, "glands": [0]}
    )
    roll = {key: value for key, value in config["swiss_roll"].items() if key != "variants"}
    retrieval = config["gland_retrieval"]
    sections = {"swiss_roll": {**roll, "n_samples": 150}, "digits": retrieval["digits"]}
    sections["glands"] = {**retrieval["glands"], "size": "kept"}
    configured = made_sets(sections, parameters.counts, GlandSimulator.model_validate(config["glands"]))
    query = Query.model_validate(config["out_of_sample"]["query"])
    metrics, picks = retrieval_substitute.run(parameters, configured, embedding, query, Work(seed=1))
    assert set(metrics["method"]) == {"ge", "nm_ge"}
    reached = metrics[metrics["metric"] == "reached"].set_index("dataset")["value"]
    for name, rows in picks.groupby("dataset"):
        assert rows.loc[rows["picked"], "distance"].item() == rows["distance"].min(), name
        assert rows.loc[rows["picked"], "reached"].item() == reached[name]
    areas = metrics[(metrics["dataset"] == "digits") & (metrics["method"] == "nm_ge") & (metrics["metric"] == "auprc")]
    found = picks[picks["dataset"] == "digits"].set_index("setting")["reached"]
    pd.testing.assert_series_equal(areas.groupby("setting")["value"].mean(), found, check_names=False)

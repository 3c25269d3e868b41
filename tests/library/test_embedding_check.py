"""Which points, labels and distances of an embedding can be trusted: known answers, invariances, clear refusals."""

import sys
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import ExactTSNE, check_embedding, median_consensus
from consensus_embedding.diagnostics.point_stability import _interval_of_variation, mean_over_runs
from consensus_embedding.diagnostics.summary import answer_sentences, missed_share, percent
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score, silhouette_samples
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.random_projection import GaussianRandomProjection

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from planted_places import Runs, neighbor_displacement, neighbor_turnover, simulate_places

RNG = np.random.default_rng(0)
LABELS = np.repeat(["a", "b", "c"], 40)
CENTRES = np.repeat([[0.0, 0.0], [12.0, 0.0], [0.0, 9.0]], 40, axis=0)
PICTURE = CENTRES + RNG.normal(size=(120, 2))


def turned(embedding, seed):
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    return embedding @ rotation + 20 * rng.normal(size=2)


@pytest.fixture(scope="module")
def noisy():
    """Six runs in which the points of a label keep together, and point 0 is with a random label."""
    runs = [PICTURE + 0.1 * np.random.default_rng(k).normal(size=PICTURE.shape) for k in range(6)]
    for k, run in enumerate(runs):
        run[0] = CENTRES[[10, 50, 100][k % 3]]
    return np.array([turned(run, k) for k, run in enumerate(runs)])


@pytest.fixture(scope="module")
def checked(noisy):
    return check_embedding(embeddings=noisy, labels=LABELS, random_state=0)


@pytest.fixture(scope="module")
def random_check():
    """Ten pictures that have nothing in common."""
    runs = np.random.default_rng(5).normal(size=(10, 200, 2))
    return check_embedding(embeddings=runs, labels=np.arange(200) % 3, random_state=0)


def test_copies_of_one_run_are_stable_and_one_is_enough():
    with pytest.warns(UserWarning, match="6 of 6 runs are equal"):
        check = check_embedding(PICTURE, PCA(2), 6, labels=LABELS)
    for column in ("instability", "distance_spread", "neighbor_turnover"):
        assert check.points[column].to_numpy() == pytest.approx(np.zeros(120), abs=1e-6)
    # A tenth of a run more at a random place: 0.2 / 5.2.
    assert check.points.instability_high.to_numpy() == pytest.approx(np.full(120, 1 / 26), abs=1e-6)
    assert (check.points.category == "stable").all()
    assert check.label_pairs.instability.to_numpy() == pytest.approx(np.zeros(3), abs=1e-6)
    # As for points, with the variation of the distances between random points.
    assert check.label_pairs.instability_high.to_numpy() == pytest.approx(np.full(3, np.sqrt(0.1 / 6.1)), abs=1e-6)
    assert (check.label_pairs.category == "stable").all()
    assert check.convergence.one_run_enough
    assert check.convergence.n_enough == 1
    assert check.n_equal_runs == 6
    for sentences in (check.summary(), answer_sentences(check)):
        assert sentences[0].startswith("Warning: 6 of 6 runs are equal, ")


@pytest.mark.parametrize(("n", "by"), [(120, 0.25), (1200, 0.05)])
def test_a_far_point_in_one_run_changes_little_for_others(n, by):
    """It would make all others of that run near each other. It is a neighbour of some, which counts."""
    rng = np.random.default_rng(0)
    places = np.repeat(CENTRES, n // 120, axis=0) + rng.normal(size=(n, 2))
    runs = places + 0.1 * rng.normal(size=(10, n, 2))
    runs[4] = runs[4, rng.permutation(n)]
    near = check_embedding(embeddings=runs).points
    runs[[3, 4], 0] = 1e6
    with_far = check_embedding(embeddings=runs).points
    for column in ("instability", "distance_spread"):
        np.testing.assert_allclose(with_far[column][1:].mean(), near[column][1:].mean(), rtol=by)


def test_points_at_one_place_have_no_neighbours_by_their_number():
    """Of 60 points at one place in every run, half of each label, which rows come first says nothing."""
    rng = np.random.default_rng(0)
    runs = 8 * rng.normal(size=(6, 200, 2)) + 100
    runs[:, :60] = 0
    labels = np.repeat(["a", "b", "c"], [30, 30, 140])
    for order in (np.arange(200), np.r_[30:60, 0:30, 60:200]):
        groups = check_embedding(embeddings=runs[:, order], labels=labels[order]).label_groups.set_index("label")
        assert groups.same_label[["a", "b"]].between(0.4, 0.6).all()
        assert groups.category[["a", "b"]].eq("mixed").all()


def test_copies_at_one_place_have_the_same_neighbours_in_runs_that_are_turned():
    """Ten places of twenty copies each, and a place of three among single points."""
    rng = np.random.default_rng(0)
    for copies in (np.repeat(np.arange(10), 20), np.r_[0, 0, 0, 1:60]):
        places = 8 * rng.normal(size=(copies[-1] + 1, 2))
        runs = [turned(places + 1e-4 * rng.normal(size=places.shape), k)[copies] for k in range(6)]
        points = check_embedding(embeddings=runs).points
        assert points.neighbor_turnover.to_numpy() == pytest.approx(np.zeros(len(copies)), abs=1e-12)


@pytest.mark.parametrize(("m", "category"), [(4, "uncertain"), (5, "stable")])
def test_fewer_than_five_runs_call_no_point_stable(m, category):
    """Of four runs that agree, each of 53 % of all others may have the point elsewhere."""
    check = check_embedding(PICTURE, PCA(2), m)
    assert set(check.points.category) == {category}


@pytest.mark.parametrize("m", [5, 10, 20])
@pytest.mark.parametrize("size", [10.0, 1e3, 1e6])
@pytest.mark.parametrize(("n_far", "together"), [(1, True), (5, False), (25, False), (25, True)])
def test_far_points_do_not_make_points_at_random_places_stable(n_far, together, size, m):
    rng = np.random.default_rng(m)
    runs = rng.normal(size=(m, 100 + n_far, 2))
    runs[:, :n_far] += size * (1.0 if together else rng.normal(size=(n_far, 2)))
    check = check_embedding(embeddings=runs, random_state=0)
    assert check.points.category[n_far:].eq("unstable").mean() >= (0.95 if m > 5 else 0.9)
    assert set(check.far_points) <= set(range(n_far))
    if size > 10:
        assert len(check.far_points) > 0
        assert check.summary()[0].startswith("Warning: far from all others")


def test_points_that_all_fly_off_in_some_run_are_not_stable():
    runs = np.random.default_rng(0).normal(size=(6, 36, 2))
    for r, run in enumerate(runs):
        run[6 * r : 6 * r + 6] *= 1000
    points = check_embedding(embeddings=runs, n_neighbors=5, random_state=0).points
    assert not points.category.eq("stable").any()
    assert np.isfinite(points[["instability", "instability_low", "instability_high", "distance_spread"]]).all(axis=None)


def test_an_interval_contains_its_mean_and_ends_at_the_best_value():
    for values, random in (([-0.3, -0.301, -0.299, -0.3, -0.3], 0.0), ([0.1, 0.101, 0.099], 0.5), ([1, 1, 1, 0.7], 0)):
        mean, low, high = mean_over_runs(np.array(values), random)
        assert low < mean < high <= 1


GRID = np.array([(a, b) for a in range(3) for b in range(3)])


@pytest.mark.parametrize("level", ["all", "places of the groups", "which group"])
def test_the_headline_names_the_level_that_repeats(level):
    """Nine groups: the same picture each time; new insides at the same places; new insides at shuffled places."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(9), 25)
    inside = rng.normal(size=(225, 2))
    runs = []
    for _ in range(12):
        places = rng.permutation(GRID) if level == "which group" else GRID
        new = 1e-3 * rng.normal(size=(225, 2)) if level == "all" else rng.normal(size=(225, 2))
        runs.append(20 * places[labels] + (inside if level == "all" else 0) + new)
    headline = check_embedding(embeddings=runs, labels=labels).summary()[0]
    parts = {
        "which group a point is in": True,
        "the places of the groups": level != "which group",
        "the neighbours inside them": level == "all",
    }
    for part, same in parts.items():
        assert f"{part} {'repeat' if same else 'change'}" in headline, headline


class OneOfThree(BaseEstimator):
    """Random starts that end in one of three pictures, as those of t-SNE on few points."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit_transform(self, X):
        return X[:, :2] + (self.random_state % 3) * np.arange(len(X))[:, None] ** [1, 2] / len(X)


def test_random_starts_that_end_in_one_picture_are_not_called_a_start_that_is_not_random():
    with pytest.warns(UserWarning, match="runs are equal"):
        check = check_embedding(PICTURE, OneOfThree(), 8, random_state=0)
    assert check.n_equal_runs > 4
    assert len(np.unique(check.embeddings.round(6), axis=0)) > 1
    for sentences in (check.summary(), answer_sentences(check)):
        assert "random starts too may end in the same picture" in sentences[0]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_copies_among_ready_embeddings_are_refused(noisy, kind):
    runs = [*noisy[:4].astype(kind), (3 * turned(noisy[1], 9)).astype(kind)]
    with pytest.raises(ValueError, match=r"that Embedding 1 and Embedding 4 are the same picture.* Leave one out\."):
        check_embedding(embeddings=runs)
    with pytest.raises(
        ValueError, match=r"3 of 6 are .* such as Embedding 1 and Embedding 4, .*with random starts, or"
    ):
        check_embedding(embeddings=[*runs, noisy[1]])
    runs[-1][17] += 1e-2
    assert check_embedding(embeddings=runs).n_equal_runs == 0


def test_random_pictures_are_unstable_with_the_value_1(random_check):
    points = random_check.points
    for column in ("instability", "distance_spread", "neighbor_turnover"):
        assert points[column].mean() == pytest.approx(1.0, abs=0.01)
    assert (points.category == "unstable").all()
    assert (random_check.label_groups.category == "scattered").all()
    assert (random_check.label_pairs.category == "scattered").all()
    assert ((points.instability_low <= 1) & (points.instability_high >= 1)).mean() > 0.9
    assert not random_check.convergence.one_run_enough


def test_a_point_that_changes_places_is_the_only_unstable_one(checked):
    assert checked.points.category.eq("unstable").to_numpy().nonzero()[0].tolist() == [0]
    # The others have it among their 15 neighbours in some runs.
    assert checked.points.instability[1:].max() < checked.points.instability[0] / 4


def test_the_scores_are_those_of_dense_matrices(checked, noisy):
    dense = Runs(noisy)
    assert checked.points.instability.to_numpy() == pytest.approx(neighbor_displacement(dense))
    assert checked.points.neighbor_turnover.to_numpy() == pytest.approx(neighbor_turnover(dense) / (1 - 15 / 119))
    distances = np.array([pdist(y) for y in noisy])
    distances /= np.sqrt(np.square(distances).mean(axis=1, keepdims=True))
    variance = squareform(distances.var(axis=0, ddof=1)).sum(axis=1) / 119
    expected = np.sqrt(variance / distances.var(axis=1).mean())
    assert checked.points.distance_spread.to_numpy() == pytest.approx(expected)


def test_intervals_are_those_of_leaving_out_each_run(checked, noisy):
    without = np.array([neighbor_displacement(Runs(np.delete(noisy, k, axis=0))) for k in range(6)])
    error = np.sqrt(5 / 6 * np.square(without - without.mean(axis=0)).sum(axis=0))
    value = checked.points.instability
    # Student's t, 5 degrees of freedom, and a tenth of a run more at a random place.
    expected = value + 2.5705818366147 * error + (1 - value).clip(lower=0) * 0.2 / 5.2
    assert checked.points.instability_high.to_numpy() == pytest.approx(expected.to_numpy())
    expected = (value - 2.5705818366147 * error - value * 0.2 / 5.2).clip(lower=0)
    assert checked.points.instability_low.to_numpy() == pytest.approx(expected.to_numpy())


def test_a_point_hand_worked():
    # Four points on a line; in the last run the first has moved to the other end. The first two are just no copies.
    runs = [np.array([[x, 0.0] for x in places]) for places in ((0, 1, 5, 6), (0, 1, 5, 6.0001), (7, 1, 5, 6))]
    point = check_embedding(embeddings=runs, n_neighbors=1, normalize="none", tolerance=9).points.iloc[0]
    sizes = [np.sqrt(np.mean(np.square(pdist(run)))) for run in runs]
    own = (1 / sizes[0] + 1 / sizes[1] + 1 / sizes[2]) / 3
    # Neighbour 1 of the first two runs is 6 away in the last; neighbour 3 of the last is 6 away in the first two.
    cross = (2 * 1 / sizes[0] + 2 * 6 / sizes[2] + 2 * 6 / sizes[0]) / 6
    random = (4 / sizes[0] + 4 / sizes[1] + 3 / sizes[2]) / 3  # mean distances (1 + 5 + 6) / 3 and (6 + 2 + 1) / 3
    assert point.instability == pytest.approx((cross - own) / (random - own), rel=1e-4)
    assert point.neighbor_turnover == pytest.approx((2 / 3) / (1 - 1 / 3))


def test_rotations_threads_and_the_order_of_the_points_do_not_matter(checked, noisy):
    runs = [turned(y, 100 + k) for k, y in enumerate(noisy)]
    again = check_embedding(embeddings=runs, labels=LABELS, random_state=0)
    for name in ("points", "label_groups", "label_pairs"):
        found, expected = (getattr(one, name).drop(columns=["x", "y"], errors="ignore") for one in (again, checked))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-7)
    pd.testing.assert_frame_equal(again.convergence.curve, checked.convergence.curve)
    again = check_embedding(embeddings=noisy, labels=LABELS, random_state=0, n_jobs=2)
    for name in ("points", "label_pairs", "label_groups"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(checked, name), check_exact=True)
    pd.testing.assert_frame_equal(again.convergence.curve, checked.convergence.curve, check_exact=True)
    order = np.random.default_rng(1).permutation(120)
    again = check_embedding(embeddings=noisy[:, order], labels=LABELS[order], random_state=0)
    assert again.points.instability.to_numpy() == pytest.approx(checked.points.instability.to_numpy()[order])
    pd.testing.assert_frame_equal(again.label_groups, checked.label_groups)
    pd.testing.assert_frame_equal(again.label_pairs, checked.label_pairs)


def test_the_size_of_a_run_does_not_count_unless_asked(checked, noisy):
    scaled = noisy * np.arange(1, 7)[:, None, None]
    again = check_embedding(embeddings=scaled, labels=LABELS, random_state=0)
    assert again.points.instability.to_numpy() == pytest.approx(checked.points.instability.to_numpy())
    assert again.convergence.curve.distance.to_numpy() == pytest.approx(checked.convergence.curve.distance.to_numpy())
    raw = check_embedding(embeddings=scaled, normalize="none", random_state=0)
    assert raw.convergence.curve.distance[0] > 2 * checked.convergence.curve.distance[0]
    assert raw.consensus.distances == pytest.approx(median_consensus(scaled).distances)


@pytest.mark.parametrize("normalize", ["unit_norm", "none"])
@pytest.mark.parametrize(
    ("dtype", "power"), [(np.float64, -300), (np.float64, 300), (np.float32, -80), (np.float32, 80)]
)
def test_the_unit_of_the_runs_does_not_count(noisy, normalize, dtype, power):
    options = {"labels": LABELS, "normalize": normalize, "random_state": 0}
    unit = 2.0**power
    usual = check_embedding(noisy[0], embeddings=noisy, **options)
    again = check_embedding(noisy[0], embeddings=(noisy * unit).astype(dtype), **options)
    assert again.embeddings.dtype == dtype
    for name in ("label_pairs", "label_groups", "fidelity"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(usual, name), rtol=1e-3)
    pd.testing.assert_frame_equal(again.convergence.curve, usual.convergence.curve, rtol=1e-2, atol=1e-4)
    assert again.convergence.one_run_enough == usual.convergence.one_run_enough
    assert again.consensus.distances / unit == pytest.approx(usual.consensus.distances, rel=1e-3)
    assert again.consensus.median.distances / unit == pytest.approx(usual.consensus.median.distances, rel=1e-3)
    size = np.abs(usual.consensus.embedding).max()
    assert again.points[["x", "y"]].to_numpy() / unit == pytest.approx(usual.consensus.embedding, abs=1e-3 * size)
    assert again.consensus.stress == pytest.approx(usual.consensus.stress, rel=1e-3)


def test_labels_that_keep_together(checked, noisy):
    groups = checked.label_groups
    assert groups.label.tolist() == ["a", "b", "c"]
    assert (groups.category == "together").all()
    assert groups.chance.to_numpy() == pytest.approx(np.full(3, 39 / 119))
    expected = np.mean([silhouette_samples(y, LABELS)[40:80].mean() for y in noisy])
    assert groups.silhouette[1] == pytest.approx(expected)
    assert checked.fidelity is None


def test_the_stable_points_of_a_label_are_counted(checked, random_check):
    for check in (checked, random_check):
        groups = check.label_groups.set_index("label")
        expected = pd.crosstab(check.points.label, check.points.category)
        for category in ("stable", "uncertain", "unstable"):
            counts = expected.get(category, pd.Series(0, index=expected.index))
            assert groups[f"n_{category}"].tolist() == counts[groups.index].tolist()


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0%"), (0.004, "under 1%"), (0.01, "1%"), (0.997, "over 99%"), (1, "100%")]
)
def test_a_share_that_is_neither_none_nor_all_is_not_called_so(share, words):
    assert percent(share) == words


def test_random_silhouettes(random_check):
    """Of labels that are scattered many are negative, where the nearest label is nearer than the own one."""
    labels = np.arange(200) % 3
    expected = [
        np.mean([silhouette_samples(y, labels)[labels == c].mean() for y in random_check.embeddings]) for c in range(3)
    ]
    assert random_check.label_groups.silhouette.to_numpy() == pytest.approx(np.array(expected))


def test_the_distance_of_two_labels_is_relative_to_that_of_all_points(checked, noisy):
    tables = [squareform(pdist(y)) for y in noisy]
    expected = np.mean([table[:40, 80:].mean() / table.sum() * 120 * 119 for table in tables])
    pairs = checked.label_pairs.set_index(["first", "second"])
    assert pairs.distance["a", "c"] == pytest.approx(expected)
    assert (pairs.category == "stable").all()


def test_the_instability_of_two_labels_is_their_variation_over_runs_relative_to_that_of_random_points(checked, noisy):
    tables = np.array([squareform(pdist(y)) for y in noisy])
    pair = tables[:, :40, 80:].mean(axis=(1, 2)) / (tables.sum(axis=(1, 2)) / (120 * 119))
    # The distance between two random points of a run: its variation, over all ordered pairs of different points.
    others = [pdist(y) for y in noisy]
    chance = np.mean([d.std() / d.mean() for d in others])
    expected = pair.std(ddof=1) / pair.mean() / chance
    pairs = checked.label_pairs.set_index(["first", "second"])
    assert pairs.instability["a", "c"] == pytest.approx(expected, rel=1e-6)


def test_few_points_in_two_clear_groups_are_stable_by_default():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(31, 5)) + 20 * (np.arange(31) % 2)[:, None]
    with pytest.warns(UserWarning, match="from 30 to 10"):
        check = check_embedding(X, labels=np.arange(31) % 2, n_embeddings=10, n_neighbors=8, random_state=0)
    assert (check.points.category == "unstable").sum() == 0
    assert set(check.label_groups.category) == {"together"}


def test_labels_that_change_places_have_an_unstable_relation():
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(8), 20)
    runs = []
    for _ in range(60):
        places = np.empty((8, 2))
        places[1:] = 20 * rng.permutation([[0, 0], [0, 1], [1, 0], [1, 2], [2, 0], [2, 1], [2, 2]])
        places[0] = places[1] + [0.0, 5.0]  # these two are always together
        runs.append(places[labels] + rng.normal(size=(160, 2)))
    pairs = check_embedding(embeddings=runs, labels=labels).label_pairs.set_index(["first", "second"])
    assert pairs.category[0, 1] == "stable"
    others = pairs.drop((0, 1))
    assert others.category.eq("unstable").mean() > 0.7
    # On a grid labels cannot meet, so that their distances vary less than those of points of one label and another.
    assert 0.5 < others.instability.mean() < 1.1


@pytest.mark.parametrize(
    ("labels", "sizes"),
    [
        (np.r_[[None] * 5, LABELS[5:50], [np.nan], LABELS[51:]].astype(object), [35, 39, 40]),
        (["a", "b", np.nan] * 40, [40, 40]),
        (pd.array([1, None, 2, 1] * 30, dtype="Int64"), [60, 30]),
        (pd.Series(["a", None, "b", "a"] * 30).array, [60, 30]),
    ],
)
def test_missing_labels_belong_to_no_group(noisy, labels, sizes):
    check = check_embedding(embeddings=noisy, labels=labels)
    assert check.label_groups.n_points.tolist() == sizes
    assert check.points.label.isna().tolist() == pd.isna(labels).tolist()


@pytest.mark.parametrize(
    "labels",
    [np.arange(120), np.r_[np.zeros(119), 1], ["all"] * 120, [None] * 120, pd.Categorical(LABELS), [1, "b"] * 60],
)
def test_any_labels_are_taken(noisy, labels):
    check = check_embedding(embeddings=noisy, labels=labels)
    n_labels = len(pd.unique(pd.Series(labels).dropna()))
    assert (len(check.label_groups), len(check.label_pairs)) == (n_labels, n_labels * (n_labels - 1) // 2)
    assert all(isinstance(sentence, str) for sentence in check.summary())
    few = (check.label_groups.n_points < 5) | (check.label_groups.n_points == 120)
    assert check.label_groups.category.eq("not judged").tolist() == few.tolist()


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([10, 9, 2], [2, 9, 10]),
        (["10", "9", "2"], ["2", "9", "10"]),
        ([10.0, np.nan, 2.0], [2, 10]),
        ([1.5, 1.0, -2.0], [-2.0, 1.0, 1.5]),
        (["10", "9", "b"], ["10", "9", "b"]),
        (["b", 3, "a"], [3, "a", "b"]),
    ],
)
def test_labels_that_are_numbers_are_in_the_order_of_their_size(noisy, labels, names):
    groups = check_embedding(embeddings=noisy, labels=labels * 40).label_groups
    assert [(type(name), name) for name in groups.label] == [(type(name), name) for name in names]


def test_a_few_points_that_got_a_label_at_random_are_no_group():
    """In runs that agree, two points that are near each other by chance are near each other in all runs."""
    rng = np.random.default_rng(1)
    picture = rng.normal(size=(40, 2))
    runs = [picture + 1e-3 * rng.normal(size=picture.shape) for _ in range(5)]
    for size in (2, 3, 4):
        labels = rng.permutation(40) // size
        groups = check_embedding(embeddings=runs, labels=labels).label_groups
        assert set(groups.category) == {"not judged"}
        assert groups.same_label.notna().sum() == (groups.n_points > 1).sum()
    labels = [rng.permutation(40) // 5 for _ in range(15)]
    found = [check_embedding(embeddings=runs, labels=label).label_groups.category for label in labels]
    assert pd.concat(found).eq("together").mean() <= 0.02


def test_the_intervals_of_pairs_of_labels_have_the_true_instability():
    """The coefficient of variation of normal distances is known; 95 % of 600 intervals, up to three standard errors."""
    rng = np.random.default_rng(0)
    m, n_pairs = 8, 600
    distances = 1 + 0.1 * rng.normal(size=(n_pairs, m))
    value = distances.std(axis=1, ddof=1) / distances.mean(axis=1)
    left = np.stack([np.delete(distances, r, axis=1) for r in range(m)], axis=1)
    low, high = _interval_of_variation(value, left.std(axis=2, ddof=1) / left.mean(axis=2), 10.0)
    assert np.mean((low <= 0.1) & (high >= 0.1)) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / n_pairs)
    assert ((low > 0) & (low < value) & (value < high)).all()
    # The same distance in every run has no interval, and one that only one run changes no infinite one.
    same, one = np.zeros((1, m)), np.r_[0.0, np.full(m - 1, 0.3)][None]
    assert [float(end[0]) for end in _interval_of_variation(np.zeros(1), same, 10.0)] == [0.0, 0.0]
    assert [float(end[0]) for end in _interval_of_variation(np.array([0.2]), one, 10.0)] == pytest.approx([0.0, 10.0])


def test_undetermined_places_are_found():
    """Points on the mirror of data that are their own mirror image; ten draws of `bench_check` are the larger form."""
    places = simulate_places(8, 20, 4.0, seed=7, n_members=25)
    runs = ExactTSNE(perplexity=15, max_iter=400).fit_transform_runs(places.X, range(10))
    points = check_embedding(embeddings=runs, n_neighbors=10).points
    planted = places.kind != "member"
    assert roc_auc_score(planted, points.instability) >= 0.9
    assert (points.category[~planted] == "stable").mean() > 0.9
    assert (points.category[planted] == "stable").mean() == 0


def test_a_table_is_embedded_by_any_embedder_with_the_seeds_of_the_consensus():
    X = np.random.default_rng(0).normal(size=(60, 8))
    check = check_embedding(X, GaussianRandomProjection(2), 4, n_neighbors=5, random_state=3)
    seeds = np.random.RandomState(3).randint(2**31 - 1, size=4)
    assert np.array_equal(check.embeddings[2], GaussianRandomProjection(2, random_state=seeds[2]).fit_transform(X))
    assert check.points[["x", "y"]].to_numpy() == pytest.approx(check.consensus.embedding)
    assert "label" not in check.points
    assert check.fidelity is not None


def test_the_summary_has_the_numbers(checked, random_check, noisy):
    text, random_text = (" ".join(check.summary()) for check in (checked, random_check))
    stable = (checked.points.category == "stable").sum()
    near = [np.eye(200)[NearestNeighbors(n_neighbors=15).fit(y).kneighbors()[1]].sum(axis=1)
            for y in random_check.embeddings]  # fmt: skip
    changed = 1 - np.mean([(a * b).sum(axis=1).mean() / 15 for a, b in combinations(near, 2)])
    shares = (f"{stable} ({stable / 120:.0%}) are", "1 (1%) is")
    for number in (*shares, "a, b, c", f"{checked.consensus.stress:.0%}", "39%"):
        assert number in text
    # Of 199 others 15 are neighbours; all three pairs of labels are counted.
    for number in (f"{changed:.0%} of a point's 15 nearest", "92%", "3 cannot be judged"):
        assert number in random_text
    assert (1 - missed_share(6)) ** 6 == pytest.approx(0.05)
    assert "a point that 26% of all runs put elsewhere still has a chance of 5% to be in one place" in random_text
    # Labels that are numbers are quoted, so that they are no counts.
    text = " ".join(check_embedding(embeddings=noisy, labels=np.repeat([-1, 2.5, 3], 40)).summary())
    assert "'-1.0', '2.5', '3.0'" in text
    # Two labels have one distance.
    text = " ".join(check_embedding(embeddings=noisy, labels=np.repeat(["a", "b"], 60)).summary())
    assert "Of 1 distance between labels, 1 is stable" in text


@pytest.mark.parametrize(
    ("m", "last"),
    [
        (4, "Fewer than 5 runs call no point stable: add runs to these 4."),
        (600, "Stable means that these 600 runs agree: a point that under 1% of all runs put elsewhere still"),
    ],
)
def test_the_last_sentence_of_few_and_of_many_runs(m, last):
    rng = np.random.default_rng(0)
    once = rng.normal(size=(20, 2))
    check = check_embedding(embeddings=once + 0.001 * rng.normal(size=(m, 20, 2)), n_neighbors=5, random_state=0)
    assert (check.points.category == "stable").any() == (m > 4)
    assert check.summary()[-1].startswith(last)


def test_frames_in_one_order_are_the_arrays_in_them_whatever_the_names_of_the_labels():
    found = check_embedding(THREE[0], embeddings=FRAMES, labels=pd.Series(np.arange(60) % 2), random_state=0)
    expected = check_embedding(THREE[0], embeddings=THREE, labels=np.arange(60) % 2, random_state=0)
    pd.testing.assert_frame_equal(found.points, expected.points.set_axis(FRAMES[0].index))
    pd.testing.assert_frame_equal(found.label_groups, expected.label_groups)


X = np.random.default_rng(0).normal(size=(60, 4))
THREE = np.random.default_rng(0).normal(size=(3, 60, 2))
FRAMES = [pd.DataFrame(run, index=[f"p{k}" for k in range(60)]) for run in THREE]
HOLED = np.where(np.arange(240).reshape(60, 4) == 41, np.nan, X)


NUMBERED = [np.column_stack([run, np.arange(1, 61)]) for run in THREE]
RENAMED = FRAMES[2][::-1].rename({"p7": "p7b"})
REVERSED = pd.DataFrame(X, index=FRAMES[0].index[::-1])
POINT = np.full((60, 2), 1e-14) + np.eye(60, 2) * 1e-30


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "needs X, .*; found neither"),
        ({"X": HOLED}, "X must not have missing .*found 1, the first in row 10, column 1"),
        ({"X": pd.DataFrame(X).reset_index()}, "X, column 'index': .* numbers of the rows"),
        ({"embeddings": NUMBERED}, "Embedding 0, column '2': .* numbers of the rows"),
        ({"X": np.full((150, 4), 0.1)}, "X must have points that differ, found 150"),
        ({"X": X[:1]}, "n_neighbors = 15 and 1 points"),
        ({"X": X[0]}, r"X .* found shape \(4,\)"),
        ({"X": X, "n_neighbors": 30}, "n_neighbors = 30 and 60 points"),
        ({"X": X, "n_embeddings": 2}, "n_embeddings .* at least 3, found 2"),
        ({"X": X, "embedder": object()}, "fit_transform"),
        ({"X": X, "labels": ["a"] * 59}, r"labels .* \(60,\), found shape \(59,\)"),
        ({"X": np.eye(501, 2), "labels": np.arange(501)}, "labels .* at most 500 categories, found 501"),
        ({"embeddings": THREE * 1e160}, r"largest coordinate .* found 4e\+160"),
        ({"embeddings": [*THREE, np.ones((60, 2))]}, r"Embedding 3 .* one position \(1 of 4"),
        ({"embeddings": [*THREE[:2], POINT]}, r"Embedding 2 .* one position \(1 of 3"),
        ({"X": REVERSED, "embeddings": [THREE[0], *FRAMES[1:]]}, "Embedding 1 .* order of X, .*'p59' as row 0 .*'p0'"),
        ({"embeddings": [*FRAMES[:2], FRAMES[2][::-1]]}, "Embedding 2 .* order of Embedding 0, .*first.index"),
        ({"embeddings": [*FRAMES[:2], RENAMED]}, "Embedding 2 .* order of Embedding 0, .*under the same names"),
        ({"embeddings": FRAMES, "labels": REVERSED[0]}, "labels .* order of Embedding 0, .*'p0' as row 0 .*'p59'"),
        ({"X": X[1:], "embeddings": THREE}, "the same points: found 59 and 60"),
        ({"embeddings": THREE, "embedder": ExactTSNE()}, "found both"),
        ({"embeddings": THREE[:2]}, "at least 3 embeddings, found 2"),
        ({"embeddings": THREE, "normalize": "yes"}, "normalize"),
        ({"embeddings": THREE, "tolerance": 0}, "tolerance"),
        ({"embeddings": THREE, "labels": [1, "1", 2] * 20}, "labels have 1 both as a number and as text"),
    ],
)
def test_unusable_input_gets_one_clear_message(arguments, words):
    with pytest.raises(ValueError, match=words):
        check_embedding(**arguments)


def test_dates_are_labels_that_can_be_read(noisy):
    days = pd.Series(pd.to_datetime(["2026-01-01", "2026-02-01", None] * 40))
    groups = check_embedding(embeddings=noisy, labels=days).label_groups
    assert groups[["label", "n_points"]].to_numpy().tolist() == [["2026-01-01", 40], ["2026-02-01", 40]]


def test_names_that_may_be_one_class_in_two_spellings_are_warned_of(noisy):
    labels = np.array(["benign", "benign", "malignant"] * 40, dtype=object)
    labels[3], labels[6] = "Benign", "benin"
    with pytest.warns(UserWarning, match=r"'Benign' \(1\) and 'benign' \(78\), 'benin' \(1\) and 'benign' \(78\)"):
        check_embedding(embeddings=noisy, labels=labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for names in (["grade 3", "grade 4"], ["B cell", "T cell"], ["male", "female"], ["CD4 T", "CD8 T"]):
            check_embedding(embeddings=noisy, labels=[names[0], *[names[1]] * 119])


def test_names_of_single_points_as_labels_are_refused_at_once():
    """Before names are compared with one another, which takes minutes for so many."""
    names = [f"cell {k}" for k in range(30_000)]
    with pytest.raises(ValueError, match="at most 500 categories, found 30000"):
        check_embedding(embeddings=RNG.normal(size=(3, 30_000, 2)), labels=names)


@pytest.mark.parametrize("n", [2, 3])
def test_noise_of_a_clustering_is_a_group_with_a_warning(noisy, n):
    with pytest.warns(UserWarning, match="labels: -1 counts as a group"):
        check = check_embedding(embeddings=noisy, labels=np.arange(120) % n - 1)
    assert check.label_groups.label.tolist() == [-1, 0, 1][:n]
    # Two classes are often called -1 and 1.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_embedding(embeddings=noisy, labels=np.where(np.arange(120) % 2, 1, -1))


def test_names_of_missing_labels_are_missing_as_in_files(noisy):
    given = ["a", "b", None, "a", "Unknown", np.nan] * 20
    listed = check_embedding(embeddings=noisy, labels=[label if label in ("a", "b") else None for label in given])
    written = check_embedding(embeddings=noisy, labels=np.array(given, dtype=str))
    assert written.label_groups.label.tolist() == ["a", "b"]
    pd.testing.assert_frame_equal(written.label_groups, listed.label_groups)
    assert written.points.label.isna().sum() == 60


def test_a_table_of_distances_may_count_its_rows():
    distances = np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    embedder = ExactTSNE(metric="precomputed", perplexity=5.0, max_iter=260)
    assert len(check_embedding(distances, embedder, 3, n_neighbors=5, random_state=0).points) == 40
    with pytest.raises(ValueError, match="numbers of the rows"):
        check_embedding(distances, ExactTSNE(perplexity=5.0, max_iter=260), 3, n_neighbors=5)
    with pytest.raises(ValueError, match="numbers of the rows"):
        check_embedding(distances, make_pipeline(FunctionTransformer(), embedder), 3, n_neighbors=5)

"""Experiments on the importance of features: rounds, cohorts, survival, and what may not leak."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from presented import rows
from replication.data.planted_features import simulate_planted_features
from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016 import (
    feature_classifiers,
    feature_rounds,
    feature_selection,
    fine_calibration,
    pathology,
    planted_features,
    survival,
)
from replication.papers.ginsburg2016.fine_metrics import EMBEDDINGS
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import Work
from replication.shared.tidy import Metrics
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

SETTINGS = FeatureSettings.model_validate(
    {"max_components": 6, "n_neighbors": [4, 6], "alphas": [1], "svm_gamma": "one"},
)
PLAN = {
    "structure": "shift",
    "n_samples": 40,
    "n_validation": 30,
    "n_features": 20,
    "n_informative": 2,
    "n_redundant": 0,
    "n_nuisance": 0,
    "effect": 4.0,
    "nuisance_scale": 1.0,
}
SELECTION = feature_selection.FeatureSelection.model_validate(
    {
        "rounds": 3,
        "n_features": [1, 2, 5, 10],
        "most_per_sample": 0.1,
        "training_samples": {"less than the paper has": 100},
        "forests": {"rounds": 2, "n_features": [5]},
        "variant_rounds": 2,
        "variants": [{"name": "standardised", "scaling": "standard"}, {"name": "unchanged", "scaling": "none"}],
    },
)
PATHOLOGY = pathology.Pathology.model_validate(
    {
        "sets": [{"name": "s1", "features": "mine", "training": 20, "test": 10}],
        "cohorts": 2,
        "rounds": 3,
        "n_features": [3, 5],
        "forests": {"rounds": 1, "n_features": [5]},
        "variant_rounds": 2,
        "variants": [],
    },
)
ITEM = PATHOLOGY.sets[0]
SURVIVAL = {"cohort": 40, "partitions": 2, "folds": 3}
RANKING = planted_features.PlantedStudy.model_validate(
    {
        "draws": 2,
        "structures": ["shift", "parity"],
        "effects": [0, 8],
        "nuisance_scales": [1],
        "n_samples": 60,
        "n_validation": 60,
        "n_features": 30,
        "n_informative": 2,
        "n_redundant": 2,
        "n_nuisance": 2,
    },
)
CALIBRATION = fine_calibration.FineCalibration(
    rounds=2, options={"scaling": ["none", "standard"], "form": ["chong_jun", "printed"]}
)
MONTHS = {"baseline": 60, "hazard_ratio": 5, "follow_up": 120}


def planted(**changed):
    return simulate_planted_features({**PLAN, **changed}, seed=3)


@pytest.fixture(scope="module")
def selected():
    return feature_selection.run(planted(), SELECTION, SETTINGS, name="mine", source="simulated", work=Work(seed=1))


@pytest.fixture(scope="module")
def patients():
    return planted(n_samples=90, n_validation=0, effect=3.0, months=MONTHS)


@pytest.fixture(scope="module")
def ranked():
    return planted_features.run(RANKING, SETTINGS, Work(seed=4))


class TestDrawRound:
    LABELS = np.repeat([-1, 1], [60, 140])

    def test_share_and_most(self):
        some, redrawn = feature_rounds.draw_round(self.LABELS, SETTINGS.replace(round_most=90), 1, "a", 0)
        assert (len(some), len(np.unique(some)), redrawn) == (90, 90, 0)
        some, _ = feature_rounds.draw_round(self.LABELS, SETTINGS.replace(round_share=0.2), 1, "a", 0)
        assert len(some) == 40

    def test_the_number_of_a_round_tells_its_samples(self):
        first, again, other = (feature_rounds.draw_round(self.LABELS, SETTINGS, 1, "a", k)[0] for k in (0, 0, 1))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)

    def test_all_samples_are_the_same_in_every_round(self):
        whole = SETTINGS.replace(round_share=1.0, round_most=500)
        for k in range(3):
            assert np.array_equal(feature_rounds.draw_round(self.LABELS, whole, 1, k)[0], np.arange(200))

    def test_with_replacement_samples_come_twice(self):
        some, _ = feature_rounds.draw_round(self.LABELS, SETTINGS.replace(replacement=True), 1, "a", 0)
        assert len(some) == 100 > len(np.unique(some))

    def test_a_draw_with_one_class_is_thrown_away(self):
        labels = np.repeat([-1, 1], [3, 37])
        small = SETTINGS.replace(round_share=0.2)
        drawn = [feature_rounds.draw_round(labels, small, 1, k) for k in range(10)]
        assert sum(redrawn for _, redrawn in drawn) > 0
        assert all((labels[some] == -1).sum() >= 2 for some, _ in drawn)

    def test_both_classes_are_left_out_if_asked(self):
        labels = np.repeat([-1, 1], [3, 37])
        some, _ = feature_rounds.draw_round(labels, SETTINGS, 1, 0, leave_both=True)
        assert (labels[some] == -1).sum() == 2

    def test_no_such_draw(self):
        with pytest.raises(ValueError, match=r"None of 1000 draws of 8 of 10 samples .* the classes have 1 and 9\."):
            feature_rounds.draw_round(np.repeat([-1, 1], [1, 9]), SETTINGS, 1, 0)


class TestScoreRound:
    def test_relevant_features_come_first_and_tell_the_classes(self):
        table = planted(effect=8.0)
        found = feature_rounds.score_round(
            table.training_part(), table.validation_part(), SETTINGS, [2, 5], 0, forest_counts=[2]
        )
        relevant = set(np.flatnonzero(table.truth))
        for method in ("t_test", "fisher", "gini", "fine_pca", "fine_isomap"):
            assert set(found.best[method][:2]) == relevant, method
        areas = {
            (method, conditions["classifier"]): value
            for method, metric, value, conditions in found.values
            if metric == "auc" and conditions.get("n_features") == 2
        }
        assert areas["fisher", "logistic_regression"] > 0.99
        assert areas["fisher", "random_forest"] > 0.95
        assert {classifier for _, classifier in areas} == set(feature_classifiers.CLASSIFIERS)

    def test_unseen_samples_change_no_ranking(self):
        table = planted()
        X, y = table.validation_part()
        rng = np.random.default_rng(0)
        # Turning all labels would not do: the scores of most methods are the same then.
        others = rng.normal(size=(len(y) + 6, X.shape[1])), rng.permutation(np.append(y, [-1, 1] * 3))
        first, other = (
            feature_rounds.score_round(table.training_part(), unseen, SETTINGS, [5], 0) for unseen in ((X, y), others)
        )
        for method, best in first.best.items():
            assert np.array_equal(best, other.best[method]), method

    def test_scaling(self):
        table = planted()
        X, y = table.training_part()
        units = 10.0 ** np.arange(X.shape[1] - 10, -10, -1.0)
        unseen = table.validation_part()[0] * units, table.validation_part()[1]
        standard = SETTINGS.replace(scaling="standard")
        one = feature_rounds.score_round(table.training_part(), table.validation_part(), standard, [5], 0)
        two = feature_rounds.score_round((X * units, y), unseen, standard, [5], 0)
        raw = feature_rounds.score_round((X * units, y), unseen, SETTINGS, [5], 0)
        assert np.array_equal(one.best["fine_pca"], two.best["fine_pca"])
        # Without scaling the feature of the largest unit rules.
        assert raw.best["fine_pca"][0] == 0
        # Variance alone is that of the units, whatever the scaling.
        assert raw.best["variance"].tolist() == two.best["variance"].tolist() == [0, 1, 2, 3, 4]

    def test_one_factor_for_all_components_keeps_their_lengths(self):
        table, settings = planted(effect=0.5), SETTINGS.replace(classifier_scaling="common")
        (X, y), (unseen, truth) = table.training_part(), table.validation_part()
        factor, plain = np.sqrt(X.var(axis=0).mean()), SETTINGS.replace(classifier_scaling="none")
        own, by_hand, other = (
            dict(feature_classifiers.classifier_areas((A, y), (B, truth), how, feature_classifiers.FAST_CLASSIFIERS, 0))
            for A, B, how in (
                (7 * X, 7 * unseen, settings),
                ((X - X.mean(axis=0)) / factor, (unseen - X.mean(axis=0)) / factor, plain),
                (X, unseen, SETTINGS),
            )
        )
        assert own == pytest.approx(by_hand)
        assert own["svm"] != other["svm"]
        alike = (np.ones_like(X), y), (np.ones_like(unseen), truth)
        assert dict(feature_classifiers.classifier_areas(*alike, settings, ["svm"], 0)) == {"svm": 0.5}

    def test_embedding_vectors_are_scored_with_one_factor_too(self):
        table = planted(effect=0.5)
        parts = table.training_part(), table.validation_part()
        first, changed, bare = (
            feature_rounds.score_round(*parts, SETTINGS.replace(**scaling), [5], 0, controls=controls)
            for scaling, controls in (({}, True), ({"classifier_scaling": "common"}, True), ({}, False))
        )

        def areas(scored, metric):
            return {(method, at["classifier"]): value for method, name, value, at in scored.values if name == metric}

        found = areas(first, "auc_common_factor")
        assert {method for method, _ in found} == set(EMBEDDINGS)
        assert found == {key: value for key, value in areas(changed, "auc").items() if key in found}
        assert found != {key: value for key, value in areas(first, "auc").items() if key in found}
        assert not areas(bare, "auc_common_factor")

    def test_area_under_the_curve(self):
        rng = np.random.default_rng(0)
        # Rounded, so that there are ties.
        scores, positive = rng.normal(size=(5, 30)).round(1), rng.random(30) < 0.4
        found = feature_classifiers.areas_under_curve(scores, positive)
        assert found == pytest.approx([roc_auc_score(positive, row) for row in scores], abs=1e-12)

    def test_coordinates_that_differ_by_rounding_are_one_place(self):
        rng = np.random.default_rng(0)
        vectors = rng.normal(size=(40, 3))
        assert np.array_equal(feature_classifiers.one_place(vectors), vectors)
        shared = vectors.copy()
        shared[:15, 1], shared[15:, 2] = 0.3, -2.0
        found = feature_classifiers.one_place(shared + 1e-15 * rng.normal(size=shared.shape))
        assert found == pytest.approx(shared, abs=1e-13)
        assert [len(np.unique(column)) for column in found.T] == [40, 26, 16]

    def test_svm_scale(self):
        of_gamma = [FeatureSettings(svm_gamma=kind) for kind in ("one", "per_feature")]
        one, per_feature = (feature_classifiers.make_classifier("svm", 5, settings, 0) for settings in of_gamma)
        assert (one.gamma, per_feature.gamma) == (1.0, 0.2)

    def test_svm_is_that_of_scikit_learn(self):
        (X, y), (unseen, _) = make_classification(80, random_state=0), make_classification(30, random_state=1)
        found = feature_classifiers.radial_svm(0.05).fit(X, y).decision_function(unseen)
        assert found == pytest.approx(SVC(gamma=0.05).fit(X, y).decision_function(unseen), abs=1e-10)

    def test_an_offset_changes_no_forest(self):
        settings, rng = FeatureSettings(classifier_scaling="none"), np.random.default_rng(0)
        y = np.repeat([0, 1], 30)
        X = rng.normal(size=(60, 3)) + 2.0 * (y == 1)[:, None]
        area = {}
        for offset in (0.0, 2.0**30):
            parts = (X[::2] + offset, y[::2]), (X[1::2] + offset, y[1::2])
            area |= {offset: dict(feature_classifiers.classifier_areas(*parts, settings, ["random_forest"], 0))}
        assert area[0.0]["random_forest"] > 0.9
        assert area[2.0**30]["random_forest"] == pytest.approx(area[0.0]["random_forest"], abs=0.05)

    def test_svm_of_huge_vectors(self):
        rng = np.random.default_rng(0)
        # Two clumps, each as narrow as rounding lets it be.
        X, y = 1e55 * (2 + 1e-15 * rng.normal(size=(75, 3))), np.repeat([-1, 1], [46, 29])
        X[::2] *= -1.3
        # At this width the kernel is 1 of samples in one place and 0 of any others.
        same = (X[:, None] == X).all(axis=2).astype(float)
        expected = SVC(kernel="precomputed").fit(same, y).decision_function(same)
        found = feature_classifiers.radial_svm(1.0).fit(X, y).decision_function(X)
        assert found == pytest.approx(expected, abs=1e-10)


class TestFeatureSelection:
    def test_counts_go_up_to_a_tenth_of_the_training_samples(self):
        assert feature_selection.feature_counts(planted(), SELECTION) == [1, 2, 5]
        assert feature_selection.feature_counts(planted(n_samples=100), SELECTION) == [1, 2, 5, 10]
        # Or of what the paper has, where fewer are at hand.
        assert feature_selection.feature_counts(planted(), SELECTION, "less than the paper has") == [1, 2, 5, 10]

    def test_only_variants_that_change_something(self, selected):
        titles = set(selected["variant"].dropna()) - {""}
        assert titles == {"standardised"}
        changed = selected[selected["variant"] == "standardised"]
        assert set(rows(changed, metric="auc")["classifier"]) == {"logistic_regression", "svm"}
        assert not (changed["metric"] == "votes").any()
        assert feature_selection.n_rounds(planted(), SELECTION, SETTINGS) == 5

    def test_every_vote_is_counted_so_that_shares_add_up_over_cohorts(self, selected):
        votes = selected[selected["metric"] == "votes"].groupby("method")["value"].sum()
        assert set(votes.index) == set(feature_rounds.SELECTORS)
        assert (votes == 3 * 5).all(), "five features in each of three rounds"

    @pytest.mark.slow
    def test_a_variant_that_leaves_no_sample_out_is_left_out(self):
        variants = [{"name": "all", "round_share": 1.0}, {"name": "with replacement", "replacement": True}]
        parameters = SELECTION.replace(variants=variants)
        own = planted(n_validation=0)
        assert feature_selection.n_rounds(own, parameters, SETTINGS) == 3 + 2
        assert feature_selection.n_rounds(planted(), parameters, SETTINGS) == 3 + 2 * 2
        found = feature_selection.run(own, parameters, SETTINGS, name="mine", source="own", work=Work(seed=1))
        assert set(found["variant"].dropna()) - {""} == {"with replacement"}

    def test_fewer_features_than_are_selected(self):
        few = planted(n_features=6)
        few = replace(few, values=few.values[:, :4], features=few.features[:4], truth=few.truth[:4])
        with pytest.raises(ValueError, match="mine: expected at least 5 features to choose from, found 4"):
            feature_selection.run(few, SELECTION, SETTINGS, name="mine", source="own")

    @pytest.mark.parametrize(("most", "cut"), [(24, True), (30, False)])
    def test_the_log_says_where_rounds_are_smaller_than_their_share(self, most, cut):
        said, plain = [], SELECTION.replace(rounds=2, variants=[])
        work = Work(seed=1, say=said.append)
        feature_selection.run(planted(), plain, SETTINGS.replace(round_most=most), name="mine", source="own", work=work)
        assert (f"a round learns from {most} of 40 training samples: round_most allows no more" in said) == cut


class TestPathology:
    def test_cohorts_and_rounds_are_balanced(self):
        labels = np.repeat([-1, 1], [50, 20])
        members = pathology.draw_halves(labels, 2 * ITEM.half, 1, "cohort", 0)
        assert np.bincount(labels[members] + 1).tolist() == [15, 0, 15]
        training = pathology.draw_halves(labels[members], 20, 1, "round")
        assert np.bincount(labels[members][training] + 1).tolist() == [10, 0, 10]
        assert not np.array_equal(members, pathology.draw_halves(labels, 2 * ITEM.half, 1, "cohort", 1))

    def test_too_few_samples_of_a_class(self):
        table = planted(n_validation=0, n_samples=20)
        with pytest.raises(ValueError, match=r"s1: a cohort of 30 samples needs 15 of each class, found \d+ of"):
            pathology.run(table, ITEM, PATHOLOGY, SETTINGS, source="simulated")


class TestKaplanMeier:
    # Freireich et al. 1963, remission under 6-mercaptopurine; the estimate stands in many textbooks.
    MONTHS = np.array([6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35], dtype=float)
    EVENTS = np.arange(21) < 9
    PLACEBO = np.array([1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23], dtype=float)

    def test_textbook(self):
        curve = survival.kaplan_meier(self.MONTHS, self.EVENTS)
        assert curve.index.tolist() == [0, 6, 7, 10, 13, 16, 22, 23]
        expected = [1, 0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]
        assert curve["survival"].tolist() == pytest.approx(expected, abs=5e-4)
        assert curve["at_risk"].tolist() == [21, 21, 17, 15, 12, 11, 7, 6]

    def test_against_scipy(self):
        curve = survival.kaplan_meier(self.MONTHS, self.EVENTS)
        data = stats.CensoredData(uncensored=self.MONTHS[self.EVENTS], right=self.MONTHS[~self.EVENTS])
        function = stats.ecdf(data).sf
        interval = function.confidence_interval(0.95, method="log-log")
        for month, values in curve.iloc[1:].iterrows():
            assert values["survival"] == pytest.approx(function.evaluate(month), abs=1e-12)
            assert values["survival_low"] == pytest.approx(interval.low.evaluate(month), abs=1e-12)
            assert values["survival_high"] == pytest.approx(interval.high.evaluate(month), abs=1e-12)

    def test_nobody_left(self):
        curve = survival.kaplan_meier(np.array([1.0, 2.0]), np.array([True, True]))
        assert curve["survival"].tolist() == [1, 0.5, 0]
        assert curve["survival_low"].isna().tolist() == [True, False, True]

    def test_log_rank(self):
        months = np.concatenate([self.MONTHS, self.PLACEBO])
        events = np.concatenate([self.EVENTS, np.ones(21, dtype=bool)])
        high = np.arange(42) >= 21
        # The chi-squared of 16.79 of the textbooks.
        p = survival.log_rank_p(months, events, high)
        assert p == pytest.approx(stats.chi2.sf(16.79, 1), rel=0.01)
        assert survival.log_rank_p(months, events, ~high) == pytest.approx(p)
        assert np.isnan(survival.log_rank_p(months, events, np.zeros(42, dtype=bool)))


class TestSurvival:
    @pytest.mark.slow
    def test_each_patient_is_in_a_group_and_curves_fall(self, patients):
        one = survival.run(patients, SETTINGS, **SURVIVAL, name="mine", source="simulated", work=Work(seed=2))
        sizes = (
            rows(one, metric="n_low", cohort="all")["value"]
            + rows(one, metric="n_high", cohort="all")["value"].to_numpy()
        )
        assert (sizes == 90).all()
        curve = rows(one, method="fine_pca", fit="cross-fitted", cohort="all", group="high", metric="survival")
        assert (np.diff(curve["value"]) <= 0).all()
        assert set(curve["repetition"]) == {0}

    @pytest.mark.slow
    def test_fitting_the_same_patients_flatters(self, patients):
        found = survival.run(patients, SETTINGS, **SURVIVAL, name="mine", source="simulated", work=Work(seed=2))
        auc = rows(found, metric="auc", cohort="all").groupby(["fit"])["value"].mean()
        assert auc["same patients"] > auc["cross-fitted"]

    def test_a_patient_has_no_part_in_his_own_risk(self, patients):
        chosen = np.arange(60)
        X, y = patients.values, patients.labels
        risks = []
        for labels in (y, np.where(np.arange(90) < 60, y, -y)):
            kept = survival._best_features(X[chosen], labels[chosen], SETTINGS)["fine_isomap"]
            risks.append(survival._risk(X[:, kept], labels, chosen, SETTINGS)[0])
        assert np.array_equal(*risks)

    def test_risk_is_cut_at_its_median_at_one_half_and_at_the_share_of_events(self, patients):
        X, y = patients.values[:, :5], patients.labels
        training = np.flatnonzero(np.arange(90) % 3 > 0)
        risk, cuts = survival._risk(X, y, training, SETTINGS)
        shift, scale = survival.standardization(X[training])
        fitted = LogisticRegression().fit((X[training] - shift) / scale, y[training])
        assert np.array_equal(risk > cuts["_class"], fitted.predict((X - shift) / scale) == 1)
        assert (risk[training] > cuts[""]).sum() == len(training) / 2
        assert (risk[training] > cuts["_events"]).sum() == (y[training] == 1).sum()

    def test_features_are_divided_by_one_factor_where_the_settings_say_so(self, patients):
        X, y, training = 1000 * patients.values[:, :5], patients.labels, np.arange(60)
        shift, factor = X[training].mean(axis=0), np.sqrt(X[training].var(axis=0).mean())
        found, by_hand = (
            survival._risk(values, y, training, SETTINGS.replace(classifier_scaling=scaling))[0]
            for values, scaling in ((X, "common"), ((X - shift) / factor, "none"))
        )
        assert found == pytest.approx(by_hand)

    def test_no_months(self):
        with pytest.raises(ValueError, match="mine: survival needs the months of each patient, found none"):
            survival.run(planted(), SETTINGS, **SURVIVAL, name="mine", source="own")


class TestPlanted:
    def test_variance_alone_is_that_of_the_units_whatever_the_scaling(self):
        table = planted(n_features=8)
        units = 10.0 ** np.arange(8, 0, -1)
        measured = replace(table, values=table.values * units)
        found = planted_features.rankings(measured, SETTINGS.replace(scaling="standard"), 0)
        assert np.argsort(-found["variance"]).tolist() == list(range(8))

    @pytest.mark.slow
    def test_strong_shifts_are_found_by_the_filters(self, ranked):
        at = rows(ranked, structure="shift", effect=8, metric="ranking_auc")
        means = at.groupby("method")["value"].mean()
        assert means[["t_test", "fisher", "gini"]].min() > 0.95
        assert means["fine_pca"] > 0.9

    @pytest.mark.slow
    def test_permutation_importance_is_that_of_scikit_learn(self):
        table = planted(n_features=8, effect=2.0)
        forest = RandomForestClassifier(20, random_state=0).fit(*table.training_part())
        X, y = table.validation_part()
        # Means of shuffles that differ: the difference has a standard deviation of about 0.015.
        mine = planted_features.permutation_importances(forest, X, y, np.random.default_rng(0), n_shuffles=100)
        theirs = permutation_importance(forest, X, y, scoring="roc_auc", n_repeats=60, random_state=0).importances_mean
        assert mine == pytest.approx(theirs, abs=0.05)
        assert mine.max() > 0.1


class TestCalibration:
    def run(self, table: FeatureSet, threads=1):
        work = Work(seed=1, threads=threads)
        return fine_calibration.run({"mine": table}, {"mine": "simulated"}, SETTINGS, CALIBRATION, work)

    @pytest.mark.slow
    def test_validation_samples_are_not_seen(self):
        table = planted()
        values = table.values.copy()
        values[table.validation] = np.nan
        metrics, picks = self.run(table)
        blind, blind_picks = self.run(replace(table, values=values), threads=2)
        pd.testing.assert_frame_equal(metrics, blind)
        pd.testing.assert_frame_equal(picks, blind_picks)
        assert picks.groupby("choice")["picked"].sum().tolist() == [1, 1]


class TestWhatSelectorsShare:
    def test_redundancy_of_features(self):
        x = np.arange(6.0)
        apart = np.array([1.0, -1, 0, 0, -1, 1])
        assert feature_rounds.mean_correlation(np.c_[x, -2 * x + 1]) == pytest.approx(1)
        assert feature_rounds.mean_correlation(np.c_[x, 0 * x, apart]) == pytest.approx(
            abs(np.corrcoef(x, apart)[0, 1]) / 3
        )

    def test_embeddings_of_the_same_samples_are_alike_up_to_scale_and_rotation(self):
        places = np.random.default_rng(0).normal(size=(8, 2))
        turned = 3 * places @ np.array([[0.6, -0.8], [0.8, 0.6]])
        one = feature_rounds.Round(samples=np.arange(8), embeddings={"pca": places})
        other = feature_rounds.Round(samples=np.r_[20, 2:8], embeddings={"pca": np.r_[[[9.0, 9.0]], turned[2:]]})
        assert feature_rounds.same_samples_alike("pca", one, other) == pytest.approx(1)
        few = feature_rounds.Round(samples=np.arange(5, 13), embeddings={"pca": places})
        assert np.isnan(feature_rounds.same_samples_alike("pca", one, few))

    def test_agreement_is_counted_from_the_features_that_most_rounds_chose(self):
        best = {method: np.arange(5) for method in feature_rounds.SELECTORS}
        best["fine_lle"] = np.arange(4, 9)
        metrics = Metrics("pathology", "s1", "simulated", feature_rounds.CONDITIONS)
        feature_rounds._add_agreement(metrics, [feature_rounds.Round(best=best)] * 3, 12, {"n_features": 5})
        found = metrics.table().set_index(["metric", "method"])["value"]
        assert found["agreement_fine", "fine_lle"] == pytest.approx(1 / 9)
        assert found["agreement_fine", "fine_pca"] == pytest.approx((1 + 1 + 1 / 9) / 3)
        pairs = found["agreement_pair"]
        assert len(pairs) == 21
        assert {pair: pairs[pair] for pair in ("t_test-fisher", "fine_lle-gini")} == {
            "t_test-fisher": 1,
            "fine_lle-gini": pytest.approx(1 / 9),
        }


def test_noise_of_a_study_is_drawn_anew_for_each_cohort_and_makes_it_harder():
    table = planted(n_samples=80)
    first, second = (pathology.with_noise(table, 2.0, 1, "cohort", k).values for k in (0, 1))
    spread = (first - table.values).std(axis=0) / table.values.std(axis=0)
    np.testing.assert_allclose(spread, 2, rtol=0.4)
    assert not np.array_equal(first, second)
    assert pathology.with_noise(table, 0.0, 1) is table

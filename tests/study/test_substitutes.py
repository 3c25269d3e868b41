"""Setting the free parameters of a substitute by what a paper prints for its baselines."""

import math

import pandas as pd
import pytest
from replication.shared.substitutes import rank_settings, reached_targets

PRINTED = {"lle": 80.0, "pca": 60.0}


def test_the_setting_nearest_to_the_printed_numbers_is_picked():
    settings = [{"snr": 5}, {"snr": 10}, {"snr": 20}]
    scores = [{"lle": 70.0, "pca": 60.0}, {"lle": 77.0, "pca": 64.0}, {"lle": 80.0, "pca": 50.0}]
    picks = rank_settings(settings, scores, PRINTED)
    assert picks["distance"].tolist() == pytest.approx([math.sqrt(50), math.sqrt(12.5), math.sqrt(50)])
    assert picks["picked"].tolist() == [False, True, False]
    assert picks.loc[1, ["snr", "lle", "pca"]].tolist() == [10, 77.0, 64.0]


def test_what_is_not_printed_does_not_count():
    found = rank_settings(
        [{"a": 1}, {"a": 2}], [{"lle": 80.0, "pca": 60.0, "new": 0.0}, {"lle": 81.0, "pca": 60.0, "new": 99.0}], PRINTED
    )
    assert found["picked"].tolist() == [True, False]
    assert "new" not in found


def test_a_setting_without_all_scores_is_not_picked():
    found = rank_settings([{"a": 1}, {"a": 2}], [{"lle": math.nan, "pca": 60.0}, {"lle": 0.0, "pca": 0.0}], PRINTED)
    assert found["picked"].tolist() == [False, True]
    with pytest.raises(ValueError, match="No setting of the substitute has a score of every baseline"):
        rank_settings([{"a": 1}], [{"lle": math.nan, "pca": 60.0}], PRINTED)


def test_targets_say_what_is_reached_and_how_far_the_rest_is_away():
    picks = rank_settings([{"a": 1}], [{"lle": 77.0, "pca": 70.0}], PRINTED)
    found = reached_targets(picks, PRINTED, margin=5.0)
    expected = pd.DataFrame(
        {
            "quantity": ["lle", "pca"],
            "printed": [80.0, 60.0],
            "reached": [77.0, 70.0],
            "difference": [-3.0, 10.0],
            "within the margin": ["yes", "no"],
        }
    )
    pd.testing.assert_frame_equal(found, expected)

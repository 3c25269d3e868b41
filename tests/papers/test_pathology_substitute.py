"""Finding data as hard as the private pathology studies, by what is printed of the filters."""

import numpy as np
import pytest
from replication.catalogue.configuration import read_configuration
from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016 import feature_rounds, pathology_substitute
from replication.papers.ginsburg2016.pathology import PathologyStudy
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import Work

STUDY = PathologyStudy(name="s1", features="easy", training=20, test=10)
PARAMETERS = pathology_substitute.PathologySubstitute(features=("easy", "small"), noise=(0, 2, 50), cohorts=2, rounds=5)


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(1)
    y = np.repeat([-1, 1], 40)
    X = rng.normal(size=(80, 12)) + 2.5 * (y > 0)[:, None] * (np.arange(12) < 4)
    names = np.array([f"f{k}" for k in range(12)])
    classes = np.array(["a", "b"])
    few = np.r_[0:10, 40:50]
    return {"easy": FeatureSet(X, y, names, classes), "small": FeatureSet(X[few], y[few], names, classes)}


def found(tables, *studies):
    settings = FeatureSettings.model_validate(read_configuration("quick.yaml")["feature_embedding"])
    sources = dict.fromkeys(tables, "simulated")
    return pathology_substitute.run(tables, studies, PARAMETERS, settings, sources=sources, work=Work(seed=3))


def test_noise_makes_a_set_harder_and_the_nearest_setting_is_picked(tables, monkeypatch):
    """From easy to chance; a set too small for a cohort is left out; FINE is not run."""
    monkeypatch.setattr(feature_rounds, "choose_embedding", None)
    metrics, picks = found(tables, STUDY)
    assert set(metrics["method"]) == {"t_test", "fisher", "gini"}
    assert picks["features"].unique().tolist() == ["easy"]
    none, some, much = picks.set_index("noise")["reached"].loc[[0, 2, 50]]
    assert none > 0.95
    assert none > some > much
    assert much == pytest.approx(0.5, abs=0.12)
    best = (picks["reached"] - 0.815).abs().idxmin()
    assert picks.index[picks["picked"]].tolist() == [best]
    means = metrics.groupby("noise")["value"].mean()
    np.testing.assert_allclose(picks.set_index("noise")["reached"], means.loc[picks["noise"]])


def test_a_study_without_a_printed_number_is_left_out(tables):
    other = PathologyStudy(name="s2", features="easy", training=20, test=10)
    _, picks = found(tables, STUDY, other)
    assert picks["study"].unique().tolist() == ["s1"]

"""The universes on spectra and on features: the experiments' own numbers, and levels that move them."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.utils.text import InputError
from consensus_embedding.utils.threads import one_blas_thread
from presented import shipped_claims
from replication.catalogue.configuration import read_configuration
from replication.catalogue.experiments import EXPERIMENTS
from replication.claims.judging import judge_claims
from replication.data.feature_set import save_feature_set
from replication.data.feature_sources import source_of_features
from replication.data.planted_features import simulate_planted_features
from replication.data.readers.spectra import save_studies
from replication.multiverse.multiverse import Factor, read_levels, universe_config
from replication.multiverse.universe_families import reduced_config
from replication.papers.ginsburg2016 import feature_selection, layout, universe_features
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.papers.tiwari2008 import (
    spectra_components,
    spectra_dimensions,
    spectra_methods,
    spectra_stability,
    universe_spectra,
)
from replication.papers.tiwari2008.spectra_studies import SpectraSettings, learn
from replication.platform.steps import Work
from replication.platform.study import Study
from replication.shared.tidy import read_table
from test_spectra_experiments import planted

ROOT = Path(__file__).parents[2]
LEVELS = read_levels(read_table(ROOT / "config/choices.tsv"))
CLAIMS = shipped_claims()
QUICK = read_configuration("quick.yaml")
SEED = 5
SPECTRA = {
    "spectra": {"own": [], "n_studies": 2, "n_varied": 2, "n_training": 2},
    "spectra_embedding": {
        **QUICK["spectra_embedding"],
        **dict.fromkeys(("pca_normalization", "z_score_normalization"), "none"),
    }
    | {"normalization": "norm", "mds": "classical", "consensus_components": None}
    | {"kappas": [6, 13], "n_components": 4, "kmeans_runs": 10},
    "spectra_dimensions": {"n_components": [3, 4]},
    "spectra_stability": {**QUICK["spectra_stability"], "kappa_groups": 2, "kappa_splits": 2},
}
PLAN = {"structure": "shift", "n_samples": 80, "n_validation": 30, "n_features": 24, "n_informative": 3}
PLAN |= {"n_redundant": 0, "n_nuisance": 6, "effect": 1.5, "nuisance_scale": 2.0}
FEATURES = {
    "features": {"sets": [{"name": "first", "planted": PLAN}, {"name": "second", "planted": PLAN}]},
    "feature_embedding": {**QUICK["feature_embedding"], "max_components": 6, "n_neighbors": [4, 6], "round_share": 0.5},
    "feature_selection": {**QUICK["feature_selection"], "sets": ["second"], "rounds": 5, "n_features": [2, 5]},
}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """As the multiverse runs them; more threads only wait for one another on tables of this size."""
    with one_blas_thread():
        yield


@pytest.fixture(scope="module")
def spectra_files(tmp_path_factory):
    """Three studies of each role."""
    folder = tmp_path_factory.mktemp("spectra")
    roles = {
        "evaluation": [planted("first", 1, n=48), planted("second", 2, n=48), planted("third", 3, n=48)],
        "training": [planted("fourth", 4), planted("fifth", 5), planted("sixth", 6)],
    }
    for role, studies in roles.items():
        np.savez(folder / f"{role}.npz", **save_studies(studies))
    return {role: str(folder / f"{role}.npz") for role in roles}, roles


@pytest.fixture(scope="module")
def feature_table():
    return simulate_planted_features(PLAN, 1)


@pytest.fixture(scope="module")
def feature_files(tmp_path_factory, feature_table):
    path = tmp_path_factory.mktemp("features") / "second.npz"
    save_feature_set(path, feature_table)
    return {"tables": [str(path)]}


def in_order(table):
    """The rows in an order of their own, as text where they are no values."""
    keys = [column for column in table.columns if column != "value"]
    rows = table.assign(**{key: table[key].astype(str) for key in keys})
    return rows.sort_values(keys, ignore_index=True)


def same_rows(found, expected):
    pd.testing.assert_frame_equal(in_order(found), in_order(expected), rtol=1e-9, atol=1e-12)


def changed(config, level):
    """A configuration with a level, checked as the multiverse does it."""
    return universe_config(config, [Factor("CH-00", ({}, dict(level)))], [1])


def levels_of(family):
    return [
        pytest.param(level, id=f"{factor.choice}: {factor.words(k)}")
        for factor in LEVELS[family]
        for k, level in enumerate(factor.levels)
        if k
    ]


@pytest.mark.slow
def test_the_default_universe_of_spectra_has_the_numbers_of_the_experiments(spectra_files):
    files, roles = spectra_files
    found = universe_spectra.study(SPECTRA, files, SEED)
    studies, training = roles["evaluation"][:2], roles["training"][:2]
    settings = SpectraSettings.model_validate(SPECTRA["spectra_embedding"])
    at = {"dataset": "prostate_mrsi", "source": "simulated", "work": Work(seed=SEED)}
    methods, _ = spectra_methods.run(
        studies, training, settings, condition={"noise": 1, "linewidth": 1, "contrast": 1}, **at
    )
    same_rows(found["spectra_methods"], methods)
    # At the four dimensions of spectra_methods nothing is run again, but it is what would come out.
    learned = learn(training, settings, SEED)
    dimensions = spectra_dimensions.run(studies, learned, settings, [3, 4], **at)
    same_rows(*(table[table["metric"] != "seconds"] for table in (found["spectra_dimensions"], dimensions)))
    stability = spectra_stability.run([studies], learned, settings, SPECTRA["spectra_stability"], **at)
    assert (stability["axis"] == "clustering").any()
    same_rows(found["spectra_stability"], stability[stability["axis"] != "clustering"])
    assert set(found) == {"spectra_methods", "spectra_dimensions", "spectra_stability"}


@pytest.mark.slow
def test_components_are_run_if_they_are_configured(spectra_files):
    files, roles = spectra_files
    parameters = {"starts": 1, "random_draws": 1}
    found = universe_spectra.study(SPECTRA | {"spectra_components": parameters}, files, SEED)["spectra_components"]
    settings = SpectraSettings.model_validate(SPECTRA["spectra_embedding"])
    expected, _ = spectra_components.run(
        roles["evaluation"][:2], learn(roles["training"][:2], settings, SEED), settings, parameters,
        dataset="prostate_mrsi", source="simulated", work=Work(seed=SEED),
    )  # fmt: skip
    same_rows(found, expected)


def test_own_spectra_are_called_so(spectra_files):
    mine = {"name": "mine", "role": "evaluation", "table": "mine.tsv"}
    changes = {"spectra": {"own": [mine], "n_studies": 2, "n_varied": 2, "n_training": 1}}
    changes |= {"spectra_dimensions": {"n_components": [4]}}
    found = universe_spectra.study(SPECTRA | changes, spectra_files[0], SEED)
    for table in found.values():
        assert set(table["dataset"]) == {"own_spectra"}
        assert set(table["source"]) == {"own"}
    assert set(found["spectra_methods"]["noise"]) == {""}


@pytest.mark.slow
def test_the_claims_on_spectra_can_be_judged(spectra_files):
    listed = CLAIMS[CLAIMS["paper"] == "tiwari2008"]
    ledger = judge_claims(listed, universe_spectra.study(SPECTRA, spectra_files[0], SEED))
    judged = set(ledger.loc[ledger["verdict"] != "not testable", "id"])
    assert judged == {"CL-01", "CL-02", "CL-04", "CL-05-kappa", "CL-06", "CL-09", "CL-10"}


@pytest.fixture(scope="module")
def default_spectra(spectra_files):
    config = SPECTRA | {
        "spectra_dimensions": {"n_components": [4]},
        "spectra_components": {"starts": 1, "random_draws": 1},
    }
    return config, universe_spectra.study(config, spectra_files[0], SEED)


@pytest.mark.slow
@pytest.mark.parametrize("level", levels_of("spectra"))
def test_every_level_of_spectra_moves_numbers(level, default_spectra, spectra_files):
    config, default = default_spectra
    found = universe_spectra.study(changed(config, level), spectra_files[0], SEED)
    assert any(not in_order(found[name]).equals(in_order(default[name])) for name in default)


@pytest.mark.slow
def test_the_default_universe_of_features_has_the_numbers_of_the_experiment(feature_files, feature_table):
    found = universe_features.study(FEATURES, feature_files, SEED)
    section = {key: value for key, value in FEATURES["feature_selection"].items() if key != "sets"}
    parameters = feature_selection.FeatureSelection.model_validate(section)
    settings = FeatureSettings.model_validate(FEATURES["feature_embedding"])
    own = {"name": "second", "source": "simulated", "work": Work(seed=SEED)}
    expected = feature_selection.run(feature_table, parameters, settings, **own)
    forests, variants = expected["classifier"] == "random_forest", expected["variant"].notna()
    assert forests.any()
    assert variants.any()
    same_rows(found["feature_selection"], expected[~forests & ~variants])
    assert set(found["feature_selection"]["classifier"].dropna()) == {"logistic_regression", "svm"}


def test_a_set_without_validation_samples_is_refused(tmp_path):
    save_feature_set(tmp_path / "second.npz", simulate_planted_features({**PLAN, "n_validation": 0}, 1))
    with pytest.raises(InputError, match="second: a universe needs validation samples, found none"):
        universe_features.study(FEATURES, {"tables": [str(tmp_path / "second.npz")]}, SEED)


def test_the_claims_on_features_can_be_judged(feature_files):
    claims = CLAIMS[CLAIMS["experiment"] == "feature_selection"]
    ledger = judge_claims(claims, universe_features.study(FEATURES, feature_files, SEED))
    judged = set(ledger.loc[ledger["verdict"] != "not testable", "id"])
    assert {"FI-01", "FI-02", "FI-03", "FI-05", "FI-12-nips", "FI-18"} <= judged


@pytest.fixture(scope="module")
def default_features(feature_files):
    return universe_features.study(FEATURES, feature_files, SEED)["feature_selection"]


@pytest.mark.slow
@pytest.mark.parametrize("level", levels_of("features"))
def test_every_level_of_features_moves_numbers(level, default_features, feature_files):
    found = universe_features.study(changed(FEATURES, level), feature_files, SEED)["feature_selection"]
    assert not in_order(found).equals(in_order(default_features))
    areas = found.loc[found["metric"] == "auc", "value"]
    assert areas.notna().all()
    assert areas.between(0, 1).all()


@pytest.mark.parametrize("overlays", [(), ("quick.yaml",)], ids=["paper", "quick"])
def test_the_reduced_sets_and_studies_are_there(overlays):
    config = read_configuration(*overlays)
    reduced = reduced_config(config, "features")
    items = {item["name"]: item for item in reduced["features"]["sets"]}
    for chosen in reduced["feature_selection"]["sets"]:
        assert "nips2003" in items[chosen] or items[chosen]["planted"]["n_validation"] > 0
    studies = reduced_config(config, "spectra")["spectra"]
    assert 2 <= studies["n_studies"] <= config["spectra"]["n_studies"]
    assert 1 <= studies["n_training"] <= config["spectra"]["n_training"]
    # The claim at four dimensions has its rows, and the consensus has kappas to be taken over in every universe.
    assert 4 in reduced_config(config, "spectra")["spectra_dimensions"]["n_components"]
    groups = reduced_config(config, "spectra")["spectra_stability"]["kappa_groups"]
    levels = next(factor.levels[1:] for factor in LEVELS["spectra"] if factor.choice == "CH-18")
    assert all(high - low + 1 >= 2 * groups for (low, high) in (level["spectra_embedding.kappas"] for level in levels))


@pytest.mark.parametrize(
    ("item", "halve", "source"),
    [
        ({"nips2003": "MADELON"}, True, "original"),
        ({"nips2003": "GISETTE"}, True, "original with validation set halved"),
        ({"nips2003": "GISETTE"}, False, "original"),
        ({"planted": {}}, True, "simulated"),
        ({"table": "mine.csv"}, False, "own"),
        ({"wisconsin": "diagnostic"}, False, "public-substitute"),
    ],
)
def test_source_of_features(item, halve, source):
    assert source_of_features({"name": "some", **item}, halve_gisette=halve) == source


def test_features_of_genes_have_the_source_of_the_genes_and_tables_the_scaling_that_they_name():
    ours = [{"name": "mine", "table": "my.csv", "label": "a"}, {"name": "made", "planted": {}}]
    sets = [
        {"name": "a", "expression": "mine"},
        {"name": "b", "expression": "made"},
        {"name": "c", "table": "f.csv", "label": "y"},
        {"name": "d", "table": "f.csv", "label": "y", "scaling": "none"},
        {"name": "e", "nips2003": "MADELON", "scaling": "standard"},
        {"name": "f", "expression": "breast"},
    ]
    config = read_configuration()
    genes = {"sets": [*config["genes"]["sets"], *ours]}
    study = Study({**config, "genes": {**config["genes"], **genes}, "features": {"sets": sets}})
    assert [layout.source(study, name) for name in "abcf"] == ["own", "simulated", "own", "public-substitute"]
    assert [layout.embedding(study, name)["scaling"] for name in "acdef"] == [
        "none", "standard", "none", "standard", "none",
    ]  # fmt: skip
    # Each experiment on tables embeds them so.
    for experiment, key in (("feature_selection", "set"), ("survival", "set")):
        step = EXPERIMENTS[experiment].steps[0]
        assert step.params(study, SimpleNamespace(**{key: "c"}))["feature_embedding"]["scaling"] == "standard"

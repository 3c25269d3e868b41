"""What the configuration says of MR spectra: what is refused, and in which words."""

from pathlib import Path

import pytest
from replication.catalogue.configuration import SECTIONS, check_config, read_configuration
from replication.catalogue.experiments import EXPERIMENTS
from replication.platform.configuration import ConfigurationError
from replication.platform.settings import settings_of

ROOT = Path(__file__).parents[2]
TABLE = {"name": "mine", "role": "evaluation", "table": "mine.csv"}
FORMS = "spectra.own[0]: expected either the key table, or nifti (with mask, box and truth, if there are any); found"


@pytest.fixture
def config():
    """The defaults with every experiment, also those that only pick settings."""
    return {**read_configuration(), "experiments": list(EXPERIMENTS)}


def problems(check, *arguments):
    with pytest.raises(ConfigurationError) as caught:
        check(*arguments)
    return str(caught.value).splitlines()


def without(item, *left_out):
    return {key: value for key, value in item.items() if key not in left_out}


@pytest.mark.parametrize(
    ("section", "key", "value", "words"),
    [
        ("spectra_embedding", "kappas", [3], "spectra_embedding.kappas: expected at least 2 entries, found 1"),
        ("spectra_embedding", "kappas", [1, 5], "spectra_embedding.kappas[0]: expected at least 2, found 1"),
        ("spectra_embedding", "mode", "mean", "spectra_embedding.mode: expected one of half_sample, kernel_density"),
        ("spectra_embedding", "n_clusters", 1, "spectra_embedding.n_clusters: expected at least 2, found 1"),
        ("spectra_embedding", "regularization", 0, "spectra_embedding.regularization: expected more than 0, found 0"),
        ("spectra_methods", "noise", [0, 1], "spectra_methods.noise[0]: expected more than 0, found 0"),
        ("spectra_methods", "linewith", [1], "spectra_methods.linewith: unknown key; did you mean 'linewidth'?"),
        ("spectra_stability", "noise_draws", 1, "spectra_stability.noise_draws: expected at least 2, found 1"),
        ("spectra", "n_studies", 0, "spectra.n_studies: expected at least 1, found 0"),
        ("spectra", "own", [TABLE | {"role": "test"}], "spectra.own[0].role: expected one of evaluation, training"),
        ("spectra", "own", [without(TABLE, "role")], "spectra.own[0].role: missing"),
        ("spectra", "own", [without(TABLE, "table")], FORMS),
        ("spectra", "own", [TABLE | {"nifti": "mine.nii.gz"}], FORMS),
        ("spectra", "own", [TABLE | {"mask": "mask.nii.gz"}], FORMS),
        ("spectra", "own", [TABLE | {"nfti": "a.nii.gz"}], "spectra.own[0].nfti: unknown key; did you mean 'nifti'?"),
        ("spectra", "own", [TABLE | {"name": "a/b"}], "spectra.own[0].name: expected at most 100 letters"),
        ("spectra", "own", [TABLE | {"ppm": [1.8]}], "spectra.own[0].ppm: expected at least 2 entries, found 1"),
    ],
)  # fmt: skip
def test_a_value_that_the_schema_does_not_know_is_named(config, section, key, value, words):
    check_config(config)
    config[section][key] = value
    assert any(line.startswith(words) for line in problems(check_config, config))


NIFTI = {"name": "mine", "role": "training", "nifti": "a.nii.gz", "mask": "m.nii.gz"}


@pytest.mark.parametrize("item", [TABLE, TABLE | {"ppm": [1.8, 4.2]}, NIFTI])
def test_own_studies_are_tables_or_nifti(config, item):
    config["spectra"]["own"] = [item, TABLE | {"name": "other"}]
    config["experiments"] = ["spectra_methods"]
    check_config(config)
    first, second = settings_of(SECTIONS["spectra"], config["spectra"], "spectra").own
    assert {key: getattr(first, key) for key in item} == {**item, **({"ppm": (1.8, 4.2)} if "ppm" in item else {})}
    assert second.name == "other"


def test_defaults_are_not_picked_on_one_training_study(config):
    message = (
        "experiments: expected at least 2 training studies for spectra_calibration, found {}; add some or leave it out"
    )
    # The arena asks for studies of its own.
    config["experiments"].remove("consensus_arena")
    config["spectra"]["n_training"] = 1
    assert problems(check_config, config) == [message.format(1)]
    config["spectra"] |= {"n_training": 8, "own": [TABLE]}
    assert problems(check_config, config) == [message.format(0)]
    config["experiments"].remove("spectra_calibration")
    check_config(config)


@pytest.mark.parametrize(
    ("section", "key", "value", "words"),
    [
        ("spectra_methods", "noise", [0.5, 2], "spectra_methods.noise: expected 1 among them, the condition that"),
        ("spectra_methods", "contrast", [0.5], "spectra_methods.contrast: expected 1 among them"),
        ("spectra_methods", "map_study", 700, "spectra_methods.map_study: expected less than spectra.n_studies = 700"),
        ("spectra_embedding", "kappas", [20, 3], "spectra_embedding.kappas: expected numbers that rise, found [20, 3]"),
        ("spectra_stability", "kappa_groups", 10, "spectra_stability.kappa_groups: expected at most 9, two kappas of"),
        ("spectra", "own", [TABLE, TABLE], "spectra.own: expected names that differ, found ['mine', 'mine']"),
        ("spectra", "own", [TABLE | {"role": "training"}], "spectra.own: expected at least one study with the role"),
    ],
)
def test_values_that_do_not_fit_one_another_are_named(config, section, key, value, words):
    check_config(config)
    config[section][key] = value
    assert any(line.startswith(words) for line in problems(check_config, config))


def test_options_of_the_calibration_must_fit_the_settings(config):
    config["spectra_calibration"]["options"]["mode"] = ["half_sample", "mean"]
    assert problems(check_config, config) == [
        "spectra_calibration.options.mode[1]: expected one of half_sample, kernel_density, histogram, found the text "
        "'mean'"
    ]


def test_a_choice_that_is_no_setting_is_named(config):
    config["spectra_calibration"]["options"]["window"] = [1, 2]
    (line,) = problems(check_config, config)
    assert line.startswith("spectra_calibration.options.window: unknown key; known here: ")


def test_a_range_of_kappa_that_falls_is_no_option(config):
    config["spectra_calibration"]["options"]["kappas"] = [[3, 20], [10, 3]]
    assert problems(check_config, config) == [
        "spectra_calibration.options.kappas[1]: expected numbers that rise, found [10, 3]"
    ]

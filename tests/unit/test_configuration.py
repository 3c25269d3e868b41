"""Configuration errors: every problem on one line, with the key, what was expected and what was found."""

import copy
from pathlib import Path

import pytest
import yaml
from consensus_embedding.configuration import ConfigurationError, load_config, nearest, validate_config

ROOT = Path(__file__).parents[2]
CONFIG_PATH = ROOT / "config" / "config.yaml"
SCHEMA_PATH = ROOT / "workflow" / "schemas" / "config.schema.yaml"


@pytest.fixture
def config():
    return copy.deepcopy(yaml.safe_load(CONFIG_PATH.read_text()))


def problems(config):
    with pytest.raises(ConfigurationError) as caught:
        validate_config(config, SCHEMA_PATH)
    return str(caught.value).splitlines()


def sections(schema, path=""):
    """Every part of a schema that describes a section of keys."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for key, value in schema.items():
            yield from sections(value, f"{path}/{key}")


def test_the_config_that_comes_with_the_study_is_valid():
    assert load_config(CONFIG_PATH, SCHEMA_PATH)["study"] == "paper"


def test_the_schema_lets_no_key_through_and_leaves_none_out():
    found = list(sections(yaml.safe_load(SCHEMA_PATH.read_text())))
    assert len(found) > 5
    for path, schema in found:
        assert schema["additionalProperties"] is False, path
        assert sorted(schema["required"]) == sorted(schema["properties"]), path


def test_an_experiment_has_a_section_of_its_name():
    properties = yaml.safe_load(SCHEMA_PATH.read_text())["properties"]
    assert set(properties["experiments"]["items"]["enum"]) <= set(properties)


REFUSED = [
    ("study", "my study", "study: expected letters, digits, _ and - only, starting with a letter or digit"),
    ("study", "../other", "study: expected letters, digits, _ and - only"),
    ("study", 2024, "study: expected text, found 2024; put it in quotes if it is meant as text"),
    ("seed", -1, "seed: expected at least 0, found -1"),
    ("seed", 1.0, "seed: expected a whole number, found 1.0"),
    ("seed", True, "seed: expected a whole number, found true (true or false)"),
    ("seed", None, "seed: expected a whole number, found nothing"),
    ("experiments", [], "experiments: expected at least 1 entry, found none"),
    ("experiments", "mce_tail", "experiments: expected a list, found the text 'mce_tail'"),
    ("experiments", ["mce_tial"], "experiments[0]: expected one of tsne_equivalence, mce_conv"),
    ("experiments", ["mce_tail", "mce_tail"], "experiments: expected every entry once, found"),
    ("data.mirrors", [""], "data.mirrors[0]: expected at least 1 character, found none"),
    ("digits.n_samples", 49, "digits.n_samples: expected at least 50, found 49"),
    ("digits.n_samples", 1798, "digits.n_samples: expected at most 1797, found 1798"),
    ("tsne", 5, "tsne: expected a section of keys, found 5"),
    ("tsne.implementation", "exakt", "tsne.implementation: expected one of exact, scikit-learn, found"),
    ("tsne.perplexity", 1, "tsne.perplexity: expected more than 1, found 1"),
    ("tsne.perplexity", float("nan"), "tsne.perplexity: expected a number, found nan"),
    ("tsne.learning_rate", "Auto", "tsne.learning_rate: expected a number above 0, or auto, found"),
    ("tsne.learning_rate", 0, "tsne.learning_rate: expected a number above 0, or auto, found 0"),
    ("tsne.learning_rate", "1e2", "found the text '1e2'; YAML reads it as text, write 1.0e+2"),
    ("median_consensus.tolerance", "1e-5", "'1e-5'; YAML reads it as text, write 1.0e-5"),
    ("median_consensus.mds", "metric", "median_consensus.mds: expected one of classical, smacof, found"),
    ("mce_convergence.n_embeddings", [1, 0], "mce_convergence.n_embeddings[1]: expected at least 1, found 0"),
    ("mce_convergence.repetitions", 1, "mce_convergence.repetitions: expected at least 2, found 1"),
    ("mce_extensions.missing_share", 1, "mce_extensions.missing_share: expected less than 1, found 1"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "message"), REFUSED)
def test_a_refused_value_is_named_with_what_was_expected_and_found(config, key, value, message):
    *parents, last = key.split(".")
    section = config
    for parent in parents:
        section = section[parent]
    section[last] = value
    found = problems(config)
    assert len(found) == 1
    assert message in found[0]


def test_an_enum_suggests_the_nearest_value(config):
    config["experiments"] = ["mce_tial"]
    assert problems(config)[0].endswith("did you mean 'mce_tail'?")


def test_a_misspelt_key_is_one_problem_not_two(config):
    config["tsne"]["perplexty"] = config["tsne"].pop("perplexity")
    assert problems(config) == ["tsne.perplexty: unknown key; did you mean 'perplexity'?"]


def test_a_key_unlike_any_other_is_answered_with_the_known_ones(config):
    config["digits"]["zzz"] = 1
    assert problems(config) == ["digits.zzz: unknown key; known here: n_samples"]


def test_all_problems_are_listed_one_line_each(config):
    del config["seed"]
    del config["tsne"]["max_iter"]
    config["mce_tail"]["draws"] = 0
    config["sudy"] = config.pop("study")
    assert sorted(problems(config)) == [
        "mce_tail.draws: expected at least 1, found 0",
        "seed: missing",
        "sudy: unknown key; did you mean 'study'?",
        "tsne.max_iter: missing",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("- a\n- b\n", "expected keys at the top level, found a list of 2"),
        ("just words\n", "expected keys at the top level, found the text 'just words'"),
        ("a: [1, 2\nb: 3\n", "not valid YAML: line 2"),
        ("a:\n\tb: 1\n", "indented with a tab; YAML wants spaces"),
        ("seed: 1\nstudy: x\nseed: 2\n", "the key 'seed' stands twice, in lines 1 and 3"),
        ("tsne:\n  max_iter: 1\n  max_iter: 2\n", "the key 'max_iter' stands twice, in lines 2 and 3"),
        ("? [a, b]\n: 1\n", "not valid YAML: line 1"),
        (b"study: \xff\xfe\n", "is not text in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, SCHEMA_PATH)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"absent\.yaml: cannot be read: No such file"):
        load_config(tmp_path / "absent.yaml", SCHEMA_PATH)


def test_every_line_about_a_file_begins_with_its_path(tmp_path, config):
    path = tmp_path / "mine.yaml"
    config["seed"], config["digits"]["n_samples"] = -1, 1
    path.write_text(yaml.safe_dump(config))
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, SCHEMA_PATH)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{path}: ") for line in lines)


def test_nearest_is_none_where_nothing_is_near():
    assert nearest("brianweb", ["brainweb", "uci"]) == "brainweb"
    assert nearest("xyz", ["brainweb", "uci"]) is None

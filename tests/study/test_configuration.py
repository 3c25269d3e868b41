"""Configuration errors: every problem on one line, with the key, what was expected and what was found."""

import pytest
from replication.catalogue.configuration import SECTIONS, check_config, read_configuration, section_problems
from replication.catalogue.experiments import EXPERIMENTS
from replication.multiverse.universe_families import FAMILIES
from replication.platform.configuration import ConfigurationError, merge, nearest, read_yaml
from replication.platform.settings import settings_of


@pytest.fixture
def config():
    """The defaults with every experiment, also those that only pick settings."""
    return {**read_configuration(), "experiments": list(EXPERIMENTS)}


def problems(config):
    with pytest.raises(ConfigurationError) as caught:
        check_config(config)
    return str(caught.value).splitlines()


def change(config, key, value):
    """Set a value by its dotted name."""
    *parents, last = key.split(".")
    section = config
    for parent in parents:
        section = section[parent]
    section[last] = value


def test_a_file_is_laid_over_those_before_it(tmp_path, config):
    """Sections key by key, lists as a whole; new keys come last."""
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("seed: 5\nglands: {n_points: 64}\nexperiments: [mce_tail]\n")
    second.write_text("mine: 1\nglands: {between_regions: 0}\n")
    read = read_configuration(first, second)
    assert list(read) == [*config, "mine"]
    assert read["glands"] == {**config["glands"], "n_points": 64, "between_regions": 0}
    assert (read["seed"], read["experiments"], read["mine"]) == (5, ["mce_tail"], 1)
    second.write_text("seed: 5\nseed: 6\n")
    with pytest.raises(ConfigurationError, match=r"second\.yaml: the key 'seed' occurs twice, in lines 1 and 2"):
        read_configuration(first, second)


def test_what_is_merged_leaves_the_parts_as_they_were():
    config, changes = {"a": {"b": [1], "c": 2}, "d": 3}, {"a": {"b": [4]}, "d": {"e": [5]}}
    merged = merge(config, changes)
    assert merged == {"a": {"b": [4], "c": 2}, "d": {"e": [5]}}
    merged["a"]["b"].append(6)
    merged["d"]["e"].append(7)
    assert changes == {"a": {"b": [4]}, "d": {"e": [5]}}
    assert config == {"a": {"b": [1], "c": 2}, "d": 3}


def test_an_experiment_that_no_paper_declares_is_named(config):
    config["experiments"] = ["brain_grid", "mce_tial", "no"]
    first, second = problems(config)
    assert first.startswith("experiments[1]: ")
    assert first.endswith("did you mean 'mce_tail'?")
    assert second.startswith("experiments[2]: ")


def test_an_experiment_has_a_section_of_its_name():
    # It has no settings of its own.
    assert set(EXPERIMENTS) - set(SECTIONS) == {"brain_real_slices"}


def test_the_families_of_universes_are_those_that_the_papers_declare(config):
    assert set(config["multiverse"]["reduced"]) == set(FAMILIES)


TABLE = {"name": "mine", "table": "mine.csv", "label": "class"}
PLANTED = {"n_genes": 400, "n_informative": 40, "effect": 1.5, "training": [16, 16], "test": [16]}
OWN = {"name": "a", "image": "a.nii", "mask": "m.nii"}
CHECKED = {"name": "a", "table": "a.csv"}
OF_DISTANCES = CHECKED | {"embedder": "sklearn.manifold.TSNE", "parameters": {"metric": "precomputed"}}
READY = {"name": "a", "embeddings": ["a.npy", "b.npy", "c.npy"]}
READY_CELLS = {"name": "a", "anndata": "a.h5ad", "obsm": list("abc")}
FEATURES = {"name": "mine", "table": "f.csv", "label": "ill"}
STUDY = {"name": "mine", "role": "evaluation", "table": "mine.csv"}
# The key that is changed and its value; what the message says after the key. The kinds of settings that many sections
# share are tested in test_settings.py.
REFUSED = [
    ("study", "my study", "found the text 'my study'"),
    ("study", "a" * 300, "at most 100 letters"),
    ("study", "example", "another name than example and logs, whose folders all studies share, found the text "),
    ("study", "logs", "found the text 'logs'"),
    ("study", 2024, "expected text, found 2024"),
    ("seed", -1, "at least 0, found -1"),
    ("seed", 2**32, "at most 4294967295, found 4294967296"),
    ("seed", 10**400, "found a number of more than 300 digits"),
    ("seed", -(10**1000), "found a number of more than 300 digits"),
    ("seed", 1.0, "found 1.0"),
    ("seed", True, "found true"),
    ("seed", None, "found nothing"),
    ("workers", 0, "an integer of at least 1, or auto, found 0"),
    ("workers", True, "an integer of at least 1, or auto, found true"),
    ("workers", 2.0, "an integer of at least 1, or auto, found 2.0"),
    ("arithmetic", "portabel", "did you mean 'portable'?"),
    ("experiments", "mce_tail", "found the text 'mce_tail'"),
    ("experiments", ["mce_tail", "mce_tail"], "'mce_tail' twice"),
    ("data.mirrors", ["http://me:secret@host/a?token=b"] * 2, "found the text 'http://host/a?...' twice"),
    ("data.mirrors", "http://me:secret@host/a", "found the text 'http://host/a'"),
    ("digits.n_samples", 1798, "at most 1797, found 1798"),
    ("digits", {"n_samples": 100, "zzz": 1}, ".zzz: unknown key; known here: n_samples"),
    ("tsne.learning_rate", 10**400, "found a number of more than 300 digits"),
    ("tsne.learning_rate", "Auto", "auto, found the text 'Auto'"),
    ("tsne.learning_rate", 0, "above 0, or auto, found 0"),
    ("tsne.learning_rate", "1e2", "YAML reads it as text, write 1.0e+2"),
    ("median_consensus.tolerance", "1e-5", "YAML reads it as text, write 1.0e-5"),
    ("mce_extensions.repetitions", 1, "at least 2, found 1"),
    ("consensus_comparison.repetitions", 1, "at least 2, found 1"),
    ("image_embedding.subset_size", 15, "at most 14, found 15"),
    ("spectra_calibration.options.kappas", [3], "[0]: expected "),
    ("spectra_calibration.options.kappas", [["a", 4]], "[0][0]: expected "),
    ("retrieval_calibration.options.glands.sizqe", [3], ": unknown key; did you mean 'size'?"),
    ("genes.sets", [{"name": "a"}], "[0]: expected either the keys training and test, or table, and label"),
    ("genes.sets", [{"name": "a", "training": "a.csv"}], "[0]: expected either the keys training and test"),
    ("genes.sets", [{"name": "a", "table": "a.csv"}], "[0]: expected either the keys training"),
    ("genes.sets", [TABLE | {"training": "a.csv", "test": "b.csv"}], "[0]: expected either the keys"),
    ("genes.sets", [{"name": "a", "training": "a.csv", "test": "a.csv"}], "[0].test: expected another file than"),
    ("genes.sets", [{"name": "a", "planted": PLANTED}], "[0].planted.test: expected at least 2 entries, found 1"),
    ("features.sets", [{"name": "a"}], "[0]: expected one of nips2003, wisconsin, gse7390, "),
    ("features.sets", [{"name": "a", "table": "a.TSV"}], "[0]: expected one of nips2003, wisconsin, gse7390, "),
    ("features.sets", [{"name": "a", "expression": "b", "split": "c"}], "[0].split: expected a table with it"),
    ("features.sets", [{"name": "a", "wisconsin": "diagnostic", "genes": 5}], "[0].genes: expected expression with it"),
    ("pathology.sets", [{"name": "a", "features": "b", "training": 35, "test": 12}],
     "[0].training: expected a multiple of 2, found 35"),
    ("glands.classes.benign.n_regions", 999, ": expected at most n_glands = "),
    ("prostate_mrsi.anatomy.volume_range_cc", [75, 30], "expected the smaller number first, found [75, 30]"),
    ("prostate_mrsi.acquisition.phase_encodes", [1, 8, 8], "[0]: expected at least 2, found 1"),
    ("prostate_mrsi.anatomy.transition_share", [0.5, 0.25], "expected the smaller number first, found [0.5, 0.25]"),
    ("prostate_mrsi.foci.other_diameters", [1, 0.6], "expected the smaller number first, found [1, 0.6]"),
    ("prostate_mrsi.foci.cancer_share", [1, 0.5], "expected the smaller number first, found [1, 0.5]"),
    ("prostate_mrsi.anatomy.glandular_range", [1, 0], "expected the smaller number first, found [1, 0]"),
    ("prostate_mrsi.foci.diameter_range_mm", [25, 8], "expected the smaller number first, found [25, 8]"),
    ("prostate_mrsi.foci.number", [0.5, 0.3, 0.3], "expected probabilities that sum to 1, found [0.5, 0.3, 0.3]"),
    ("prostate_mrsi.processing.zero_filled_points", 511, "at least acquisition.n_points = 512, found 511"),
    ("prostate_mrsi.concentrations.citrate.stromal", [0, 5], "[0]: expected more than 0, found 0"),
    ("own_embeddings", [CHECKED | {"embedder": "UMAP"}], "[0].embedder: expected the import path of a class"),
    ("own_embeddings", [{"name": "a", "embeddings": ["a.csv", "b.csv"]}],
     "[0].embeddings: expected at least 3 entries, found 2"),
    ("own_embeddings", [OF_DISTANCES], "[0].scaling: expected scaling: none next to distances (precomputed)"),
    ("own_embeddings", [CHECKED | {"embedder": "a.MDS", "parameters": {"dissimilarity": "precomputed"}}],
     "[0].scaling: expected scaling: none next to distances"),
    ("own_embeddings", [OF_DISTANCES | {"scaling": "none", "sample": 50}], "[0].sample: expected none next to"),
    ("own_embeddings", [CHECKED | {"embedder": "a.B", "parameters": {"random_state": 1}}],
     "[0].parameters.random_state: expected none"),
    ("own_embeddings", [READY | {"scaling": "none"}], "[0].scaling: expected data to scale"),
    ("own_embeddings", [READY_CELLS | {"scaling": "none"}], "[0].scaling: expected data to scale"),
    ("multiverse.reduced.digits", {"tsne": {"perplexty": 30}}, ", as tsne.perplexty: unknown key"),
    ("multiverse.reduced.digits", {"tsne": {"max_iter": -1}}, ", as tsne.max_iter: expected at least"),
    ("multiverse.reduced.genes", {"genes": {"repetitions": "two"}}, ", as genes.repetitions: expected"),
    ("multiverse.reduced.genes", {"gene": {}}, ".gene: unknown section"),
    ("multiverse.reduced.imges", {}, ": unknown key; known here: "),
    ("spectra.own", [STUDY | {"role": "test"}], "[0].role: expected one of evaluation, training"),
    ("spectra.own", [STUDY | {"role": "training"}], "expected at least one study with the role evaluation"),
    ("spectra.own", [STUDY, STUDY | {"name": "b", "role": "training"}], "expected other files for training than for"),
    ("spectra_calibration.options.mode", ["half_sample", "mean"],
     "[1]: expected one of half_sample, kernel_density, histogram, found the text 'mean'"),
    ("spectra_calibration.options.kappas", [[3, 20], [10, 3]], "[1]: expected numbers that rise, found [10, 3]"),
    ("theory_strength.n_embeddings", [20, 5, 1], "expected numbers that rise, found [20, 5, 1]"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "words"), REFUSED)
def test_a_refused_value_is_named_with_what_was_expected_and_found(config, key, value, words):
    change(config, key, value)
    (line,) = problems(config)
    assert line.startswith(key)
    assert words in line.removeprefix(key)


@pytest.mark.parametrize("item", [OF_DISTANCES, READY | {"table": "a.csv"}, READY_CELLS | {"representation": "X"}])
def test_distances_and_data_next_to_ready_embeddings_may_stay_as_they_are(config, item):
    change(config, "own_embeddings", [item | {"scaling": "none"}])
    check_config(config)


def test_dissimilarities_are_not_scaled():
    own = [{"name": "a", "dissimilarities": "d.csv", "scaling": "none"}]
    with pytest.raises(ConfigurationError, match=r"gland_retrieval.own\[0\].scaling: expected a table with it"):
        check_config(merge(read_configuration(), {"gland_retrieval": {"own": own}}))


# The key that is changed and its value; what was found.
UNFIT = [
    ("brain_calibration.noise", [1, 2], "2"),
    ("brain_calibration.inhomogeneity", [30], "30"),
    ("theta_sensitivity.noise", [4], "4"),
    ("intrinsic_dimension.slices", [75], "75"),
    ("theory_monotone.noise", 2, "2"),
    ("theory_monotone.inhomogeneity", 1, "1"),
    ("brain_runtime.slice", 75, "75"),
    ("brain_grid.map_slice", 61, "61"),
    ("brain_grid.objects", ["random"], "random"),
    ("image_embedding.n_embeddings", 3, "3"),
    ("toy_rgb.picture.graph", "kn", "kn"),
    ("genes.sets", [TABLE | {"name": name} for name in ("breast", "lung", "breast")], "['breast', 'lung', 'breast']"),
    ("pathology.n_features", [3], "[3]"),
    ("gene_expression.views", "lungs", "lungs"),
    ("gene_expression.variant_repetitions", 21, "21"),
    ("gene_expression.variants", [{"name": "a", "transform": "log"}] * 2, "['a', 'a']"),
    ("gene_expression.variants", [{"name": "main", "transform": "log"}], "main"),
    ("gene_embedding", {"subset_size": 301}, "301"),
    ("gene_embedding", {"n_embeddings": 9}, "9 of them"),
    ("m_sensitivity.n_embeddings", [9, 500], "9 of them"),
    ("own_images", [OWN, OWN], "['a', 'a']"),
    ("own_embeddings", [CHECKED, CHECKED], "['a', 'a']"),
    ("tsne_equivalence.n_fine_runs", 31, "31"),
    ("tsne_equivalence.n_fine_runs", 2, "2"),
    ("mce_extensions.kinds", ["multiscale", "umap"], "['multiscale', 'umap']"),
    ("consensus_arena.slices", [75], "75"),
    ("consensus_arena.noise", 2, "2"),
    ("consensus_arena.n_embeddings", 2, "8, repetitions times n_embeddings"),
    ("consensus_arena.n_studies", 701, "701"),
    ("consensus_arena.kappas", [3, 30], "[3, 30]"),
    ("consensus_arena.n_neighbors", 300, "300"),
    ("consensus_comparison.n_neighbors", 1797, "1797"),
    ("spectra_methods.noise", [0.5, 2], "[0.5, 2]"),
    ("spectra_methods.contrast", [0.5], "[0.5]"),
    ("spectra_methods.map_study", 700, "700"),
    ("spectra_methods.map_study", 150, "150"),
    ("spectra_embedding.kappas", [20, 3], "[20, 3]"),
    ("spectra_stability.kappa_groups", 10, "10"),
    ("spectra.own", [STUDY, STUDY], "['mine', 'mine']"),
]
# The message names another key than that which is changed, or a part of it.
UNFIT_ELSEWHERE = [
    ("brain_grid.maps", [[1, 0], [2, 0]], "brain_grid.maps[1][0]", "2"),
    ("brain_grid.maps", [[1, 10]], "brain_grid.maps[0][1]", "10"),
    ("brain.slices", [60, 70, 75, 80, 90, 110, 120, 130], "brain.calibration_slices", "[75] in both"),
    ("brain.source", "icbm152", "brain.second_subject", "icbm152"),
    ("planted_features.n_nuisance", 91, "planted_features.n_features", "100"),
    ("gene_expression.variants", [{"name": "few", "n_embeddings": 9}], "gene_expression.variants, few", "9 of them"),
    ("gene_expression.variants", [{"name": "wide", "subset_size": 301}], "gene_expression.variants, wide", "301"),
    ("gene_expression.variants", [{"name": "many", "n_embeddings": 1001}], "gene_expression.variants, many", "1001"),
    ("gene_calibration.options.subset_size", [30, 3], "gene_calibration.options.subset_size, 3", "3"),
    ("gene_calibration.options.subset_size", [30, 5], "gene_calibration.options.subset_size, 5", "50 of them"),
    ("features.sets", [FEATURES | {"months": "ill"}], "features.sets[0].months", "'ill'"),
    ("features.sets", [FEATURES | {"months": "t", "drop": ["t"]}], "features.sets[0].months", "'t'"),
    ("own_embeddings", [{"name": "a"}], "own_embeddings[0]", "none of them"),
    ("own_embeddings", [CHECKED | {"anndata": "a.h5ad"}], "own_embeddings[0]", "both"),
    ("own_embeddings", [CHECKED | {"obsm": ["a", "b", "c"]}], "own_embeddings[0].obsm", "none"),
    ("own_embeddings", [CHECKED | {"parameters": {"a": 1}}], "own_embeddings[0].parameters", "none"),
    ("own_embeddings", [{"name": "a", "anndata": "a.h5ad", "drop": ["b"]}], "own_embeddings[0].drop", "none"),
    ("own_embeddings", [{"name": "a", "embeddings": list("abc"), "label": "b"}], "own_embeddings[0].label", "neither"),
    ("own_embeddings", [CHECKED | {"sample": 30}], "own_embeddings[0].n_neighbors", "15"),
    ("spectra.own", [{"name": "mine", "role": "evaluation"}], "spectra.own[0]", "name, role"),
    ("spectra.own", [STUDY | {"nifti": "mine.nii.gz"}], "spectra.own[0]", "name, nifti, role, table"),
    ("spectra.own", [STUDY | {"mask": "mask.nii.gz"}], "spectra.own[0]", "mask, name, role, table"),
    ("spectra.own", [STUDY | {"ppm": [3.8, 2.2]}], "spectra.own[0].ppm", "[3.8, 2.2]"),
]


@pytest.mark.parametrize(
    ("key", "value", "named", "found"), [(key, value, key, found) for key, value, found in UNFIT] + UNFIT_ELSEWHERE
)
def test_values_that_do_not_fit_one_another_are_refused(config, key, value, named, found):
    change(config, key, config[key] | value if isinstance(value, dict) else value)
    lines = [line for line in problems(config) if line.startswith(f"{named}: expected ")]
    assert any(f" found {found}" in line for line in lines)


@pytest.mark.parametrize("section", ["genes", "features"])
@pytest.mark.parametrize("table", ["a.data", "a.arff"])
def test_a_table_that_says_which_column_has_the_class_needs_no_label(config, section, table):
    change(config, f"{section}.sets", [{"name": "a", "table": table}])
    assert [line for line in problems(config) if line.startswith(f"{section}.sets")] == []


NIFTI = {"name": "mine", "role": "training", "nifti": "a.nii.gz", "mask": "m.nii.gz"}


@pytest.mark.parametrize("item", [STUDY, STUDY | {"ppm": [1.8, 4.2]}, NIFTI])
def test_own_studies_are_tables_or_nifti(config, item):
    config["spectra"]["own"] = [item, STUDY | {"name": "other"}]
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
    assert problems(config) == [message.format(1)]
    config["spectra"] |= {"n_training": 8, "own": [STUDY]}
    assert problems(config) == [message.format(0)]
    config["experiments"].remove("spectra_calibration")
    check_config(config)


# The key that is changed and its value; the experiments that this does not fit.
SHARED = [
    ("gene_embedding.n_genes", 40, ["gene_calibration"]),
    ("genes.repetitions", 1, ["gene_expression"]),
    ("genes.sets", [TABLE | {"name": "mine"}], ["gene_expression", "pathology", "feature_selection"]),
    ("brain.noise", [0, 1, 3, 5, 7], ["brain_calibration", "theta_sensitivity"]),
    ("brain.slices", [60, 70, 80], ["intrinsic_dimension", "brain_runtime", "brain_grid", "consensus_arena"]),
    ("brain.inhomogeneity", [0, 20], ["brain_calibration", "brain_runtime", "theory_monotone", "brain_grid"]),
    ("spectra_embedding.kappas", [10, 12], ["spectra_stability", "multiverse"]),
    ("spectra_methods.map_study", 999, ["spectra_methods", "spectra_components"]),
    ("swiss_roll.n_samples", 20, ["swiss_roll", "retrieval_calibration", "multiverse"]),
    ("digits.n_samples", 100, ["mce_extensions", "consensus_comparison"]),
]


@pytest.mark.parametrize(("key", "value", "unfit"), SHARED, ids=[key for key, *_ in SHARED])
def test_what_does_not_fit_an_experiment_that_is_not_run_is_no_fault(config, key, value, unfit):
    change(config, key, value)
    with pytest.raises(ConfigurationError):
        check_config(config)
    config["experiments"] = [name for name in config["experiments"] if name not in unfit]
    check_config(config)


def test_all_problems_are_listed_one_line_each(config):
    change(config, "brain_runtime.slice", 75)
    change(config, "brain_grid.map_slice", 75)
    assert [line.split(":")[0] for line in problems(config)] == ["brain_grid.map_slice", "brain_runtime.slice"]
    del config["seed"]
    config["mce_tail"]["draws"] = 0
    config["sudy"] = config.pop("study")
    assert [line.split(":")[0] for line in problems(config)] == ["mce_tail.draws", "sudy", "seed"]
    assert section_problems(config, ["mce_tail"]) == problems(config)[:1]


@pytest.mark.parametrize("number", ["1:30", "1:30.5"])
def test_no_number_of_base_sixty(tmp_path, number):
    (tmp_path / "a.yaml").write_text(f"study: mine\nseed: {number}\n")
    with pytest.raises(ConfigurationError, match=f"line 2, column 7: {number} is read as a number of base sixty"):
        read_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("- a\n- b\n", "expected keys at the top level, found a list of 2"),
        ("just words\n", "expected keys at the top level, found the text 'just words'"),
        ("a: [1, 2\nb: 3\n", "not valid YAML: line 2"),
        ("a: " + "9" * 5000, "an integer of 5000 digits"),
        ("a:\n\tb: 1\n", "indented with a tab; YAML wants spaces"),
        ("seed: 1\nstudy: x\nseed: 2\n", "the key 'seed' occurs twice, in lines 1 and 3"),
        ("tsne:\n  max_iter: 1\n  max_iter: 2\n", "the key 'max_iter' occurs twice, in lines 2 and 3"),
        ("? [a, b]\n: 1\n", "not valid YAML: line 1"),
        (b"study: \xff\xfe\n", "is not text in UTF-8"),
        ("study: quick\n".encode("utf-16"), "is not text in UTF-8 (invalid start byte); save it as UTF-8"),
        ("study: na\xefve\n".encode("latin-1"), "is not text in UTF-8 (invalid continuation byte); save it as UTF-8"),
        ("a: &a [1, {b: *a}]\n", "line 1, column 15: &a refers to itself"),
        ("a: &x\n  <<: *x\n  c: 1\n", "&x refers to itself"),
        (f"a: {'[' * 100_000}{']' * 100_000}\n", "more than 100 sections or lists inside one another"),
        ("a: !!python/object/apply:os.getcwd []\n", "could not determine a constructor for the tag"),
        ("a: !!python/tuple [1]\n", "could not determine a constructor for the tag"),
        ("a: *b\n", "found undefined alias"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_section_that_is_referred_to_is_read_as_if_it_stood_there(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}\n")
    assert read_yaml(path) == {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1, "y": 2}}


def test_nearest_is_none_where_nothing_is_near():
    assert nearest("brianweb", ["brainweb", "uci"]) == "brainweb"
    assert nearest("xyz", ["brainweb", "uci"]) is None

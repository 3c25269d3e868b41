"""Configuration errors: every problem on one line, with the key, what was expected and what was found."""

from itertools import pairwise
from pathlib import Path

import pytest
from replication.ledger.configuration import SECTIONS, check_config, read_configuration, section_problems
from replication.ledger.experiments import EXPERIMENTS
from replication.multiverse.universe_families import FAMILIES
from replication.platform.configuration import ConfigurationError, in_order, merge, nearest, read_yaml

ROOT = Path(__file__).parents[2]


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


def test_the_config_that_comes_with_the_study_is_valid(config):
    check_config(config)
    assert config["study"] == "paper"


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


def test_options_are_gone_through_in_the_order_of_the_defaults():
    """As Snakemake has it: what is laid over comes first."""
    found = {"mine": 0, "options": {"mds": [1], "new": [2], "kernel": [3]}, "margin": 4}
    ordered = in_order(found, {"margin": 0, "options": {"kernel": [0], "sigma": [0], "mds": [0]}, "seed": 0})
    assert ordered == found
    assert list(ordered) == ["margin", "options", "mine"]
    assert list(ordered["options"]) == ["kernel", "mds", "new"]


def test_an_experiment_that_no_paper_declares_is_named(config):
    config["experiments"] = ["brain_grid", "mce_tial", "no"]
    first, second = problems(config)
    assert first.startswith("experiments[1]: expected one of tsne_equivalence, mce_conv")
    assert first.endswith("found the text 'mce_tial'; did you mean 'mce_tail'?")
    assert second.startswith("experiments[2]: ")
    assert second.endswith("found the text 'no'")


def test_an_experiment_has_a_section_of_its_name():
    # It has no settings of its own.
    assert set(EXPERIMENTS) - set(SECTIONS) == {"brain_real_slices"}


def test_the_families_of_universes_are_those_that_the_papers_declare(config):
    assert list(config["multiverse"]["reduced"]).sort() == list(FAMILIES).sort()
    config["multiverse"]["reduced"]["imges"] = {}
    (line,) = problems(config)
    assert line.startswith("multiverse.reduced.imges: unknown key; known here: ")


TABLE = {"name": "mine", "table": "mine.csv", "label": "class"}
PLANTED = {"n_genes": 400, "n_informative": 40, "effect": 1.5, "training": [16, 16], "test": [16, 9]}
REFUSED = [
    ("study", "my study", "study: expected at most 100 letters, digits, _ and - only, starting with a letter or digit"),
    ("study", "a" * 300, "study: expected at most 100 letters, digits, _ and - only"),
    ("study", "../other", "study: expected at most 100 letters, digits, _ and - only"),
    ("study", 2024, "study: expected text, found 2024; put it in quotes if it is meant as text"),
    ("seed", -1, "seed: expected at least 0, found -1"),
    ("seed", 2**32, "seed: expected at most 4294967295, found 4294967296"),
    ("seed", 10**400, "seed: expected at most 4294967295, found a number of more than 300 digits"),
    ("seed", -(10**1000), "seed: expected at least 0, found a number of more than 300 digits"),
    ("median_consensus.max_iter", 10**10, "median_consensus.max_iter: expected at most 1000000000, found 10000000000"),
    ("median_consensus.tolerance", 10**400, "median_consensus.tolerance: expected at most 1e+100, found a number of"),
    ("tsne.learning_rate", 10**400, "tsne.learning_rate: expected a number above 0, or auto, found a number of"),
    ("brain_calibration.margin", 1.5, "brain_calibration.margin: expected at most 1, found 1.5"),
    ("seed", 1.0, "seed: expected an integer, found 1.0"),
    ("seed", True, "seed: expected an integer, found true (true or false)"),
    ("seed", None, "seed: expected an integer, found nothing"),
    ("experiments", "mce_tail", "experiments: expected a list, found the text 'mce_tail'"),
    ("experiments", ["mce_tail", "mce_tail"], "experiments: expected every entry once, found"),
    ("data.mirrors", [""], "data.mirrors[0]: expected at least 1 character, found none"),
    ("data.mirrors", ["http://me:secret@host/a?token=b"] * 2, "found the text 'http://host/a?...' twice"),
    ("data.mirrors", "http://me:secret@host/a", "data.mirrors: expected a list, found the text 'http://host/a'"),
    ("digits.n_samples", 49, "digits.n_samples: expected at least 50, found 49"),
    ("digits.n_samples", 1798, "digits.n_samples: expected at most 1797, found 1798"),
    ("tsne", 5, "tsne: expected a section of keys, found 5"),
    ("tsne.implementation", "exakt", "tsne.implementation: expected one of exact, barnes_hut, scikit-learn,"),
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
    ("image_embedding.features", "haralick", "image_embedding.features: expected one of haralick14, haralick13_inten"),
    ("image_embedding.implementation", "slow", "image_embedding.implementation: expected one of fast, mahotas, found"),
    ("image_embedding.window", 4, "image_embedding.window: expected one of 3, 5, 7, 9, 11, 13, 15, found 4"),
    ("image_embedding.levels", 1, "image_embedding.levels: expected at least 2, found 1"),
    (
        "image_embedding.objects", "slic",
        "image_embedding.objects: expected one of mean_shift, mean_shift_gaussian, k_means, random, found",
    ),
    ("image_embedding.sigma", 0, "image_embedding.sigma: expected more than 0, found 0"),
    ("image_embedding.n_embeddings", 0, "image_embedding.n_embeddings: expected at least 1, found 0"),
    ("image_embedding.subset_size", 15, "image_embedding.subset_size: expected at most 14, found 15"),
    ("image_embedding.theta", 1, "image_embedding.theta: expected less than 1, found 1"),
    ("image_embedding.exploratory_theta", -0.1, "image_embedding.exploratory_theta: expected at least 0, found -0.1"),
    ("brain.source", "brainwep", "found the text 'brainwep'; did you mean 'brainweb'?"),
    ("brain.second_subject", "brainweb", "brain.second_subject: expected one of brainweb_resimulated, icbm152, none"),
    ("brain.noise", [], "brain.noise: expected at least 1 entry, found none"),
    ("brain.noise", [0.5], "brain.noise[0]: expected an integer, found 0.5"),
    ("brain.slices", [60, 60], "brain.slices: expected every entry once, found 60 twice"),
    ("brain_calibration.options", {}, "brain_calibration.options: expected at least 1 entry, found none"),
    ("brain_calibration.options.window", 5, "brain_calibration.options.window: expected a list, found 5"),
    ("ml_estimators.estimators", ["median", "men"], "ml_estimators.estimators[1]: expected one of median, mean, mode"),
    ("leave_one_out.contrasts", [0], "leave_one_out.contrasts[0]: expected more than 0, found 0"),
    ("toy_rgb.size", 65, "toy_rgb.size: expected at most 64, found 65"),
    ("toy_rgb.graphs.knn.kernel", "knnn", "toy_rgb.graphs.knn.kernel: expected one of knn, exponential, gaussian,"),
    ("toy_rgb.graphs.knn.neighbors", 5, "toy_rgb.graphs.knn.neighbors: unknown key; did you mean 'n_neighbors'?"),
    ("theory_strength.levels", [1], "theory_strength.levels[0]: expected less than 1, found 1"),
    ("theory_monotone.largest_stretch", 1, "theory_monotone.largest_stretch: expected more than 1, found 1"),
    ("genes.sets", [], "genes.sets: expected at least 1 entry, found none"),
    ("genes.sets", [{"name": "a"}], "genes.sets[0]: expected either the keys training and test, or table and label"),
    ("genes.sets", [{"name": "a", "training": "a.csv"}], "genes.sets[0]: expected either the keys training and test"),
    ("genes.sets", [{"name": "a", "table": "a.csv"}], "genes.sets[0]: expected either the keys training"),
    ("genes.sets", [TABLE | {"training": "a.csv", "test": "b.csv"}], "genes.sets[0]: expected either the keys"),
    ("genes.sets", [TABLE | {"name": "a/b"}], "genes.sets[0].name: expected at most 100 letters, digits, _ and - only"),
    ("genes.sets", [TABLE | {"mising": 1}], "genes.sets[0].mising: unknown key; did you mean 'missing'?"),
    ("genes.sets", [TABLE | {"missing": "NA"}], "genes.sets[0].missing: expected a number, found the text 'NA'"),
    ("genes.sets", [TABLE | {"drop": "patient"}], "genes.sets[0].drop: expected a list, found the text 'patient'"),
    ("genes.sets", [{"name": "a", "planted": PLANTED | {"test": [16]}}],
     "genes.sets[0].planted.test: expected at least 2 entries, found 1"),
    ("features.sets", [{"name": "a"}], "features.sets[0]: expected one of nips2003, wisconsin, gse7390, "),
    ("features.sets", [{"name": "a", "table": "a.csv"}], "features.sets[0]: expected one of nips2003, wisconsin"),
    ("features.sets", [{"name": "a", "nips2003": "DOROTHEA"}], "features.sets[0].nips2003: expected one of ARCENE, "),
    ("pathology.sets", [{"name": "a", "features": "b", "training": 35, "test": 12}],
     "pathology.sets[0].training: expected a multiple of 2, found 35"),
    ("feature_selection.variants", [{"name": "a", "rules": "first"}],
     "feature_selection.variants[0].rules: unknown key; did you mean 'rule'?"),
    ("survival.cohort", 9, "survival.cohort: expected at least 10, found 9"),
    ("genes.repetitions", 0, "genes.repetitions: expected at least 1, found 0"),
    ("gene_embedding.n_genes", 0, "gene_embedding.n_genes: expected at least 1, found 0"),
    ("gene_embedding.transform", "logs", "gene_embedding.transform: expected one of none, log, rank, found"),
    ("gene_embedding.linkage", "single", "gene_embedding.linkage: expected one of average, ward, complete, average"),
    ("gene_embedding.label_weights", [2, 0.5], "gene_embedding.label_weights: expected one of fixed, zhao, found a"),
    ("gene_embedding.theta", 1, "gene_embedding.theta: expected less than 1, found 1"),
    ("gene_calibration.splits", 0, "gene_calibration.splits: expected at least 1, found 0"),
    ("gene_calibration.options.linkage", "ward", "gene_calibration.options.linkage: expected a list, found the text"),
    ("gene_expression.variants", [{"transform": "log"}], "gene_expression.variants[0].name: missing"),
    ("gene_expression.variants", [{"name": "a", "tranform": "log"}],
     "gene_expression.variants[0].tranform: unknown key; did you mean 'transform'?"),
    ("brain_calibration.options.widow", [3], "brain_calibration.options.widow: unknown key; did you mean 'window'?"),
    ("fine_calibration.options.scalin", ["none"], "fine_calibration.options.scalin: unknown key; did you"),
    ("gene_calibration.options.linkge", ["ward"], "gene_calibration.options.linkge: unknown key; did you"),
    ("m_sensitivity.n_embeddings", [500], "m_sensitivity.n_embeddings: expected at least 2 entries, found 1"),
    ("own_images", [{"name": "a", "image": "a.nii"}], "own_images[0].mask: missing"),
    ("own_images", [{"name": "a/b", "image": "a.nii", "mask": "m.nii"}], "own_images[0].name: expected at most 100"),
    ("own_embeddings", [{"name": "a", "table": "a.csv", "n_embedings": 5}],
     "own_embeddings[0].n_embedings: unknown key; did you mean 'n_embeddings'?"),
    ("own_embeddings", [{"name": "a", "table": "a.csv", "embedder": "UMAP"}],
     "own_embeddings[0].embedder: expected the import path of a class, such as umap.UMAP, found the text 'UMAP'"),
    ("own_embeddings", [{"name": "a", "embeddings": ["a.csv", "b.csv"]}],
     "own_embeddings[0].embeddings: expected at least 3 entries, found 2"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "message"), REFUSED)
def test_a_refused_value_is_named_with_what_was_expected_and_found(config, key, value, message):
    change(config, key, value)
    found = problems(config)
    assert len(found) == 1
    assert message in found[0]


OWN = {"name": "a", "image": "a.nii", "mask": "m.nii"}
CHECKED = {"name": "a", "table": "a.csv"}
NOISE = "values of brain.noise = [0, 1, 3, 5, 7, 9]"
FIELD = "values of brain.inhomogeneity = [0, 20, 40]"
SLICES = "values of brain.slices = [60, 70, 80, 90, 100, 110, 120, 130, 140, 150]"
# The key that is changed and its value; the key that the message names; what was expected; what was found.
UNFIT = [
    ("brain_calibration.noise", [1, 2], "brain_calibration.noise", NOISE, "2"),
    ("brain_calibration.inhomogeneity", [30], "brain_calibration.inhomogeneity", FIELD, "30"),
    ("theta_sensitivity.noise", [4], "theta_sensitivity.noise", NOISE, "4"),
    ("intrinsic_dimension.slices", [75], "intrinsic_dimension.slices", SLICES, "75"),
    ("intrinsic_dimension.n_neighbors", [20, 10], "intrinsic_dimension.n_neighbors", "numbers that rise", "[20, 10]"),
    ("theory_monotone.noise", 2, "theory_monotone.noise", NOISE, "2"),
    ("theory_monotone.inhomogeneity", 1, "theory_monotone.inhomogeneity", FIELD, "1"),
    ("brain_runtime.slice", 75, "brain_runtime.slice", SLICES, "75"),
    ("brain_grid.map_slice", 61, "brain_grid.map_slice", SLICES, "61"),
    ("brain_grid.maps", [[1, 0], [2, 0]], "brain_grid.maps[1][0]", NOISE, "2"),
    ("brain_grid.maps", [[1, 10]], "brain_grid.maps[0][1]", FIELD, "10"),
    ("brain_grid.objects", ["random"], "brain_grid.objects", "image_embedding.objects = mean_shift first", "random"),
    ("brain.slices", [60, 70, 75, 80, 90, 110, 120, 130], "brain.calibration_slices",
     "slices that are not in brain.slices", "[75] in both"),
    ("brain.source", "icbm152", "brain.second_subject", "another subject than brain.source", "icbm152"),
    ("image_embedding.n_embeddings", 3, "image_embedding.n_embeddings",
     "enough subsets of 4 features to cover all 14", "3"),
    ("toy_rgb.picture.graph", "kn", "toy_rgb.picture.graph", "one of knn", "kn"),
    ("genes.sets", [TABLE | {"name": name} for name in ("breast", "lung", "breast")], "genes.sets", "names that differ",
     "['breast', 'lung', 'breast']"),
    ("pathology.n_features", [3], "pathology.n_features", "5 among them, which the figures show", "[3]"),
    ("pathology.n_features", [5, 3], "pathology.n_features", "numbers that rise", "[5, 3]"),
    ("feature_selection.n_features", [5, 3], "feature_selection.n_features", "numbers that rise", "[5, 3]"),
    ("feature_embedding.n_neighbors", [5, 5], "feature_embedding.n_neighbors", "numbers that rise", "[5, 5]"),
    ("feature_selection.variants", [{"name": "a", "rule": "first"}, {"name": "a", "rule": "minimum"}],
     "feature_selection.variants", "names that differ", "['a', 'a']"),
    ("planted_features.n_nuisance", 91, "planted_features.n_features",
     "at least 101, the sum of n_informative, n_redundant and n_nuisance", "100"),
    ("gene_expression.views", "lungs", "gene_expression.views", "one of leukemia, lung, breast, prostate", "lungs"),
    ("gene_expression.variant_repetitions", 21, "gene_expression.variant_repetitions",
     "at most genes.repetitions = 10", "21"),
    ("gene_expression.variants", [{"name": "few", "n_embeddings": 9}], "gene_expression.variants, few",
     "enough subsets of 30 genes to cover all 300", "9 of them"),
    ("gene_expression.variants", [{"name": "wide", "subset_size": 301}], "gene_expression.variants, wide",
     "a subset_size between n_components = 4 and n_genes = 300", "301"),
    ("gene_expression.variants", [{"name": "many", "n_embeddings": 1001}], "gene_expression.variants, many",
     "n_embeddings of at most 1000, the largest number that is drawn", "1001"),
    ("gene_calibration.options.subset_size", [30, 3], "gene_calibration.options.subset_size, 3",
     "a subset_size between n_components = 4 and n_genes = 300", "3"),
    ("gene_calibration.options.subset_size", [30, 5], "gene_calibration.options.subset_size, 5",
     "enough subsets of 5 genes to cover all 300", "50 of them"),
    ("m_sensitivity.n_embeddings", [500, 200], "m_sensitivity.n_embeddings", "numbers that rise", "[500, 200]"),
    ("own_images", [OWN, OWN], "own_images", "names that differ", "['a', 'a']"),
    ("own_embeddings", [CHECKED, CHECKED], "own_embeddings", "names that differ", "['a', 'a']"),
    ("own_embeddings", [{"name": "a"}], "own_embeddings[0]", "table, anndata or embeddings", "none of them"),
    ("own_embeddings", [CHECKED | {"anndata": "a.h5ad"}], "own_embeddings[0]", "either table or anndata", "both"),
    ("own_embeddings", [CHECKED | {"obsm": ["a", "b", "c"]}], "own_embeddings[0].obsm", "anndata as well", "none"),
    ("own_embeddings", [CHECKED | {"parameters": {"a": 1}}], "own_embeddings[0].parameters", "embedder as well",
     "none"),
    ("own_embeddings", [{"name": "a", "anndata": "a.h5ad", "drop": ["b"]}], "own_embeddings[0].drop",
     "table or embeddings as well", "none"),
    ("own_embeddings", [{"name": "a", "embeddings": ["a.npy", "b.npy", "c.npy"], "label": "kind"}],
     "own_embeddings[0].label", "a table or labels that have this column", "neither"),
    ("own_embeddings", [CHECKED | {"sample": 30}], "own_embeddings[0].n_neighbors", "less than half of sample = 30",
     "15"),
    ("tsne_equivalence.n_fine_runs", 31, "tsne_equivalence.n_fine_runs", "0, or from 3 to n_runs = 30", "31"),
    ("tsne_equivalence.n_fine_runs", 2, "tsne_equivalence.n_fine_runs", "0, or from 3 to n_runs = 30", "2"),
    ("mce_tail.n_embeddings", [1, 3, 2], "mce_tail.n_embeddings", "numbers that rise", "[1, 3, 2]"),
    ("consensus_arena.slices", [75], "consensus_arena.slices", SLICES, "75"),
    ("consensus_arena.noise", 2, "consensus_arena.noise", NOISE, "2"),
    ("consensus_arena.n_embeddings", 2, "consensus_arena.n_embeddings",
     "enough subsets of 30 features of genes to cover all 300", "8, repetitions times n_embeddings"),
    ("consensus_arena.n_studies", 151, "consensus_arena.n_studies", "at most 150, the studies", "151"),
    ("consensus_arena.kappas", [3, 30], "consensus_arena.kappas",
     "at least 40 numbers, repetitions times n_embeddings", "[3, 30]"),
    ("consensus_arena.n_neighbors", 300, "consensus_arena.n_neighbors",
     "less than half of max_points = 600 and of digits.n_samples = 1797", "300"),
    ("consensus_comparison.n_neighbors", 1797, "consensus_comparison.n_neighbors",
     "less than digits.n_samples = 1797", "1797"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "named", "expected", "found"), UNFIT)
def test_values_that_do_not_fit_one_another_are_refused(config, key, value, named, expected, found):
    check_config(config)
    change(config, key, value)
    lines = problems(config)
    assert any(line.startswith(f"{named}: expected {expected}, found {found}") for line in lines), lines


# The key that is changed and its value; the experiments that this does not fit.
SHARED = [
    ("gene_embedding.n_genes", 40, ["gene_calibration"]),
    ("m_sensitivity.n_embeddings", [9, 500], ["m_sensitivity"]),
    ("gene_expression.variants", [{"name": "few", "n_embeddings": 9}], ["gene_expression"]),
    ("gene_expression.variants", [{"name": "many", "n_embeddings": 1001}], ["gene_expression"]),
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


def test_all_values_that_do_not_fit_are_listed(config):
    change(config, "brain_runtime.slice", 75)
    change(config, "brain_grid.map_slice", 75)
    assert [line.split(":")[0] for line in problems(config)] == ["brain_grid.map_slice", "brain_runtime.slice"]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("gene_embedding.subset_size", 301, "a subset_size between n_components = 4 and n_genes = 300, found 301"),
        ("gene_embedding.n_genes", 20, "a subset_size between n_components = 4 and n_genes = 20, found 30"),
        ("gene_embedding.n_components", 31, "a subset_size between n_components = 31 and n_genes = 300, found 30"),
        ("gene_embedding.n_embeddings", 9, "enough subsets of 30 genes to cover all 300, found 9 of them"),
        ("m_sensitivity.n_embeddings", [9, 500], "enough subsets of 30 genes to cover all 300, found 9 of them"),
    ],
)
def test_subsets_that_cannot_hold_the_genes_are_refused(config, key, value, line):
    change(config, key, value)
    found = problems(config)
    assert any(one.endswith(f": expected {line}") for one in found)
    assert all("expected" in one and "found" in one for one in found)


@pytest.mark.parametrize("names", [("a", "a"), ("main",)])
def test_variants_of_one_name_are_refused(config, names):
    change(config, "gene_expression.variants", [{"name": name, "transform": "log"} for name in names])
    (line,) = problems(config)
    assert line.startswith("gene_expression.variants: expected names that differ")
    assert names[0] in line


def test_a_misspelt_option_of_the_retrieval_is_named(config):
    options = config["retrieval_calibration"]["options"]["glands"]
    options["sizqe"] = options.pop("size")
    assert problems(config) == ["retrieval_calibration.options.glands.sizqe: unknown key; did you mean 'size'?"]


@pytest.mark.parametrize(
    ("section", "key", "options", "line"),
    [
        (
            "gene_calibration",
            "transform",
            ["none", "sqrt"],
            "[1]: expected one of none, log, rank, found the text 'sqrt'",
        ),
        ("gene_calibration", "knn_neighbors", [3, 0], "[1]: expected at least 1, found 0"),
        ("brain_calibration", "window", [5, 4], "[1]: expected one of 3, 5, 7, 9, 11, 13, 15, found 4"),
    ],
)
def test_an_option_that_the_settings_could_not_hold_is_refused(config, section, key, options, line):
    change(config, f"{section}.options.{key}", options)
    assert problems(config) == [f"{section}.options.{key}{line}"]


@pytest.mark.parametrize(
    ("calibration", "key", "options"),
    [
        ("spectra_calibration", "kappas", [3]),
        ("gene_calibration", "subset_size", ["ten"]),
        ("spectra_calibration", "kappas", [["a", 4]]),
        ("brain_calibration", "levels", [None]),
    ],
)
def test_an_option_of_a_wrong_type_is_one_line(config, calibration, key, options):
    config[calibration]["options"][key] = options
    (line,) = problems(config)
    assert line.startswith(f"{calibration}.options.{key}[0]")
    assert "expected" in line


@pytest.mark.parametrize(
    ("family", "changes", "line"),
    [
        (
            "digits",
            {"tsne": {"perplexty": 30}},
            "multiverse.reduced.digits, as tsne.perplexty: unknown key",
        ),
        ("digits", {"tsne": {"max_iter": -1}}, "multiverse.reduced.digits, as tsne.max_iter: expected at least"),
        (
            "genes",
            {"genes": {"repetitions": "two"}},
            "multiverse.reduced.genes, as genes.repetitions: expected",
        ),
        ("genes", {"gene": {}}, "multiverse.reduced.genes.gene: unknown section"),
    ],
)
def test_the_reduced_size_of_the_universes_is_checked(config, family, changes, line):
    config["multiverse"]["reduced"][family] = changes
    found = problems(config)
    assert len(found) == 1
    assert found[0].startswith(line)


@pytest.mark.parametrize("number", ["1:30", "1:30.5"])
def test_no_number_of_base_sixty(tmp_path, number):
    (tmp_path / "a.yaml").write_text(f"study: mine\nseed: {number}\n")
    with pytest.raises(ConfigurationError, match=f"line 2, column 7: {number} is read as a number of base sixty"):
        read_yaml(tmp_path / "a.yaml")


def test_plain_numbers_are_read_as_before(tmp_path):
    (tmp_path / "a.yaml").write_text("whole: 30\nnegative: -4\nfraction: 2.5\nsmall: 1.0e-5\ninfinite: .inf\n")
    found = {"whole": 30, "negative": -4, "fraction": 2.5, "small": 1e-5, "infinite": float("inf")}
    assert read_yaml(tmp_path / "a.yaml") == found


def test_a_misspelt_key_of_a_table_is_named(config):
    config["genes"]["sets"] = [{"name": "mine", "table": "mine.csv", "lable": "class"}]
    assert problems(config)[0] == "genes.sets[0].lable: unknown key; did you mean 'label'?"


def test_an_enum_suggests_the_nearest_value(config):
    config["arithmetic"] = "portabel"
    assert problems(config)[0].endswith("did you mean 'portable'?")


def test_a_misspelt_key_is_one_problem_not_two(config):
    config["tsne"]["perplexty"] = config["tsne"].pop("perplexity")
    assert problems(config) == ["tsne.perplexty: unknown key; did you mean 'perplexity'?"]


def test_a_key_unlike_any_other_is_answered_with_the_known_ones(config):
    config["digits"]["zzz"] = 1
    assert problems(config) == ["digits.zzz: unknown key; known here: n_samples"]


def test_all_problems_are_listed_one_line_each(config):
    del config["seed"]
    config["mce_tail"]["draws"] = 0
    config["sudy"] = config.pop("study")
    assert problems(config) == [
        "mce_tail.draws: expected at least 1, found 0",
        "sudy: unknown key; did you mean 'study'?",
        "seed: missing",
    ]
    assert section_problems(config, ["mce_tail"]) == problems(config)[:1]


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
        ("tsne: &a\n  b: *a\n", "line 2, column 6: &a refers to itself"),
        ("a: &a [1, {b: *a}]\n", "line 1, column 15: &a refers to itself"),
        (
            "a: &a [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n"
            + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in pairwise("abcdefghi")),
            "more than 100000 values, with those that references repeat",
        ),
        # Deep enough for the parser in C to end the process.
        (f"a: {'[' * 200_000}{']' * 200_000}\n", "more than 100 sections or lists inside one another"),
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


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"absent\.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "absent.yaml")


def test_nearest_is_none_where_nothing_is_near():
    assert nearest("brianweb", ["brainweb", "uci"]) == "brainweb"
    assert nearest("xyz", ["brainweb", "uci"]) is None

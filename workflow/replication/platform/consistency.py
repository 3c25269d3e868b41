"""Checks of a configuration that no schema can make: values that must fit one another."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from replication.platform.configuration import ConfigurationError, merge, validate_config
from replication.platform.own_embeddings import check_own_embeddings

# Texture features of an image, which subsets are drawn from.
_N_TEXTURES = 14
# What takes values of the section brain -> their key there.
_OF_BRAIN = {
    "brain_calibration.noise": "noise",
    "brain_calibration.inhomogeneity": "inhomogeneity",
    "theta_sensitivity.noise": "noise",
    "intrinsic_dimension.slices": "slices",
    "theory_monotone.noise": "noise",
    "theory_monotone.inhomogeneity": "inhomogeneity",
    "brain_runtime.noise": "noise",
    "brain_runtime.inhomogeneity": "inhomogeneity",
    "brain_runtime.slice": "slices",
    "brain_grid.map_slice": "slices",
    "consensus_arena.slices": "slices",
    "consensus_arena.noise": "noise",
    "consensus_arena.inhomogeneity": "inhomogeneity",
}


def check_consistency(config: Mapping[str, Any]) -> None:
    """Check what no schema can: values that must fit one another.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema.

    Raises
    ------
    ConfigurationError
        With all problems, one line each.
    """
    n = config["digits"]["n_samples"]
    below_n = {"tsne.perplexity": config["tsne"]["perplexity"]}
    if _is_run(config, "mce_extensions", "consensus_comparison"):
        below_n["mce_extensions.perplexities"] = max(config["mce_extensions"]["perplexities"])
    if _is_run(config, "consensus_comparison"):
        below_n["consensus_comparison.n_neighbors"] = config["consensus_comparison"]["n_neighbors"]
    lines = [
        f"{key}: expected less than digits.n_samples = {n}, found {value}"
        for key, value in below_n.items()
        if value >= n
    ]
    equivalence = config["tsne_equivalence"]
    if equivalence["n_fine_runs"] not in (0, *range(3, equivalence["n_runs"] + 1)):
        lines.append(
            f"tsne_equivalence.n_fine_runs: expected 0, or from 3 to n_runs = {equivalence['n_runs']}, "
            f"found {equivalence['n_fine_runs']}"
        )
    lines += _check_images(config)
    lines += _check_genes(config)
    lines += _check_spectra(config)
    lines += _check_retrieval(config)
    lines += _check_features(config)
    lines += check_own_embeddings(config)
    lines += _check_arena(config)
    for key in ("mce_convergence", "mce_tail", "m_sensitivity"):
        lines += _unsorted(f"{key}.n_embeddings", config[key]["n_embeddings"])
    if lines:
        raise ConfigurationError("\n".join(lines))


def _is_run(config: Mapping[str, Any], *experiments: str) -> bool:
    """Whether one of the experiments is run; constraints of experiments that are not run are ignored."""
    return not set(experiments).isdisjoint(config["experiments"])


def _repeated(where: str, names: Sequence[str]) -> list[str]:
    """A line if a name occurs twice."""
    return [f"{where}: expected names that differ, found {names}"] if len(set(names)) < len(names) else []


def _not_rising(where: str, low: float, high: float) -> list[str]:
    """A line if the ends of a range are not in order."""
    return [f"{where}: expected numbers that rise, found [{low}, {high}]"] if low >= high else []


def _unsorted(where: str, values: Sequence[float], what: str = "numbers") -> list[str]:
    """A line if values are not in rising order."""
    return [f"{where}: expected {what} that rise, found {values}"] if values != sorted(values) else []


def _unknown_options(config: Mapping[str, Any], calibration: str, section: str) -> list[str]:
    """A line if a calibration tries options of keys that the section does not have."""
    unknown = sorted(set(config[calibration]["options"]) - set(config[section]))
    return [f"{calibration}.options: expected keys of {section}, found {', '.join(unknown)}"] if unknown else []


def _names(items: Iterable[Mapping[str, Any]]) -> list[str]:
    return [item["name"] for item in items]


def check_options(config: Mapping[str, Any], schema_path: str | PathLike[str]) -> None:
    """Check that the settings allow every option that their calibrations try.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema.
    schema_path : path-like
        That schema.

    Raises
    ------
    ConfigurationError
        With all problems, one line each.
    """
    lines = []
    for section, calibration in (
        ("image_embedding", "brain_calibration"),
        ("gene_embedding", "gene_calibration"),
        ("spectra_embedding", "spectra_calibration"),
        ("feature_embedding", "fine_calibration"),
    ):
        for key, options in config[calibration]["options"].items():
            for option in options:
                try:
                    changed = {section: {**config[section], key: option}}
                    validate_config(changed, schema_path, [section])
                except ConfigurationError as error:
                    lines += [f"{calibration}.options, as {line}" for line in str(error).splitlines()]
    retrieval = config["gland_retrieval"]
    for name, tried in config["retrieval_calibration"]["options"].items():
        for key, options in tried.items():
            # The size is set for both sets at once, not in their sections.
            known = [*retrieval.get(name, ()), "size"]
            if name != "swiss_roll" and key not in known:
                names = ", ".join(known)
                lines += [f"retrieval_calibration.options.{name}.{key}: unknown key; known here: {names}"]
                continue
            for option in options:
                if name == "swiss_roll":
                    changed = {name: {**config[name], key: option}}
                elif key == "size":
                    changed = {"gland_retrieval": {**retrieval, key: option}}
                else:
                    changed = {"gland_retrieval": {**retrieval, name: {**retrieval[name], key: option}}}
                try:
                    validate_config(changed, schema_path, list(changed))
                except ConfigurationError as error:
                    lines += [f"retrieval_calibration.options.{name}, as {line}" for line in str(error).splitlines()]
    if lines:
        raise ConfigurationError("\n".join(lines))


def check_reduced(config: Mapping[str, Any], schema_path: str | PathLike[str]) -> None:
    """Check that the study still fits its schema at the reduced size of each family of universes.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema.
    schema_path : path-like
        That schema.

    Raises
    ------
    ConfigurationError
        With all problems, one line each.
    """
    lines = []
    for family, changes in config["multiverse"]["reduced"].items() if _is_run(config, "multiverse") else []:
        where = f"multiverse.reduced.{family}"
        unknown = [name for name in changes if name not in config]
        lines += [f"{where}.{name}: unknown section; known are those of the configuration" for name in unknown]
        if unknown:
            continue
        try:
            validate_config(merge(config, changes), schema_path, list(changes))
        except ConfigurationError as error:
            lines += [f"{where}, as {line}" for line in str(error).splitlines()]
    if lines:
        raise ConfigurationError("\n".join(lines))


def _outside_brain(config: Mapping[str, Any]) -> list[str]:
    """Levels and slices that an experiment takes and the section brain lacks, one line each."""
    taken = []
    for where, of in _OF_BRAIN.items():
        section, key = where.split(".")
        values = config[section][key]
        taken += [(where, of, value) for value in (values if isinstance(values, list) else [values])]
    for k, (noise, inhomogeneity) in enumerate(config["brain_grid"]["maps"]):
        where = f"brain_grid.maps[{k}]"
        taken += [(f"{where}[0]", "noise", noise), (f"{where}[1]", "inhomogeneity", inhomogeneity)]
    brain = config["brain"]
    return [
        f"{where}: expected values of brain.{of} = {brain[of]}, found {value}"
        for where, of, value in taken
        if _is_run(config, where.partition(".")[0]) and value not in brain[of]
    ]


def _check_images(config: Mapping[str, Any]) -> list[str]:
    """Sections about images that do not fit one another, one line each."""
    brain, settings = config["brain"], config["image_embedding"]
    lines = _outside_brain(config)
    both = sorted(set(brain["slices"]) & set(brain["calibration_slices"]))
    if both:
        lines.append(f"brain.calibration_slices: expected slices that are not in brain.slices, found {both} in both")
    if brain["second_subject"] == brain["source"]:
        lines.append(f"brain.second_subject: expected another subject than brain.source, found {brain['source']}")
    if config["brain_grid"]["objects"][0] != settings["objects"]:
        lines.append(
            f"brain_grid.objects: expected image_embedding.objects = {settings['objects']} first, "
            f"found {config['brain_grid']['objects'][0]}"
        )
    readings = config["brain_readings"]
    if _is_run(config, "brain_readings") and settings["levels"] not in readings["levels"]:
        lines.append(
            f"brain_readings.levels: expected image_embedding.levels = {settings['levels']} among them, "
            f"found {readings['levels']}"
        )
    if _is_run(config, "brain_readings") and "literal" not in readings["readings"]:
        lines.append(f"brain_readings.readings: expected literal among them, found {readings['readings']}")
    if settings["n_embeddings"] * settings["subset_size"] < _N_TEXTURES:
        lines.append(
            f"image_embedding.n_embeddings: expected enough subsets of {settings['subset_size']} features to cover all "
            f"{_N_TEXTURES}, found {settings['n_embeddings']}"
        )
    for key in ("n_neighbors", "n_components"):
        if settings[key] >= settings["max_objects"]:
            lines.append(
                f"image_embedding.{key}: expected less than max_objects = {settings['max_objects']}, "
                f"found {settings[key]}"
            )
    lines += _unknown_options(config, "brain_calibration", "image_embedding")
    toy = config["toy_rgb"]
    if toy["picture"]["graph"] not in toy["graphs"]:
        lines.append(
            f"toy_rgb.picture.graph: expected one of {', '.join(toy['graphs'])}, found {toy['picture']['graph']}"
        )
    lines += _not_rising("intrinsic_dimension.n_neighbors", *config["intrinsic_dimension"]["n_neighbors"])
    return lines + _repeated("own_images", _names(config["own_images"]))


def _uncovered_genes(config: Mapping[str, Any], variants: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Settings whose subsets do not fit the genes or do not cover them, one line each."""
    settings, calibration, lines = config["gene_embedding"], config["gene_calibration"], []
    # Where each set of settings is, and the fewest subsets that it is used with; variants that change none of
    # these keys have no fault of their own.
    used = {"gene_embedding": (settings, settings["n_embeddings"])}
    if _is_run(config, "m_sensitivity"):
        used["m_sensitivity.n_embeddings"] = (settings, min(config["m_sensitivity"]["n_embeddings"]))
    for variant in config["gene_expression"]["variants"] if variants else ():
        if {"n_genes", "n_components", "n_embeddings", "subset_size"} & set(variant):
            one = variants[variant["name"]]
            used[f"gene_expression.variants, {variant['name']}"] = (one, one["n_embeddings"])
    for size in calibration["options"].get("subset_size", []) if _is_run(config, "gene_calibration") else []:
        used[f"gene_calibration.options.subset_size, {size}"] = (
            {**settings, "subset_size": size},
            calibration["n_embeddings"],
        )
    for where, (one, n_subsets) in used.items():
        size, n_genes = one["subset_size"], one["n_genes"]
        if not one["n_components"] <= size <= n_genes:
            if where == "m_sensitivity.n_embeddings":
                continue
            lines.append(
                f"{where}: expected a subset_size between n_components = {one['n_components']} and n_genes = "
                f"{n_genes}, found {size}"
            )
        elif n_subsets * size < n_genes:
            lines.append(
                f"{where}: expected enough subsets of {size} genes to cover all {n_genes}, found {n_subsets} of them"
            )
    return lines


def _check_genes(config: Mapping[str, Any]) -> list[str]:
    """Sections about gene expression that do not fit one another, one line each."""
    settings, compares = config["gene_embedding"], _is_run(config, "gene_expression")
    variants = {variant["name"]: {**settings, **variant} for variant in config["gene_expression"]["variants"]}
    lines = _uncovered_genes(config, variants if compares else {})
    lines += _unknown_options(config, "gene_calibration", "gene_embedding")
    pool = max(settings["n_embeddings"], *config["m_sensitivity"]["n_embeddings"])
    lines += [
        f"gene_expression.variants, {name}: expected n_embeddings of at most {pool}, the largest number that is "
        f"drawn, found {one['n_embeddings']}"
        for name, one in variants.items()
        if compares and one["n_embeddings"] > pool
    ]
    names = _names(config["genes"]["sets"])
    lines += _repeated("genes.sets", names)
    if compares and config["gene_expression"]["views"] not in names:
        lines.append(
            f"gene_expression.views: expected one of {', '.join(names)}, found {config['gene_expression']['views']}"
        )
    named = _names(config["gene_expression"]["variants"])
    if len(variants) < len(named) or "main" in variants:
        lines.append(
            f"gene_expression.variants: expected names that differ from each other and from main, found {named}"
        )
    if compares and config["gene_expression"]["variant_repetitions"] > config["genes"]["repetitions"]:
        lines.append(
            f"gene_expression.variant_repetitions: expected at most genes.repetitions = "
            f"{config['genes']['repetitions']}, found {config['gene_expression']['variant_repetitions']}"
        )
    return lines


def _check_spectra(config: Mapping[str, Any]) -> list[str]:
    """Sections about spectra that do not fit one another, one line each."""
    settings, options = config["spectra_embedding"], config["spectra_calibration"]["options"]
    lines = [
        f"spectra_methods.{key}: expected 1 among them, the condition that the claims are judged on, found {levels}"
        for key, levels in config["spectra_methods"].items()
        if key != "map_study" and 1 not in levels
    ]
    for where, (low, high) in [
        ("spectra_embedding.kappas", settings["kappas"]),
        *(("spectra_calibration.options.kappas", listed) for listed in options.get("kappas", [])),
    ]:
        lines += _not_rising(where, low, high)
    low, high = settings["kappas"]
    groups = config["spectra_stability"]["kappa_groups"]
    if _is_run(config, "spectra_stability", "multiverse") and high - low + 1 < 2 * groups:
        lines.append(
            f"spectra_stability.kappa_groups: expected at most {(high - low + 1) // 2}, two kappas of "
            f"spectra_embedding.kappas = [{low}, {high}] a group, found {groups}"
        )
    lines += _unknown_options(config, "spectra_calibration", "spectra_embedding")
    own = config["spectra"]["own"]
    n_training = sum(item["role"] == "training" for item in own) if own else config["spectra"]["n_training"]
    if _is_run(config, "spectra_calibration") and n_training < 2:
        lines.append(
            f"experiments: expected at least 2 training studies for spectra_calibration, found {n_training}; add some "
            "or leave it out"
        )
    lines += _repeated("spectra.own", _names(own))
    if own and all(item["role"] == "training" for item in own):
        lines.append("spectra.own: expected at least one study with the role evaluation, found none")
    maps = _is_run(config, "spectra_methods", "spectra_components")
    if maps and not own and config["spectra_methods"]["map_study"] >= config["spectra"]["n_studies"]:
        lines.append(
            f"spectra_methods.map_study: expected less than spectra.n_studies = {config['spectra']['n_studies']}, "
            f"found {config['spectra_methods']['map_study']}"
        )
    return lines


def _check_retrieval(config: Mapping[str, Any]) -> list[str]:
    """Sections about extrapolation and retrieval that do not fit one another, one line each."""
    grid, retrieval, roll = config["out_of_sample"], config["gland_retrieval"], config["swiss_roll"]
    lines = []
    for key in ("training", "labelled"):
        lines += _unsorted(f"out_of_sample.{key}", grid[key], "shares")
        if grid["query"][key] not in grid[key]:
            lines.append(
                f"out_of_sample.query.{key}: expected a share of out_of_sample.{key} = {grid[key]}, "
                f"found {grid['query'][key]}"
            )
    smallest = round(min(grid["training"]) * roll["n_samples"])
    rolls = _is_run(config, "swiss_roll", "retrieval_calibration", "multiverse")
    if rolls and smallest < roll["n_components"] + 1:
        lines.append(
            f"out_of_sample.training: expected shares of the {roll['n_samples']} samples of swiss_roll that leave at "
            f"least n_components + 1 = {roll['n_components'] + 1}, found {min(grid['training'])}, leaving {smallest}"
        )
    names = _names(retrieval["own"])
    if len(set(names)) < len(names) or set(names) & {"glands", "digits", "swiss_roll"}:
        lines.append(
            "gland_retrieval.own: expected names that differ from one another and from glands, digits and swiss_roll, "
            f"found {names}"
        )
    if _is_run(config, "gland_retrieval") and not [*retrieval["sets"], *names]:
        lines.append("gland_retrieval.sets: expected glands, digits or items of your own, found none")
    judged = retrieval["glands"]["separation"]
    if judged not in retrieval["separation"]:
        lines.append(
            f"gland_retrieval.separation: expected {judged:g} among them, which is gland_retrieval.glands.separation, "
            f"on which claims are judged, found {retrieval['separation']}"
        )
    for key, variants in (("swiss_roll", roll["variants"]), ("gland_retrieval", retrieval["variants"])):
        lines += _repeated(f"{key}.variants", _names(variants))
    return lines


def _check_features(config: Mapping[str, Any]) -> list[str]:
    """Sections about the importance of features that do not fit one another, one line each."""
    listed = _names(config["features"]["sets"])
    lines = _repeated("features.sets", listed)
    asked = {
        "fine_calibration": config["fine_calibration"]["sets"],
        "feature_selection": config["feature_selection"]["sets"],
        "pathology": [item["features"] for item in config["pathology"]["sets"]],
        "pathology_substitute": config["pathology_substitute"]["features"],
        "survival": config["survival"]["features"],
    }
    genes = _names(config["genes"]["sets"])
    origins = {item["name"]: item.get("expression", "") for item in config["features"]["sets"]}
    for experiment, names in asked.items():
        if not _is_run(config, experiment):
            continue
        for name in names:
            if name not in listed:
                lines.append(f"{experiment}: expected names of features.sets, {', '.join(listed)}; found {name}")
            elif origins[name] and origins[name] not in genes:
                lines.append(
                    f"features.sets, {name}: expected a name of genes.sets, {', '.join(genes)}; found {origins[name]}"
                )
    lines += _repeated("pathology.sets", _names(config["pathology"]["sets"]))
    for key in ("feature_selection", "pathology"):
        counts = config[key]["n_features"]
        lines += _unsorted(f"{key}.n_features", counts)
        if key == "pathology" and 5 not in counts:
            lines.append(f"pathology.n_features: expected 5 among them, which the figures show, found {counts}")
        lines += _repeated(f"{key}.variants", _names(config[key]["variants"]))
    lines += _not_rising("feature_embedding.n_neighbors", *config["feature_embedding"]["n_neighbors"])
    lines += _unknown_options(config, "fine_calibration", "feature_embedding")
    planted = config["planted_features"]
    relevant = planted["n_informative"] + planted["n_redundant"] + planted["n_nuisance"]
    if relevant > planted["n_features"]:
        lines.append(
            f"planted_features.n_features: expected at least {relevant}, the sum of n_informative, n_redundant and "
            f"n_nuisance, found {planted['n_features']}"
        )
    return lines


def _check_arena(config: Mapping[str, Any]) -> list[str]:
    """What the arena asks of other sections, one line each."""
    arena = config["consensus_arena"]
    if not _is_run(config, "consensus_arena"):
        return []
    lines = []
    total = arena["repetitions"] * arena["n_embeddings"]
    genes, images = config["gene_embedding"], config["image_embedding"]
    wanted = {"genes": (genes["subset_size"], genes["n_genes"]), "slices": (images["subset_size"], _N_TEXTURES)}
    for data, (size, n_features) in wanted.items():
        if data in arena["inputs"]["subsets"] and total * size < n_features:
            lines.append(
                f"consensus_arena.n_embeddings: expected enough subsets of {size} features of {data} to cover all "
                f"{n_features}, found {total}, repetitions times n_embeddings"
            )
    own = [item for item in config["spectra"]["own"] if item["role"] == "evaluation"]
    known = len(own) if config["spectra"]["own"] else config["spectra"]["n_studies"]
    if arena["inputs"]["kappa"] and arena["n_studies"] > known:
        lines.append(f"consensus_arena.n_studies: expected at most {known}, the studies, found {arena['n_studies']}")
    low, high = arena["kappas"]
    if high - low + 1 < total:
        lines.append(
            f"consensus_arena.kappas: expected at least {total} numbers, repetitions times n_embeddings, found "
            f"[{low}, {high}]"
        )
    if 2 * arena["n_neighbors"] >= min(arena["max_points"], config["digits"]["n_samples"]):
        lines.append(
            f"consensus_arena.n_neighbors: expected less than half of max_points = {arena['max_points']} and of "
            f"digits.n_samples = {config['digits']['n_samples']}, found {arena['n_neighbors']}"
        )
    return lines

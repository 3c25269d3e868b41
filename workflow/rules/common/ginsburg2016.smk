# Features of two classes: the sets of the challenge, pathology, simulated ones, or your own tables.
from replication.data.feature_sources import kind_of_features, source_of_features

FEATURES = f"{RESULTS}/features"
FEATURE_SETS = {item["name"]: item for item in config["features"]["sets"]}
GISETTE_HALVED = "gisette_train" not in config["data"]["sets"]


FEATURE_SOURCES = {
    name: source_of_features(item, halve_gisette=GISETTE_HALVED)
    for name, item in FEATURE_SETS.items()
}


# The pathology studies by name; each is scored by a job of its own.
PATHOLOGY_STUDIES = {item["name"]: item for item in config["pathology"]["sets"]}


def feature_source(wildcards):
    """Where a feature set comes from, as the metrics say it."""
    return FEATURE_SOURCES[wildcards.set]


def pathology_source(wildcards):
    """Where the features of a pathology study come from."""
    return FEATURE_SOURCES.get(PATHOLOGY_STUDIES[wildcards.study]["features"], "")


def pathology_table(wildcards):
    """The features of a pathology study."""
    return f"{FEATURES}/{PATHOLOGY_STUDIES[wildcards.study]['features']}.npz"


def pathology_parameters(wildcards):
    """The section with this study alone: another study does not make this one be scored again."""
    return {**config["pathology"], "sets": [PATHOLOGY_STUDIES[wildcards.study]]}


def gisette_is_halved(wildcards):
    """Whether half of its validation samples replace the training samples of a set."""
    return GISETTE_HALVED and FEATURE_SETS[wildcards.set].get("nips2003") == "GISETTE"


def feature_item(wildcards):
    """What the configuration says of a feature set."""
    item = FEATURE_SETS[wildcards.set]
    if "expression" in item:
        return {**item, "expression": f"{GENES}/{item['expression']}.npz"}
    return item


def feature_settings(wildcards):
    """How a feature set is embedded; features of a table of your own are standardised, unless it says otherwise."""
    item = FEATURE_SETS[wildcards.set]
    own = {"scaling": item.get("scaling", "standard")} if "table" in item else {}
    return {**config["feature_embedding"], **own}


def feature_files(wildcards):
    """Files behind a feature set."""
    item = FEATURE_SETS[wildcards.set]
    kind = kind_of_features(item)
    if kind == "nips2003":
        folder = f"resources/data/nips2003/{item[kind]}"
        parts = [f"{folder}/{item[kind].lower()}_{part}" for part in ("train", "valid")]
        if item[kind] == "GISETTE" and GISETTE_HALVED:
            parts = parts[1:]
        return [f"{part}.{end}" for part in parts for end in ("data", "labels")]
    if kind == "wisconsin":
        files = {"diagnostic": "wdbc.data", "prognostic": "wpbc.data"}
        return [f"resources/data/uci/{files[item[kind]]}"]
    if kind == "gse7390":
        return ["resources/data/gse7390/breast_cancer_GSE7390-metastasis.arff"]
    if kind == "expression":
        return [f"{GENES}/{item[kind]}.npz"]
    return [item["table"]] if kind == "table" else []


# Experiments whose tables are all your own.
for experiment, names in {
    "feature_selection": config["feature_selection"]["sets"],
    "survival": config["survival"]["features"],
}.items():
    if all(FEATURE_SOURCES.get(name) == "own" for name in names):
        OWN_ONLY.add(experiment)
if "feature_selection" in OWN_ONLY.intersection(config["experiments"]):
    OWN_RESULTS[f"{RESULTS}/feature_selection/tables/features.tsv"] = (
        "the features that each method chose most often, best first"
    )

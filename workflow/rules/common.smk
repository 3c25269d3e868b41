# The checked configuration, and the paths and helpers of all rules.
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from consensus_embedding.utils.arithmetic import set_portable
from replication.platform.code_behind import import_first

# Jobs import this checkout, also with an environment in which another one is installed.
import_first(SCRIPTS, os.environ)

# Jobs inherit these variables; on a cluster each node reads this file again and looks at its own processor.
# Portable arithmetic is code behind every job: a change of it, or of the setting, runs all jobs again.
ARITHMETIC_CODE = []
if config.get("arithmetic") == "portable":
    REASON = set_portable(os.environ)
    if REASON is None:
        ARITHMETIC_CODE = ["workflow/scripts/consensus_embedding/utils/arithmetic.py"]
    elif workflow.is_main_process:
        print(
            f"Arithmetic: native, not portable: {REASON}. Numbers may differ from those of other processors.",
            file=sys.stderr,
        )

from replication.platform.configuration import ConfigurationError, read_yaml
from replication.ledger import papers
from replication.ledger.checks import check_config
from replication.ledger.universe_families import reduced_config, universe_module
from replication.datasets.feature_sources import kind_of_features, source_of_features
from replication.platform.code_behind import code_behind as modules_behind

try:
    # Snakemake keeps the last of two equal keys in silence; reading the files again finds them.
    for path in workflow.configfiles:
        read_yaml(path)
    check_config(config, Path(workflow.basedir) / "workflow/schemas/config.schema.yaml")
except ConfigurationError as error:
    raise WorkflowError(f"The configuration cannot be used:\n{error}")

STUDY = config["study"]
RESULTS = f"results/{STUDY}"
# Cores of a job that works on many draws.
WORKERS = config["workers"]
# Cores of a job that has to be alone. On a cluster there is no such number, and `workflow.cores` would stop the run;
# profiles/slurm asks for a whole node instead.
ALL_CORES = workflow.resource_settings.cores or WORKERS
# Endings of the files of a figure.
FIGURE_TYPES = [f".{kind}" for kind in config["figure_formats"]]


def chunks(n_runs, size):
    """Cut runs 0 .. n_runs - 1 into "start-stop" ranges, stop not included."""
    bounds = [*range(0, n_runs, size), n_runs]
    return [f"{start}-{stop}" for start, stop in zip(bounds, bounds[1:])]


# What modules of the ledger find by the declarations of the papers, when they are imported.
FOUND_BY_LEDGER = {
    "workflow/scripts/replication/ledger/papers.py": papers.declarations(),
    "workflow/scripts/replication/ledger/claims.py": papers.modules_of("judges"),
    "workflow/scripts/replication/ledger/findings.py": papers.modules_of("findings"),
}


def code_behind(script, *modules):
    """Files of code that a script rests on."""
    followed = modules_behind(script, *modules)
    found = [name for path in followed for name in FOUND_BY_LEDGER.get(path, [])]
    return sorted({*modules_behind(script, *modules, *found), *ARITHMETIC_CODE})


# A job is run again when one of its params changes, so that a rule names the settings that its script reads.
def only(section, *keys):
    """Some settings of a section of the configuration."""
    return {key: config[section][key] for key in keys}


def without(section, *keys):
    """All settings of a section but some."""
    return {key: value for key, value in config[section].items() if key not in keys}


def show_summary():
    """Print where the report is and what the verdicts are, if the study is complete."""
    summary = Path(RESULTS) / "summary.txt"
    if summary.exists():
        print(f"\n{summary.read_text()}", file=sys.stderr)


def show_failures(logs):
    """Say once more, below all that Snakemake says of jobs that failed, what the line below their traces says."""
    for log in logs:
        failed = re.findall(
            r"^ +log: (.+) \(check log file", Path(log).read_text(), re.M
        )
        for path in filter(Path.is_file, map(Path, dict.fromkeys(failed))):
            trace, _, failure = path.read_text().rpartition("\n\n")
            if "Traceback" in trace:
                print(f"\n{failure}The whole trace stands in {path}\n", file=sys.stderr)


# Images. The paths, the units, and the files behind them.
BRAIN = config["brain"]
IMAGES = f"{RESULTS}/images"
EMBEDDED = f"{RESULTS}/embeddings/images"

# A unit is a subject and a draw of its noise. The official volumes and the second subject are one draw.
DRAWS = {
    subject: (
        1 if subject in ("brainweb", BRAIN["second_subject"]) else BRAIN["noise_draws"]
    )
    for subject in [BRAIN["source"], BRAIN["second_subject"]]
    if subject != "none"
}
UNITS = [
    f"{subject}_{draw}" for subject, draws in DRAWS.items() for draw in range(draws)
]
MAIN_UNIT = UNITS[0]

ANATOMY_FILES = {
    "brainweb": [
        "resources/data/brainweb/phantom_1.0mm_normal_crisp.rawb.gz",
        *expand(
            "resources/data/brainweb/pd_icbm_normal_1mm_pn{noise}_rf{inhomogeneity}.raws.gz",
            noise=BRAIN["noise"],
            inhomogeneity=BRAIN["inhomogeneity"],
        ),
    ],
    "brainweb_resimulated": [
        f"resources/data/brainweb/{name}"
        for name in ("brainweb.mat", "possum_brain.nii.gz", "rf100_C.nii")
    ],
    "icbm152": [],
}
# What an embedded slice holds. How embeddings are selected and combined comes later.
SLICE_EMBEDDING = without(
    "image_embedding", "normalization", "mds", "theta", "exploratory_theta"
)

# Gene expression: the data sets, and the pools of base embeddings that the experiments share.
GENES = f"{RESULTS}/genes"
GENE_POOLS = f"{RESULTS}/embeddings/genes"
GENE_SETS = {item["name"]: item for item in config["genes"]["sets"]}
GENE_SOURCES = {
    name: (
        "simulated"
        if "planted" in item
        else (
            "original"
            if all(
                item.get(part, "").startswith("resources/data/kent_ridge/")
                for part in ("training", "test")
            )
            else "own"
        )
    )
    for name, item in GENE_SETS.items()
}
GENE_REDUCTIONS = ["graph_embedding", "pca"]
# A pool of one data set, reduction and draw holds the largest M of the study; others take the first M of it.
POOL_SIZE = max(
    config["gene_embedding"]["n_embeddings"], *config["m_sensitivity"]["n_embeddings"]
)
POOLS = [(name, reduction) for name in GENE_SETS for reduction in GENE_REDUCTIONS]
# What is read from a table to prepared genes, and to a pool, whose size is that above.
GENE_PREPARATION = only(
    "gene_embedding", "n_genes", "pruning", "transform", "standardization"
)
GENE_POOL = without(
    "gene_embedding",
    "n_embeddings",
    "normalization",
    "mds",
    "knn_neighbors",
    "label_weights",
    "theta",
    "exploratory_theta",
)


def gene_item(wildcards):
    """What the configuration says of a data set of gene expression."""
    return GENE_SETS[wildcards.set]


def gene_source(wildcards):
    """Where a data set of gene expression comes from."""
    return GENE_SOURCES[wildcards.set]


def gene_files(wildcards):
    """Tables behind a data set of gene expression."""
    item = GENE_SETS[wildcards.set]
    return [item[key] for key in ("training", "test", "table") if key in item]


# MR spectra: the conditions of the simulator, or your own studies in their place.
SPECTRA = f"{RESULTS}/spectra"
OWN_SPECTRA = {item["name"]: item for item in config["spectra"]["own"]}
SPECTRA_BASE = "own" if OWN_SPECTRA else "main"
SPECTRA_DATASET = "own_spectra" if OWN_SPECTRA else "prostate_mrsi"
SPECTRA_SOURCE = "own" if OWN_SPECTRA else "simulated"


def spectra_conditions():
    """Name -> what the simulator multiplies, and the draw of the noise; own spectra have one condition."""
    if OWN_SPECTRA:
        return {"own": {}}
    levels = config["spectra_methods"]
    grid = [
        *[(n, w, 1) for n in levels["noise"] for w in levels["linewidth"]],
        *[(1, 1, c) for c in levels["contrast"]],
    ]
    found = {"main": {"noise": 1, "linewidth": 1, "contrast": 1}}
    found |= {
        f"noise_{n}_linewidth_{w}_contrast_{c}": {
            "noise": n,
            "linewidth": w,
            "contrast": c,
        }
        for n, w, c in grid
        if (n, w, c) != (1, 1, 1)
    }
    return found


SPECTRA_CONDITIONS = spectra_conditions()
# Further draws of the noise, of the first condition.
SPECTRA_DRAWS = {
    f"draw_{draw}": {**SPECTRA_CONDITIONS[SPECTRA_BASE], "draw": draw}
    for draw in range(1, config["spectra_stability"]["noise_draws"])
    if not OWN_SPECTRA
}


def simulated_condition(wildcards):
    """What the simulator is called with."""
    return {**SPECTRA_CONDITIONS, **SPECTRA_DRAWS}[wildcards.condition]


def spectra_condition(wildcards):
    """The columns of a condition in the metrics."""
    empty = {"noise": "", "linewidth": "", "contrast": ""}
    return {**empty, **SPECTRA_CONDITIONS[wildcards.condition]}


# Retrieval: the substitutes for the paper's glands, and your own items.
OWN_ITEMS = {item["name"]: item for item in config["gland_retrieval"]["own"]}
RETRIEVAL_SETS = [*config["gland_retrieval"]["sets"], *OWN_ITEMS]
# What the configuration holds of the settings that the calibration picks.
RETRIEVAL_SETTINGS = {"swiss_roll": without("swiss_roll", "variants")} | {
    name: {
        **config["gland_retrieval"][name],
        "size": config["gland_retrieval"]["size"],
    }
    for name in ("glands", "digits")
}


def retrieval_parameters(wildcards):
    """What the section says of a set that is made; nothing of the others."""
    read = {
        "glands": ("glands", "size", "separation", "variants"),
        "digits": ("digits", "variants"),
    }
    return only("gland_retrieval", *read.get(wildcards.set, ()))


def retrieval_simulator(wildcards):
    """The simulator of the glands. The digits read how many there are of each class, your own sets nothing."""
    if wildcards.set == "digits":
        classes = config["glands"]["classes"]
        return {
            "classes": {
                name: {"n_glands": one["n_glands"]} for name, one in classes.items()
            }
        }
    return config["glands"] if wildcards.set == "glands" else {}


def own_items(wildcards):
    """What the configuration says of a set of your own; nothing of the others."""
    return OWN_ITEMS.get(wildcards.set, {})


def items_file(wildcards):
    """The table behind a set of your own; the others are made."""
    item = own_items(wildcards)
    return [item[key] for key in ("table", "dissimilarities") if key in item]


# Features of two classes: the sets of the challenge, pathology, simulated ones, or your own tables.
FEATURES = f"{RESULTS}/features"
FEATURE_SETS = {item["name"]: item for item in config["features"]["sets"]}
GISETTE_HALVED = "gisette_train" not in config["data"]["sets"]


FEATURE_SOURCES = {
    name: source_of_features(item, halve_gisette=GISETTE_HALVED)
    for name, item in FEATURE_SETS.items()
}


def feature_source(wildcards):
    """Where a feature set comes from, as the metrics say it."""
    return FEATURE_SOURCES[wildcards.set]


def gisette_is_halved(wildcards):
    """Whether half of its validation samples stand for the training samples of a set."""
    return GISETTE_HALVED and FEATURE_SETS[wildcards.set].get("nips2003") == "GISETTE"


def feature_item(wildcards):
    """What the configuration says of a feature set."""
    item = FEATURE_SETS[wildcards.set]
    if "expression" in item:
        return {**item, "expression": f"{GENES}/{item['expression']}.npz"}
    return item


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
    if kind == "expression":
        return [f"{GENES}/{item[kind]}.npz"]
    return [item["table"]] if kind == "table" else []


# Your own images.
OWN_IMAGES = {item["name"]: item for item in config["own_images"]}

# Snakemake takes what is there for done if a file behind it is missing, and would say nothing of a misspelt path.
ABSENT = {
    f"{section}, {key} of {item['name']}": item[key]
    for section, items, keys in [
        ("genes.sets", GENE_SETS, ("training", "test", "table")),
        ("spectra.own", OWN_SPECTRA, ("table", "nifti", "mask", "box", "truth")),
        ("gland_retrieval.own", OWN_ITEMS, ("table", "dissimilarities")),
        ("features.sets", FEATURE_SETS, ("table",)),
        ("own_images", OWN_IMAGES, ("image", "mask", "labels")),
    ]
    for item in items.values()
    for key in keys
    if key in item
    and not item[key].startswith(("resources/data/", "results/"))
    and not Path(item[key]).is_file()
}
if ABSENT:
    lines = [f"{key}: {path} does not exist" for key, path in ABSENT.items()]
    raise WorkflowError("\n".join(["These files cannot be read:", *lines]))


def anatomy_files(wildcards):
    """Data files behind the images of a subject."""
    return ANATOMY_FILES[wildcards.subject]


def object_kinds(wildcards):
    """Kinds of objects that a unit is embedded with: all on the first, else the paper's alone."""
    kinds = config["brain_grid"]["objects"]
    is_main = f"{wildcards.subject}_{wildcards.draw}" == MAIN_UNIT
    return kinds if is_main else kinds[:1]


def own_image(wildcards):
    """What the configuration says of an image of your own; nothing of the others."""
    return OWN_IMAGES[wildcards.name]


def own_files(wildcards):
    """Image, mask and, if there are any, labels."""
    item = OWN_IMAGES[wildcards.name]
    return {key: item[key] for key in ("image", "mask", "labels") if key in item}


# The multiverse: what the universes of a family read, and the modules behind them.
def universe_base(wildcards):
    """The sections that a family reads, at the reduced size: a change elsewhere is no reason to run it again."""
    return reduced_config(config, wildcards.family)


def universe_code(wildcards):
    """Library modules behind the universes of a family."""
    return code_behind("score_universes", universe_module(wildcards.family))


def universe_files(wildcards):
    """What the study makes for other experiments as well and a family reads."""
    base = reduced_config(config, wildcards.family)
    if wildcards.family == "images":
        folder = f"{IMAGES}/{MAIN_UNIT}"
        pattern = f"{folder}/pn{{noise}}_rf{{inhomogeneity}}.nii.gz"
        levels = {key: base["brain"][key] for key in ("noise", "inhomogeneity")}
        return {
            "labels": f"{folder}/labels.nii.gz",
            "images": expand(pattern, **levels),
        }
    if wildcards.family == "genes":
        names = [item["name"] for item in base["genes"]["sets"]]
        return {"splits": expand(f"{GENES}/{{set}}.npz", set=names)}
    if wildcards.family == "spectra":
        stem = f"{SPECTRA}/{SPECTRA_BASE}"
        return {part: f"{stem}_{part}.npz" for part in ("evaluation", "training")}
    if wildcards.family == "features":
        names = base["feature_selection"]["sets"]
        return {"tables": expand(f"{FEATURES}/{{set}}.npz", set=names)}
    return {}

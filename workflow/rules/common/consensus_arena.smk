# The arena: its inputs, each a kind of runs and data, and the files behind them.
ARENA = config["consensus_arena"]
ARENA_PARTS = f"{RESULTS}/consensus_arena/parts"


def arena_data():
    """Data -> what the job has to know of them, by their name in the configuration."""
    n_samples = min(ARENA["max_points"], config["digits"]["n_samples"])
    wanted = [*BRAIN["calibration_slices"], *BRAIN["slices"]]
    return {
        "digits": {"digits": {"family": "digits", "n_samples": n_samples}},
        "genes": {
            name: {"family": "genes", "source": GENE_SOURCES[name]}
            for name in GENE_SETS
        },
        "slices": {
            f"slice_{z}": {
                "family": "slices",
                "slice": z,
                "position": wanted.index(z),
                "source": (
                    "original" if BRAIN["source"] == "brainweb" else "public-substitute"
                ),
            }
            for z in ARENA["slices"]
            if z in wanted
        },
        "spectra": {
            f"study_{k}": {"family": "spectra", "study": k, "source": SPECTRA_SOURCE}
            for k in range(ARENA["n_studies"])
        },
    }


ARENA_DATA = {
    name: about for items in arena_data().values() for name, about in items.items()
}
ARENA_INPUTS = [
    (kind, name)
    for kind, words in ARENA["inputs"].items()
    for word in words
    for name in arena_data()[word]
]


ADDED["consensus_arena"] = {
    f"{kind}_{name}": (
        {"pools": f"{ARENA_PARTS}/{kind}_{name}.npz"},
        {"kind": kind, "n_neighbors": ARENA["n_neighbors"]},
    )
    for kind, name in ARENA_INPUTS
}


def arena_about(wildcards):
    """What a job has to know of its data."""
    return ARENA_DATA[wildcards.data]


def arena_files(wildcards):
    """Files behind an input."""
    family = ARENA_DATA[wildcards.data]["family"]
    folder = f"{IMAGES}/{MAIN_UNIT}"
    stem = f"{folder}/pn{ARENA['noise']}_rf{ARENA['inhomogeneity']}"
    return {
        "digits": {},
        "genes": {"split": f"{GENES}/{wildcards.data}.npz"},
        "slices": {"image": f"{stem}.nii.gz", "labels": f"{folder}/labels.nii.gz"},
        "spectra": {"studies": f"{SPECTRA}/{SPECTRA_BASE}_evaluation.npz"},
    }[family]


def arena_settings(wildcards):
    """The section of the configuration that says how the data are embedded."""
    family = ARENA_DATA[wildcards.data]["family"]
    return {
        "digits": {},
        "genes": GENE_POOL,
        "slices": SLICE_EMBEDDING,
        "spectra": config["spectra_embedding"],
    }[family]


def arena_tsne(wildcards):
    """The section tsne, for the kinds of runs that are made by it."""
    made = wildcards.kind in ("tsne", "umap", "perplexity", "imputation")
    return without("tsne", "runs_per_job") if made else {}


def arena_options(wildcards):
    """Further settings of a kind of runs."""
    if wildcards.kind == "kappa":
        return only("consensus_arena", "kappas")
    if wildcards.kind == "subsets":
        return {}
    return only("consensus_arena", "perplexities", "missing_share")

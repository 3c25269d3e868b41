# Images: the units, and the files behind them.
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
# What an embedded slice contains. How embeddings are selected and combined comes later.
SLICE_EMBEDDING = without(
    "image_embedding",
    "normalization",
    "mds",
    "theta",
    "theta_reading",
    "strength",
    "exploratory_theta",
)
BRAIN_PARTS = [
    f"{unit}_pn{noise}" for unit in UNITS for noise in config["brain"]["noise"]
]
FILES["brain_grid"] = {
    "maps": [
        f"{RESULTS}/brain_grid/parts/{MAIN_UNIT}_pn{noise}_maps.npz"
        for noise in dict.fromkeys(noise for noise, _ in config["brain_grid"]["maps"])
    ]
}
ADDED["brain_grid"] = {
    f"{unit}_pn{noise}": (
        {"slices": f"{EMBEDDED}/{unit}/pn{noise}.npz"},
        {
            "unit": unit,
            "noise": noise,
            "brain": only("brain", "inhomogeneity", "slices"),
            "settings": config["image_embedding"],
        },
    )
    for unit in UNITS
    for noise in BRAIN["noise"]
}
SETTINGS["brain_grid"] = {"combinations": config["brain_grid"]["maps"]}


def anatomy_files(wildcards):
    """Data files behind the images of a subject."""
    return ANATOMY_FILES[wildcards.subject]


def reading_files(wildcards):
    """Slices of the main unit: embedded already at the configured grey levels, else the images."""
    if int(wildcards.levels) == config["image_embedding"]["levels"]:
        return {"slices": f"{EMBEDDED}/{MAIN_UNIT}/pn{wildcards.noise}.npz"}
    pattern = f"{IMAGES}/{MAIN_UNIT}/pn{wildcards.noise}_rf{{inhomogeneity}}.nii.gz"
    return {
        "images": expand(pattern, inhomogeneity=BRAIN["inhomogeneity"]),
        "labels": f"{IMAGES}/{MAIN_UNIT}/labels.nii.gz",
    }


# Thresholds on images, a noise level a job, and on genes.
THETA_PARTS = [
    *(f"pn{noise}" for noise in config["theta_sensitivity"]["noise"]),
    "genes",
]


def theta_files(wildcards):
    """Embedded slices of a noise level, or the genes and their pools."""
    if wildcards.part != "genes":
        return {"slices": f"{EMBEDDED}/{MAIN_UNIT}/{wildcards.part}.npz"}
    return {
        "splits": expand(f"{GENES}/{{set}}.npz", set=GENE_SETS),
        "pools": [f"{GENE_POOLS}/{name}_{reduction}.npz" for name, reduction in POOLS],
    }


def object_kinds(wildcards):
    """Kinds of objects that a unit is embedded with: all on the first, else the paper's alone."""
    kinds = config["brain_grid"]["objects"]
    is_main = f"{wildcards.subject}_{wildcards.draw}" == MAIN_UNIT
    return kinds if is_main else kinds[:1]

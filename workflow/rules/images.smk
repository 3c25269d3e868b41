# From image sources to base embeddings: what the image experiments share.
BRAIN = config["brain"]
IMAGES = f"{RESULTS}/images"
EMBEDDED = f"{RESULTS}/embeddings/images"

# A unit is a subject and a draw of its noise. The official volumes are one draw.
DRAWS = {
    subject: 1 if subject == "brainweb" else BRAIN["noise_draws"]
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


def anatomy_files(wildcards):
    """Data files behind the images of a subject."""
    return ANATOMY_FILES[wildcards.subject]


def object_kinds(wildcards):
    """Kinds of objects that a unit is embedded with: all on the first, else the paper's alone."""
    kinds = config["brain_grid"]["objects"]
    is_main = f"{wildcards.subject}_{wildcards.draw}" == MAIN_UNIT
    return kinds if is_main else kinds[:1]


rule simulate_brain:
    input:
        files=anatomy_files,
        code=library("datasets/brainweb", "datasets/mri_simulator", "datasets/volumes"),
    output:
        images=expand(
            f"{IMAGES}/{{{{subject}}}}_{{{{draw}}}}/pn{{noise}}_rf{{inhomogeneity}}.nii.gz",
            noise=BRAIN["noise"],
            inhomogeneity=BRAIN["inhomogeneity"],
        ),
        labels=f"{IMAGES}/{{subject}}_{{draw}}/labels.nii.gz",
    log:
        f"results/logs/{STUDY}/simulate_brain/{{subject}}_{{draw}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/images/simulate_{{subject}}_{{draw}}.tsv"
    wildcard_constraints:
        subject="brainweb|brainweb_resimulated|icbm152",
        draw=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        seed=config["seed"],
        brain=BRAIN,
        data="resources/data",
    message:
        "Brain slices of {wildcards.subject}, draw {wildcards.draw}"
    script:
        "../scripts/simulate_brain.py"


rule embed_brain:
    input:
        images=expand(
            f"{IMAGES}/{{{{subject}}}}_{{{{draw}}}}/pn{{{{noise}}}}_rf{{inhomogeneity}}.nii.gz",
            inhomogeneity=BRAIN["inhomogeneity"],
        ),
        labels=f"{IMAGES}/{{subject}}_{{draw}}/labels.nii.gz",
        code=library(
            "texture",
            "mean_shift",
            "graphs",
            "spectral",
            "embeddings/graph_embedding",
            "clustering",
            "consensus_steps",
            "experiments/image_slices",
        ),
    output:
        slices=f"{EMBEDDED}/{{subject}}_{{draw}}/pn{{noise}}.npz",
    log:
        f"results/logs/{STUDY}/embed_brain/{{subject}}_{{draw}}_pn{{noise}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/images/embed_{{subject}}_{{draw}}_pn{{noise}}.tsv"
    wildcard_constraints:
        subject="brainweb|brainweb_resimulated|icbm152",
        draw=r"\d+",
        noise=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1500,
        runtime=30,
    params:
        seed=config["seed"],
        brain=BRAIN,
        settings=config["image_embedding"],
        kinds=object_kinds,
    message:
        "Base embeddings of {wildcards.subject}, draw {wildcards.draw}, noise {wildcards.noise} %"
    script:
        "../scripts/embed_brain.py"

# Viswanath and Madabhushi 2012: from image sources to base embeddings, which the experiments on images share.
rule simulate_brain:
    input:
        files=anatomy_files,
        code=code_behind("simulate_brain"),
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
    priority: LONG
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        seed=config["seed"],
        brain=only("brain", "noise", "inhomogeneity", "slices", "calibration_slices"),
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
        code=code_behind("embed_brain"),
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
        brain=only("brain", "inhomogeneity", "slices", "calibration_slices"),
        # Its kinds of objects are those of brain_grid.
        settings={key: one for key, one in SLICE_EMBEDDING.items() if key != "objects"},
        kinds=object_kinds,
    message:
        "Base embeddings of {wildcards.subject}, draw {wildcards.draw}, noise {wildcards.noise} %"
    script:
        "../scripts/embed_brain.py"

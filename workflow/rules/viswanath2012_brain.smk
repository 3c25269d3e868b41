# Viswanath and Madabhushi 2012 on images: Experiments 1 to 3.
rule score_brain_grid:
    input:
        slices=f"{EMBEDDED}/{{unit}}/pn{{noise}}.npz",
        images=expand(
            f"{IMAGES}/{{{{unit}}}}/pn{{{{noise}}}}_rf{{inhomogeneity}}.nii.gz",
            inhomogeneity=BRAIN["inhomogeneity"],
        ),
        code=code_behind("score_brain_grid"),
    output:
        scores=f"{RESULTS}/brain_grid/parts/{{unit}}_pn{{noise}}.tsv",
        maps=f"{RESULTS}/brain_grid/parts/{{unit}}_pn{{noise}}_maps.npz",
    log:
        f"results/logs/{STUDY}/score_brain_grid/{{unit}}_pn{{noise}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_grid/score_{{unit}}_pn{{noise}}.tsv"
    wildcard_constraints:
        unit="|".join(UNITS),
        noise=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1500,
        runtime=30,
    params:
        seed=config["seed"],
        brain=only("brain", "inhomogeneity", "slices", "calibration_slices"),
        settings=config["image_embedding"],
        map_slice=config["brain_grid"]["map_slice"],
    message:
        "Cluster the slices of {wildcards.unit}, noise {wildcards.noise} %, in every representation"
    script:
        "../scripts/score_brain_grid.py"


rule run_brain_grid:
    input:
        parts=expand(f"{RESULTS}/brain_grid/parts/{{part}}.tsv", part=BRAIN_PARTS),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/brain_grid/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_brain_grid.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_grid/run.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=30,
    message:
        "Gather the scores of all combinations"
    script:
        "../scripts/gather_parts.py"


rule score_brain_readings:
    input:
        unpack(reading_files),
        code=code_behind("score_brain_readings"),
    output:
        scores=f"{RESULTS}/brain_readings/parts/levels{{levels}}_pn{{noise}}.tsv",
    log:
        f"results/logs/{STUDY}/score_brain_readings/levels{{levels}}_pn{{noise}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_readings/score_levels{{levels}}_pn{{noise}}.tsv"
    wildcard_constraints:
        levels=r"\d+",
        noise=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1500,
        runtime=30,
    params:
        seed=config["seed"],
        brain=only("brain", "inhomogeneity", "slices", "calibration_slices"),
        settings=without("image_embedding", "exploratory_theta"),
        readings=config["brain_readings"]["readings"],
        unit=MAIN_UNIT,
    message:
        "Readings of theta with {wildcards.levels} grey levels, noise {wildcards.noise} %"
    script:
        "../scripts/score_brain_readings.py"


rule run_brain_readings:
    input:
        parts=expand(
            f"{RESULTS}/brain_readings/parts/levels{{levels}}_pn{{noise}}.tsv",
            levels=config["brain_readings"]["levels"],
            noise=BRAIN["noise"],
        ),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/brain_readings/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_brain_readings.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_readings/run.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=30,
    message:
        "Gather the scores of all grey levels"
    script:
        "../scripts/gather_parts.py"


rule run_ml_estimators:
    input:
        slices=expand(
            f"{EMBEDDED}/{{unit}}/pn{{noise}}.npz", unit=UNITS, noise=BRAIN["noise"]
        ),
        code=code_behind("run_ml_estimators"),
    output:
        metrics=f"{RESULTS}/ml_estimators/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_ml_estimators.log",
    benchmark:
        f"{RESULTS}/benchmarks/ml_estimators/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        brain=only("brain", "inhomogeneity", "slices"),
        settings=config["image_embedding"],
        parameters=config["ml_estimators"],
    message:
        "Median and mean on the same selected embeddings"
    script:
        "../scripts/run_ml_estimators.py"


rule score_theta_sensitivity:
    input:
        unpack(theta_files),
        code=code_behind("score_theta_sensitivity"),
    output:
        scores=f"{RESULTS}/theta_sensitivity/parts/{{part}}.tsv",
    log:
        f"results/logs/{STUDY}/score_theta_sensitivity/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/theta_sensitivity/score_{{part}}.tsv"
    wildcard_constraints:
        part="|".join(THETA_PARTS),
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        brain=only("brain", "inhomogeneity", "slices"),
        settings=without(
            "image_embedding",
            "theta",
            "theta_reading",
            "strength",
            "exploratory_theta",
        ),
        parameters=config["theta_sensitivity"],
        names=list(GENE_SETS),
        sources=GENE_SOURCES,
        pools=POOLS,
        gene_settings=without(
            "gene_embedding",
            "theta",
            "theta_reading",
            "exploratory_theta",
            "knn_neighbors",
            "label_weights",
        ),
    message:
        "Consensus over thresholds and numbers of embeddings, {wildcards.part}"
    script:
        "../scripts/score_theta_sensitivity.py"


rule run_theta_sensitivity:
    input:
        parts=expand(
            f"{RESULTS}/theta_sensitivity/parts/{{part}}.tsv", part=THETA_PARTS
        ),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/theta_sensitivity/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_theta_sensitivity.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of images and genes"
    script:
        "../scripts/gather_parts.py"


rule run_intrinsic_dimension:
    input:
        slices=expand(f"{EMBEDDED}/{MAIN_UNIT}/pn{{noise}}.npz", noise=BRAIN["noise"]),
        images=expand(
            f"{IMAGES}/{MAIN_UNIT}/pn{{noise}}_rf{{inhomogeneity}}.nii.gz",
            noise=BRAIN["noise"],
            inhomogeneity=BRAIN["inhomogeneity"],
        ),
        splits=expand(f"{GENES}/{{set}}.npz", set=GENE_SETS),
        code=code_behind("run_intrinsic_dimension"),
    output:
        metrics=f"{RESULTS}/intrinsic_dimension/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_intrinsic_dimension.log",
    benchmark:
        f"{RESULTS}/benchmarks/intrinsic_dimension/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        brain=only("brain", "noise", "slices", "calibration_slices"),
        settings=only(
            "image_embedding",
            "features",
            "implementation",
            "window",
            "levels",
            "outside",
            "scaling",
            "objects",
        ),
        parameters=config["intrinsic_dimension"],
        unit=MAIN_UNIT,
        sources=GENE_SOURCES,
        gene_settings=GENE_PREPARATION,
    message:
        "Dimension of the texture space and of the gene space"
    script:
        "../scripts/run_intrinsic_dimension.py"


rule run_brain_calibration:
    input:
        images=expand(
            f"{IMAGES}/{MAIN_UNIT}/pn{{noise}}_rf{{inhomogeneity}}.nii.gz",
            noise=config["brain_calibration"]["noise"],
            inhomogeneity=config["brain_calibration"]["inhomogeneity"],
        ),
        labels=f"{IMAGES}/{MAIN_UNIT}/labels.nii.gz",
        code=code_behind("run_brain_calibration"),
    output:
        metrics=f"{RESULTS}/brain_calibration/metrics.tsv",
        picks=f"{RESULTS}/brain_calibration/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_brain_calibration.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_calibration/run.tsv"
    priority: LONG
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        brain=only("brain", "calibration_slices"),
        settings=config["image_embedding"],
        parameters=config["brain_calibration"],
        unit=MAIN_UNIT,
    message:
        "Pick the details that the paper leaves open, on calibration slices"
    script:
        "../scripts/run_brain_calibration.py"


rule run_brain_real_slices:
    input:
        files=[
            *ANATOMY_FILES["brainweb_resimulated"],
            "resources/data/brainweb/BrainProtonDensity3Slices.raw",
        ],
        code=code_behind("run_brain_real_slices"),
    output:
        metrics=f"{RESULTS}/brain_real_slices/metrics.tsv",
        images=f"{RESULTS}/brain_real_slices/slices.npz",
    log:
        f"results/logs/{STUDY}/run_brain_real_slices.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_real_slices/run.tsv"
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["image_embedding"],
    message:
        "Compare the real slices with their re-simulation"
    script:
        "../scripts/run_brain_real_slices.py"


rule run_brain_runtime:
    input:
        image=expand(
            f"{IMAGES}/{MAIN_UNIT}/pn{{noise}}_rf{{inhomogeneity}}.nii.gz",
            noise=config["brain_runtime"]["noise"],
            inhomogeneity=config["brain_runtime"]["inhomogeneity"],
        ),
        labels=f"{IMAGES}/{MAIN_UNIT}/labels.nii.gz",
        code=code_behind("run_brain_runtime"),
    output:
        metrics=f"{RESULTS}/brain_runtime/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_brain_runtime.log",
    benchmark:
        f"{RESULTS}/benchmarks/brain_runtime/run.tsv"
    conda:
        "../../environment.yml"
    threads: 2
    resources:
        mem_mb=6000,
        runtime=30,
    params:
        seed=config["seed"],
        brain=only("brain", "slices", "calibration_slices"),
        settings=without("image_embedding", "exploratory_theta"),
        parameters=config["brain_runtime"],
        unit=MAIN_UNIT,
    message:
        "Time the steps of consensus embedding"
    script:
        "../scripts/run_brain_runtime.py"


rule embed_prostate:
    input:
        code=code_behind("embed_prostate"),
    output:
        slices=f"{EMBEDDED}/prostate/contrast_{{contrast}}.npz",
        images=f"{IMAGES}/prostate/contrast_{{contrast}}.nii.gz",
        labels=f"{IMAGES}/prostate/contrast_{{contrast}}_labels.nii.gz",
    log:
        f"results/logs/{STUDY}/embed_prostate/{{contrast}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/leave_one_out/embed_{{contrast}}.tsv"
    wildcard_constraints:
        contrast=r"[\d.]+",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=SLICE_EMBEDDING,
        slices=config["leave_one_out"]["slices"],
    message:
        "Base embeddings of the simulated prostate, contrast {wildcards.contrast}"
    script:
        "../scripts/embed_prostate.py"


rule run_leave_one_out:
    input:
        slices=expand(
            f"{EMBEDDED}/prostate/contrast_{{contrast}}.npz",
            contrast=config["leave_one_out"]["contrasts"],
        ),
        code=code_behind("run_leave_one_out"),
    output:
        metrics=f"{RESULTS}/leave_one_out/metrics.tsv",
        maps=f"{RESULTS}/leave_one_out/maps.npz",
    log:
        f"results/logs/{STUDY}/run_leave_one_out.log",
    benchmark:
        f"{RESULTS}/benchmarks/leave_one_out/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        settings=config["image_embedding"],
        parameters=config["leave_one_out"],
    message:
        "Select embeddings on training slices, combine them on the slice left out"
    script:
        "../scripts/run_leave_one_out.py"

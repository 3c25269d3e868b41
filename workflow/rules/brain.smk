# Viswanath and Madabhushi 2012 on images: Experiments 1 to 3. One target per experiment, by its name.
BRAIN_PARTS = [
    f"{unit}_pn{noise}" for unit in UNITS for noise in config["brain"]["noise"]
]
MAP_PARTS = [f"{MAIN_UNIT}_pn{noise}" for noise, _ in config["brain_grid"]["maps"]]


# The targets are lists of files: nothing to send to a cluster.
localrules:
    brain_calibration,
    brain_grid,
    ml_estimators,
    theta_sensitivity,
    intrinsic_dimension,
    brain_real_slices,
    brain_runtime,
    leave_one_out,


rule brain_calibration:
    input:
        metrics=f"{RESULTS}/brain_calibration/metrics.tsv",
        figure=f"{RESULTS}/brain_calibration/figures/calibration.png",
        table=f"{RESULTS}/brain_calibration/tables/picks.tsv",
    message:
        "Defaults picked on calibration slices: done"


rule brain_grid:
    input:
        metrics=f"{RESULTS}/brain_grid/metrics.tsv",
        figure=expand(
            f"{RESULTS}/brain_grid/figures/{{name}}.png",
            name=["trend", "maps", "controls"],
        ),
        table=expand(
            f"{RESULTS}/brain_grid/tables/{{name}}.tsv",
            name=["accuracy", "tests", "controls", "units"],
        ),
    message:
        "White against grey matter over noise and non-uniformity: done"


rule ml_estimators:
    input:
        metrics=f"{RESULTS}/ml_estimators/metrics.tsv",
        figure=f"{RESULTS}/ml_estimators/figures/estimators.png",
        table=f"{RESULTS}/ml_estimators/tables/estimators.tsv",
    message:
        "Median against mean: done"


rule theta_sensitivity:
    input:
        metrics=f"{RESULTS}/theta_sensitivity/metrics.tsv",
        figure=expand(
            f"{RESULTS}/theta_sensitivity/figures/{{name}}.png",
            name=["sensitivity", "genes"],
        ),
        table=expand(
            f"{RESULTS}/theta_sensitivity/tables/{{name}}.tsv",
            name=["sensitivity", "genes"],
        ),
    message:
        "Threshold of embedding strength: done"


rule intrinsic_dimension:
    input:
        metrics=f"{RESULTS}/intrinsic_dimension/metrics.tsv",
        figure=f"{RESULTS}/intrinsic_dimension/figures/dimension.png",
        table=f"{RESULTS}/intrinsic_dimension/tables/dimension.tsv",
    message:
        "Dimension of the texture space and of the gene space: done"


rule brain_real_slices:
    input:
        metrics=f"{RESULTS}/brain_real_slices/metrics.tsv",
        figure=f"{RESULTS}/brain_real_slices/figures/real_slices.png",
        table=expand(
            f"{RESULTS}/brain_real_slices/tables/{{name}}.tsv",
            name=["images", "accuracy"],
        ),
    message:
        "Real slices beside simulated: done"


rule brain_runtime:
    input:
        metrics=f"{RESULTS}/brain_runtime/metrics.tsv",
        figure=f"{RESULTS}/brain_runtime/figures/runtime.png",
        table=f"{RESULTS}/brain_runtime/tables/runtime.tsv",
    message:
        "Run times beside the paper's: done"


rule leave_one_out:
    input:
        metrics=f"{RESULTS}/leave_one_out/metrics.tsv",
        figure=expand(
            f"{RESULTS}/leave_one_out/figures/{{name}}.png",
            name=["detection", "maps"],
        ),
        table=expand(
            f"{RESULTS}/leave_one_out/tables/{{name}}.tsv",
            name=["detection", "tests"],
        ),
    message:
        "Selection on training slices: done"


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
        code=code_behind("run_brain_grid"),
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
        "../scripts/run_brain_grid.py"


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
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        brain=only("brain", "inhomogeneity", "slices"),
        settings=config["image_embedding"],
        parameters=config["ml_estimators"],
    message:
        "Median and mean on the same selected embeddings"
    script:
        "../scripts/run_ml_estimators.py"


rule run_theta_sensitivity:
    input:
        slices=expand(
            f"{EMBEDDED}/{MAIN_UNIT}/pn{{noise}}.npz",
            noise=config["theta_sensitivity"]["noise"],
        ),
        splits=expand(f"{GENES}/{{set}}.npz", set=GENE_SETS),
        pools=[f"{GENE_POOLS}/{name}_{reduction}.npz" for name, reduction in POOLS],
        code=code_behind("run_theta_sensitivity"),
    output:
        metrics=f"{RESULTS}/theta_sensitivity/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_theta_sensitivity.log",
    benchmark:
        f"{RESULTS}/benchmarks/theta_sensitivity/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        brain=only("brain", "inhomogeneity", "slices"),
        settings=without("image_embedding", "theta", "exploratory_theta"),
        parameters=config["theta_sensitivity"],
        names=list(GENE_SETS),
        sources=GENE_SOURCES,
        pools=POOLS,
        gene_settings=without(
            "gene_embedding",
            "theta",
            "exploratory_theta",
            "knn_neighbors",
            "label_weights",
        ),
    message:
        "Consensus over thresholds and numbers of embeddings"
    script:
        "../scripts/run_theta_sensitivity.py"


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
    resources:
        mem_mb=2000,
        runtime=30,
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
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        settings=config["image_embedding"],
    message:
        "The real slices beside their re-simulation"
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
    resources:
        mem_mb=2000,
        runtime=30,
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
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=config["image_embedding"],
        parameters=config["leave_one_out"],
    message:
        "Select embeddings on training slices, combine them on the slice left out"
    script:
        "../scripts/run_leave_one_out.py"


rule present_brain_calibration:
    input:
        metrics=f"{RESULTS}/brain_calibration/metrics.tsv",
        picks=f"{RESULTS}/brain_calibration/tables/picks.tsv",
        code=code_behind("present_images"),
    output:
        calibration=report(
            multiext(
                f"{RESULTS}/brain_calibration/figures/calibration", *FIGURE_TYPES
            ),
            caption="../report/brain_calibration_calibration.rst",
            category="Viswanath 2012",
            subcategory="brain_calibration",
            labels={"figure": "calibration"},
        ),
    log:
        f"results/logs/{STUDY}/present_brain_calibration.log",
    conda:
        "../../environment.yml"
    params:
        maps=config["brain_grid"]["maps"],
    message:
        "Tables and figures of brain_calibration"
    script:
        "../scripts/present_images.py"


use rule present_brain_calibration as present_brain_grid with:
    input:
        metrics=f"{RESULTS}/brain_grid/metrics.tsv",
        maps=expand(f"{RESULTS}/brain_grid/parts/{{part}}_maps.npz", part=MAP_PARTS),
        code=code_behind("present_images"),
    output:
        accuracy_table=f"{RESULTS}/brain_grid/tables/accuracy.tsv",
        tests_table=f"{RESULTS}/brain_grid/tables/tests.tsv",
        controls_table=f"{RESULTS}/brain_grid/tables/controls.tsv",
        units_table=f"{RESULTS}/brain_grid/tables/units.tsv",
        trend=report(
            multiext(f"{RESULTS}/brain_grid/figures/trend", *FIGURE_TYPES),
            caption="../report/brain_grid_trend.rst",
            category="Viswanath 2012",
            subcategory="brain_grid",
            labels={"figure": "trend"},
        ),
        maps=report(
            multiext(f"{RESULTS}/brain_grid/figures/maps", *FIGURE_TYPES),
            caption="../report/brain_grid_maps.rst",
            category="Viswanath 2012",
            subcategory="brain_grid",
            labels={"figure": "maps"},
        ),
        controls=report(
            multiext(f"{RESULTS}/brain_grid/figures/controls", *FIGURE_TYPES),
            caption="../report/brain_grid_controls.rst",
            category="Viswanath 2012",
            subcategory="brain_grid",
            labels={"figure": "controls"},
        ),
    log:
        f"results/logs/{STUDY}/present_brain_grid.log",
    message:
        "Tables and figures of brain_grid"


use rule present_brain_calibration as present_ml_estimators with:
    input:
        metrics=f"{RESULTS}/ml_estimators/metrics.tsv",
        code=code_behind("present_images"),
    output:
        estimators_table=f"{RESULTS}/ml_estimators/tables/estimators.tsv",
        estimators=report(
            multiext(f"{RESULTS}/ml_estimators/figures/estimators", *FIGURE_TYPES),
            caption="../report/ml_estimators_estimators.rst",
            category="Viswanath 2012",
            subcategory="ml_estimators",
            labels={"figure": "estimators"},
        ),
    log:
        f"results/logs/{STUDY}/present_ml_estimators.log",
    message:
        "Tables and figures of ml_estimators"


use rule present_brain_calibration as present_theta_sensitivity with:
    input:
        metrics=f"{RESULTS}/theta_sensitivity/metrics.tsv",
        code=code_behind("present_images"),
    output:
        sensitivity_table=f"{RESULTS}/theta_sensitivity/tables/sensitivity.tsv",
        genes_table=f"{RESULTS}/theta_sensitivity/tables/genes.tsv",
        sensitivity=report(
            multiext(
                f"{RESULTS}/theta_sensitivity/figures/sensitivity", *FIGURE_TYPES
            ),
            caption="../report/theta_sensitivity_sensitivity.rst",
            category="Viswanath 2012",
            subcategory="theta_sensitivity",
            labels={"figure": "sensitivity"},
        ),
        genes=report(
            multiext(f"{RESULTS}/theta_sensitivity/figures/genes", *FIGURE_TYPES),
            caption="../report/theta_sensitivity_genes.rst",
            category="Viswanath 2012",
            subcategory="theta_sensitivity",
            labels={"figure": "genes"},
        ),
    log:
        f"results/logs/{STUDY}/present_theta_sensitivity.log",
    message:
        "Tables and figures of theta_sensitivity"


use rule present_brain_calibration as present_intrinsic_dimension with:
    input:
        metrics=f"{RESULTS}/intrinsic_dimension/metrics.tsv",
        code=code_behind("present_images"),
    output:
        dimension_table=f"{RESULTS}/intrinsic_dimension/tables/dimension.tsv",
        dimension=report(
            multiext(
                f"{RESULTS}/intrinsic_dimension/figures/dimension", *FIGURE_TYPES
            ),
            caption="../report/intrinsic_dimension_dimension.rst",
            category="Viswanath 2012",
            subcategory="intrinsic_dimension",
            labels={"figure": "dimension"},
        ),
    log:
        f"results/logs/{STUDY}/present_intrinsic_dimension.log",
    message:
        "Tables and figures of intrinsic_dimension"


use rule present_brain_calibration as present_brain_real_slices with:
    input:
        metrics=f"{RESULTS}/brain_real_slices/metrics.tsv",
        images=f"{RESULTS}/brain_real_slices/slices.npz",
        code=code_behind("present_images"),
    output:
        images_table=f"{RESULTS}/brain_real_slices/tables/images.tsv",
        accuracy_table=f"{RESULTS}/brain_real_slices/tables/accuracy.tsv",
        real_slices=report(
            multiext(
                f"{RESULTS}/brain_real_slices/figures/real_slices", *FIGURE_TYPES
            ),
            caption="../report/brain_real_slices_real_slices.rst",
            category="Viswanath 2012",
            subcategory="brain_real_slices",
            labels={"figure": "real slices"},
        ),
    log:
        f"results/logs/{STUDY}/present_brain_real_slices.log",
    message:
        "Tables and figures of brain_real_slices"


use rule present_brain_calibration as present_brain_runtime with:
    input:
        metrics=f"{RESULTS}/brain_runtime/metrics.tsv",
        code=code_behind("present_images"),
    output:
        runtime_table=f"{RESULTS}/brain_runtime/tables/runtime.tsv",
        runtime=report(
            multiext(f"{RESULTS}/brain_runtime/figures/runtime", *FIGURE_TYPES),
            caption="../report/brain_runtime_runtime.rst",
            category="Viswanath 2012",
            subcategory="brain_runtime",
            labels={"figure": "runtime"},
        ),
    log:
        f"results/logs/{STUDY}/present_brain_runtime.log",
    message:
        "Tables and figures of brain_runtime"


use rule present_brain_calibration as present_leave_one_out with:
    input:
        metrics=f"{RESULTS}/leave_one_out/metrics.tsv",
        maps=f"{RESULTS}/leave_one_out/maps.npz",
        code=code_behind("present_images"),
    output:
        detection_table=f"{RESULTS}/leave_one_out/tables/detection.tsv",
        tests_table=f"{RESULTS}/leave_one_out/tables/tests.tsv",
        detection=report(
            multiext(f"{RESULTS}/leave_one_out/figures/detection", *FIGURE_TYPES),
            caption="../report/leave_one_out_detection.rst",
            category="Viswanath 2012",
            subcategory="leave_one_out",
            labels={"figure": "detection"},
        ),
        maps=report(
            multiext(f"{RESULTS}/leave_one_out/figures/maps", *FIGURE_TYPES),
            caption="../report/leave_one_out_maps.rst",
            category="Viswanath 2012",
            subcategory="leave_one_out",
            labels={"figure": "maps"},
        ),
    log:
        f"results/logs/{STUDY}/present_leave_one_out.log",
    message:
        "Tables and figures of leave_one_out"

# Ginsburg 2016: features that matter in embeddings, their stability and what they predict.
rule read_features:
    input:
        files=feature_files,
        code=code_behind("read_features"),
    output:
        table=f"{FEATURES}/{{set}}.npz",
    log:
        f"results/logs/{STUDY}/read_features/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/features/read_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(FEATURE_SETS),
    group:
        "read"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        item=feature_item,
        halve_gisette=gisette_is_halved,
        seed=config["seed"],
    message:
        "Read the features of {wildcards.set}"
    script:
        "../scripts/read_features.py"


rule run_fine_calibration:
    input:
        tables=expand(f"{FEATURES}/{{set}}.npz", set=config["fine_calibration"]["sets"]),
        code=code_behind("run_fine_calibration"),
    output:
        metrics=f"{RESULTS}/fine_calibration/metrics.tsv",
        picks=f"{RESULTS}/fine_calibration/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_fine_calibration.log",
    benchmark:
        f"{RESULTS}/benchmarks/fine_calibration/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        sets=config["fine_calibration"]["sets"],
        sources={
            name: FEATURE_SOURCES.get(name, "")
            for name in config["fine_calibration"]["sets"]
        },
        configured=config["feature_embedding"],
        parameters=config["fine_calibration"],
    message:
        "Try the choices on training samples"
    script:
        "../scripts/run_fine_calibration.py"


rule score_feature_selection:
    input:
        table=f"{FEATURES}/{{set}}.npz",
        code=code_behind("score_feature_selection"),
    output:
        scores=f"{RESULTS}/feature_selection/parts/{{set}}.tsv",
    log:
        f"results/logs/{STUDY}/score_feature_selection/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/feature_selection/score_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(FEATURE_SETS),
    priority: LONG
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seed=config["seed"],
        settings=feature_settings,
        # Another data set does not rerun the scores of the others.
        parameters=without("feature_selection", "sets"),
        source=feature_source,
    message:
        "Rank the features of {wildcards.set}, round by round"
    script:
        "../scripts/score_feature_selection.py"


rule run_feature_selection:
    input:
        parts=expand(
            f"{RESULTS}/feature_selection/parts/{{set}}.tsv",
            set=config["feature_selection"]["sets"],
        ),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/feature_selection/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_feature_selection.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all data sets"
    script:
        "../scripts/gather_parts.py"


rule run_pathology_substitute:
    input:
        tables=[
            f"{FEATURES}/{name}.npz"
            for name in config["pathology_substitute"]["features"]
        ],
        code=code_behind("run_pathology_substitute"),
    output:
        metrics=f"{RESULTS}/pathology_substitute/metrics.tsv",
        picks=f"{RESULTS}/pathology_substitute/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_pathology_substitute.log",
    benchmark:
        f"{RESULTS}/benchmarks/pathology_substitute/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        studies=config["pathology"]["sets"],
        parameters=config["pathology_substitute"],
        sources={
            name: FEATURE_SOURCES.get(name, "")
            for name in config["pathology_substitute"]["features"]
        },
    message:
        "Find data as hard as the private pathology studies, by the paper's filters"
    script:
        "../scripts/run_pathology_substitute.py"


rule score_pathology:
    input:
        table=pathology_table,
        code=code_behind("score_pathology"),
    output:
        scores=f"{RESULTS}/pathology/parts/{{study}}.tsv",
    log:
        f"results/logs/{STUDY}/score_pathology/{{study}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/pathology/score_{{study}}.tsv"
    wildcard_constraints:
        study="|".join(map(re.escape, PATHOLOGY_STUDIES)),
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        parameters=pathology_parameters,
        source=pathology_source,
    message:
        "Rank the features of the pathology study {wildcards.study}"
    script:
        "../scripts/score_pathology.py"


rule run_pathology:
    input:
        parts=expand(
            f"{RESULTS}/pathology/parts/{{study}}.tsv", study=PATHOLOGY_STUDIES
        ),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/pathology/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_pathology.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all pathology studies"
    script:
        "../scripts/gather_parts.py"


rule score_survival:
    input:
        table=f"{FEATURES}/{{set}}.npz",
        code=code_behind("score_survival"),
    output:
        scores=f"{RESULTS}/survival/parts/{{set}}.tsv",
    log:
        f"results/logs/{STUDY}/score_survival/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/survival/score_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(FEATURE_SETS),
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        parameters=only("survival", "cohort", "partitions", "folds"),
        source=feature_source,
    message:
        "Survival of two risk groups of {wildcards.set}"
    script:
        "../scripts/score_survival.py"


rule run_survival:
    input:
        parts=expand(
            f"{RESULTS}/survival/parts/{{set}}.tsv", set=config["survival"]["features"]
        ),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/survival/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_survival.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the risk groups of all data sets"
    script:
        "../scripts/gather_parts.py"


rule run_planted_features:
    input:
        code=code_behind("run_planted_features"),
    output:
        metrics=f"{RESULTS}/planted_features/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_planted_features.log",
    benchmark:
        f"{RESULTS}/benchmarks/planted_features/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        parameters=config["planted_features"],
    message:
        "Rank simulated features with known ground truth"
    script:
        "../scripts/run_planted_features.py"


rule write_example_features:
    output:
        table="results/example/features.tsv",
    log:
        "results/logs/example_features.log",
    conda:
        "../../environment.yml"
    message:
        "Write a table of features to try the selection on"
    script:
        "../scripts/write_example_features.py"

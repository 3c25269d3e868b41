# Ginsburg 2016: features that matter in embeddings, their stability and what they tell. One target per experiment.
localrules:
    fine_calibration,
    feature_selection,
    pathology,
    survival,
    planted_features,


rule fine_calibration:
    input:
        metrics=f"{RESULTS}/fine_calibration/metrics.tsv",
        figure=expand(
            f"{RESULTS}/fine_calibration/figures/{{name}}.png",
            name=["calibration"],
        ),
        table=expand(
            f"{RESULTS}/fine_calibration/tables/{{name}}.tsv",
            name=["picks"],
        ),
    message:
        "Choices for FINE: done"


rule feature_selection:
    input:
        metrics=f"{RESULTS}/feature_selection/metrics.tsv",
        figure=expand(
            f"{RESULTS}/feature_selection/figures/{{name}}.png",
            name=["panels", "sweep", "dimensions", "variants"],
        ),
        table=expand(
            f"{RESULTS}/feature_selection/tables/{{name}}.tsv",
            name=["dimensions", "methods", "best", "sweep", "features", "variants"],
        ),
    message:
        "Feature selection: done"


rule pathology:
    input:
        metrics=f"{RESULTS}/pathology/metrics.tsv",
        figure=expand(
            f"{RESULTS}/pathology/figures/{{name}}.png",
            name=["panels", "variants"],
        ),
        table=expand(
            f"{RESULTS}/pathology/tables/{{name}}.tsv",
            name=["dimensions", "methods", "best", "features", "variants"],
        ),
    message:
        "Pathology: done"


rule survival:
    input:
        metrics=f"{RESULTS}/survival/metrics.tsv",
        figure=expand(
            f"{RESULTS}/survival/figures/{{name}}.png",
            name=["curves", "p_values"],
        ),
        table=expand(
            f"{RESULTS}/survival/tables/{{name}}.tsv",
            name=["log_rank"],
        ),
    message:
        "Survival: done"


rule planted_features:
    input:
        metrics=f"{RESULTS}/planted_features/metrics.tsv",
        figure=expand(
            f"{RESULTS}/planted_features/figures/{{name}}.png",
            name=["ranking"],
        ),
        table=expand(
            f"{RESULTS}/planted_features/tables/{{name}}.tsv",
            name=["ranking"],
        ),
    message:
        "Planted features: done"


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
    conda:
        "../../environment.yml"
    resources:
        mem_mb=4000,
        runtime=30,
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
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        # Another data set is no reason to score the others again.
        parameters={
            key: value
            for key, value in config["feature_selection"].items()
            if key != "sets"
        },
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
        code=code_behind("run_feature_selection"),
    output:
        metrics=f"{RESULTS}/feature_selection/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_feature_selection.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all data sets"
    script:
        "../scripts/run_feature_selection.py"


rule run_pathology:
    input:
        tables=[
            f"{FEATURES}/{item['features']}.npz"
            for item in config["pathology"]["sets"]
        ],
        code=code_behind("run_pathology"),
    output:
        metrics=f"{RESULTS}/pathology/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_pathology.log",
    benchmark:
        f"{RESULTS}/benchmarks/pathology/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        parameters=config["pathology"],
        sources={
            item["features"]: FEATURE_SOURCES.get(item["features"], "")
            for item in config["pathology"]["sets"]
        },
    message:
        "Rank the features of the pathology studies"
    script:
        "../scripts/run_pathology.py"


rule run_survival:
    input:
        table=f"{FEATURES}/{config['survival']['features']}.npz",
        code=code_behind("run_survival"),
    output:
        metrics=f"{RESULTS}/survival/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_survival.log",
    benchmark:
        f"{RESULTS}/benchmarks/survival/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        parameters=config["survival"],
        source=FEATURE_SOURCES.get(config["survival"]["features"], ""),
    message:
        "Survival of two risk groups"
    script:
        "../scripts/run_survival.py"


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
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        settings=config["feature_embedding"],
        parameters=config["planted_features"],
    message:
        "Rank features of which the relevant ones are known"
    script:
        "../scripts/run_planted_features.py"


rule present_feature_selection:
    input:
        metrics=f"{RESULTS}/feature_selection/metrics.tsv",
        code=code_behind("present_fine"),
    output:
        dimensions_table=f"{RESULTS}/feature_selection/tables/dimensions.tsv",
        methods_table=f"{RESULTS}/feature_selection/tables/methods.tsv",
        best_table=f"{RESULTS}/feature_selection/tables/best.tsv",
        sweep_table=f"{RESULTS}/feature_selection/tables/sweep.tsv",
        features_table=f"{RESULTS}/feature_selection/tables/features.tsv",
        variants_table=f"{RESULTS}/feature_selection/tables/variants.tsv",
        panels=report(
            multiext(f"{RESULTS}/feature_selection/figures/panels", *FIGURE_TYPES),
            caption="../report/feature_selection_panels.rst",
            category="Ginsburg 2016",
            subcategory="feature_selection",
            labels={"figure": "panels"},
        ),
        sweep=report(
            multiext(f"{RESULTS}/feature_selection/figures/sweep", *FIGURE_TYPES),
            caption="../report/feature_selection_sweep.rst",
            category="Ginsburg 2016",
            subcategory="feature_selection",
            labels={"figure": "sweep"},
        ),
        dimensions=report(
            multiext(f"{RESULTS}/feature_selection/figures/dimensions", *FIGURE_TYPES),
            caption="../report/feature_selection_dimensions.rst",
            category="Ginsburg 2016",
            subcategory="feature_selection",
            labels={"figure": "dimensions"},
        ),
        variants=report(
            multiext(f"{RESULTS}/feature_selection/figures/variants", *FIGURE_TYPES),
            caption="../report/feature_selection_variants.rst",
            category="Ginsburg 2016",
            subcategory="feature_selection",
            labels={"figure": "variants"},
        ),
    log:
        f"results/logs/{STUDY}/present_feature_selection.log",
    conda:
        "../../environment.yml"
    message:
        "Tables and figures of feature_selection"
    script:
        "../scripts/present_fine.py"


use rule present_feature_selection as present_fine_calibration with:
    input:
        metrics=f"{RESULTS}/fine_calibration/metrics.tsv",
        picks=f"{RESULTS}/fine_calibration/tables/picks.tsv",
        code=code_behind("present_fine"),
    output:
        calibration=report(
            multiext(f"{RESULTS}/fine_calibration/figures/calibration", *FIGURE_TYPES),
            caption="../report/fine_calibration_calibration.rst",
            category="Ginsburg 2016",
            subcategory="fine_calibration",
            labels={"figure": "calibration"},
        ),
    log:
        f"results/logs/{STUDY}/present_fine_calibration.log",
    message:
        "Tables and figures of fine_calibration"


use rule present_feature_selection as present_pathology with:
    input:
        metrics=f"{RESULTS}/pathology/metrics.tsv",
        code=code_behind("present_fine"),
    output:
        dimensions_table=f"{RESULTS}/pathology/tables/dimensions.tsv",
        methods_table=f"{RESULTS}/pathology/tables/methods.tsv",
        best_table=f"{RESULTS}/pathology/tables/best.tsv",
        features_table=f"{RESULTS}/pathology/tables/features.tsv",
        variants_table=f"{RESULTS}/pathology/tables/variants.tsv",
        panels=report(
            multiext(f"{RESULTS}/pathology/figures/panels", *FIGURE_TYPES),
            caption="../report/pathology_panels.rst",
            category="Ginsburg 2016",
            subcategory="pathology",
            labels={"figure": "panels"},
        ),
        variants=report(
            multiext(f"{RESULTS}/pathology/figures/variants", *FIGURE_TYPES),
            caption="../report/pathology_variants.rst",
            category="Ginsburg 2016",
            subcategory="pathology",
            labels={"figure": "variants"},
        ),
    log:
        f"results/logs/{STUDY}/present_pathology.log",
    message:
        "Tables and figures of pathology"


use rule present_feature_selection as present_survival with:
    input:
        metrics=f"{RESULTS}/survival/metrics.tsv",
        code=code_behind("present_fine"),
    output:
        log_rank_table=f"{RESULTS}/survival/tables/log_rank.tsv",
        curves=report(
            multiext(f"{RESULTS}/survival/figures/curves", *FIGURE_TYPES),
            caption="../report/survival_curves.rst",
            category="Ginsburg 2016",
            subcategory="survival",
            labels={"figure": "curves"},
        ),
        p_values=report(
            multiext(f"{RESULTS}/survival/figures/p_values", *FIGURE_TYPES),
            caption="../report/survival_p_values.rst",
            category="Ginsburg 2016",
            subcategory="survival",
            labels={"figure": "p values"},
        ),
    log:
        f"results/logs/{STUDY}/present_survival.log",
    message:
        "Tables and figures of survival"


use rule present_feature_selection as present_planted_features with:
    input:
        metrics=f"{RESULTS}/planted_features/metrics.tsv",
        code=code_behind("present_fine"),
    output:
        ranking_table=f"{RESULTS}/planted_features/tables/ranking.tsv",
        ranking=report(
            multiext(f"{RESULTS}/planted_features/figures/ranking", *FIGURE_TYPES),
            caption="../report/planted_features_ranking.rst",
            category="Ginsburg 2016",
            subcategory="planted_features",
            labels={"figure": "ranking"},
        ),
    log:
        f"results/logs/{STUDY}/present_planted_features.log",
    message:
        "Tables and figures of planted_features"


rule write_example_features:
    output:
        table="results/example/features.tsv",
    log:
        "results/logs/example_features.log",
    conda:
        "../../environment.yml"
    message:
        "A table of features to try the selection on"
    script:
        "../scripts/write_example_features.py"

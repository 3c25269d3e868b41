# Sparks 2011: out-of-sample extrapolation, and retrieval by class. One target per experiment.
localrules:
    retrieval_calibration,
    swiss_roll,
    gland_retrieval,
    extrapolation_runtime,


rule retrieval_calibration:
    input:
        metrics=f"{RESULTS}/retrieval_calibration/metrics.tsv",
        figure=expand(
            f"{RESULTS}/retrieval_calibration/figures/{{name}}.png",
            name=["calibration"],
        ),
        table=expand(
            f"{RESULTS}/retrieval_calibration/tables/{{name}}.tsv",
            name=["picks"],
        ),
    message:
        "Choices for extrapolation and retrieval: done"


rule swiss_roll:
    input:
        metrics=f"{RESULTS}/swiss_roll/metrics.tsv",
        figure=expand(
            f"{RESULTS}/swiss_roll/figures/{{name}}.png",
            name=["curves", "needed", "roll", "error", "variants"],
        ),
        table=expand(
            f"{RESULTS}/swiss_roll/tables/{{name}}.tsv",
            name=["compared", "needed", "errors", "variants"],
        ),
    message:
        "Swiss roll: done"


rule gland_retrieval:
    input:
        metrics=f"{RESULTS}/gland_retrieval/metrics.tsv",
        figure=expand(
            f"{RESULTS}/gland_retrieval/figures/{{name}}.png",
            name=[
                "curves",
                "needed",
                "query",
                "outlines",
                "separation",
                "regions",
                "error",
                "variants",
            ],
        ),
        table=expand(
            f"{RESULTS}/gland_retrieval/tables/{{name}}.tsv",
            name=[
                "compared",
                "chance",
                "first_five",
                "needed",
                "errors",
                "separation",
                "variants",
                *[f"queries_{name}" for name in RETRIEVAL_SETS],
            ],
        ),
    message:
        "Retrieval of glands: done"


rule extrapolation_runtime:
    input:
        metrics=f"{RESULTS}/extrapolation_runtime/metrics.tsv",
        figure=expand(
            f"{RESULTS}/extrapolation_runtime/figures/{{name}}.png",
            name=["runtime"],
        ),
        table=expand(
            f"{RESULTS}/extrapolation_runtime/tables/{{name}}.tsv",
            name=["runtime"],
        ),
    message:
        "Run time of extrapolation: done"


rule run_retrieval_calibration:
    input:
        code=code_behind("run_retrieval_calibration"),
    output:
        metrics=f"{RESULTS}/retrieval_calibration/metrics.tsv",
        picks=f"{RESULTS}/retrieval_calibration/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_retrieval_calibration.log",
    benchmark:
        f"{RESULTS}/benchmarks/retrieval_calibration/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        seed=config["seed"],
        grid=only("out_of_sample", "floor", "eigenvectors", "nystroem"),
        simulator=config["glands"],
        configured=RETRIEVAL_SETTINGS,
        parameters=config["retrieval_calibration"],
    message:
        "Try the choices on rolls, glands and digits of their own"
    script:
        "../scripts/run_retrieval_calibration.py"


rule run_swiss_roll:
    input:
        code=code_behind("run_swiss_roll"),
    output:
        metrics=f"{RESULTS}/swiss_roll/metrics.tsv",
        pictures=f"{RESULTS}/swiss_roll/pictures.npz",
    log:
        f"results/logs/{STUDY}/run_swiss_roll.log",
    benchmark:
        f"{RESULTS}/benchmarks/swiss_roll/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        grid=config["out_of_sample"],
        parameters=config["swiss_roll"],
    message:
        "Extrapolate the Swiss roll"
    script:
        "../scripts/run_swiss_roll.py"


rule score_gland_retrieval:
    input:
        table=items_file,
        code=code_behind("score_gland_retrieval"),
    output:
        scores=f"{RESULTS}/gland_retrieval/parts/{{set}}.tsv",
        pictures=f"{RESULTS}/gland_retrieval/parts/{{set}}_pictures.npz",
        queries=f"{RESULTS}/gland_retrieval/tables/queries_{{set}}.tsv",
    log:
        f"results/logs/{STUDY}/score_gland_retrieval/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/gland_retrieval/score_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(RETRIEVAL_SETS),
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        grid=config["out_of_sample"],
        simulator=retrieval_simulator,
        parameters=retrieval_parameters,
        own=own_items,
    message:
        "Retrieve by class, {wildcards.set}"
    script:
        "../scripts/score_gland_retrieval.py"


rule run_gland_retrieval:
    input:
        parts=expand(f"{RESULTS}/gland_retrieval/parts/{{set}}.tsv", set=RETRIEVAL_SETS),
        code=code_behind("run_gland_retrieval"),
    output:
        metrics=f"{RESULTS}/gland_retrieval/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_gland_retrieval.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all data sets"
    script:
        "../scripts/run_gland_retrieval.py"


rule run_extrapolation_runtime:
    input:
        code=code_behind("run_extrapolation_runtime"),
    output:
        metrics=f"{RESULTS}/extrapolation_runtime/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_extrapolation_runtime.log",
    benchmark:
        f"{RESULTS}/benchmarks/extrapolation_runtime/run.tsv"
    conda:
        "../../environment.yml"
    # Alone, so that no other job is timed with it.
    threads: ALL_CORES
    resources:
        mem_mb=6000,
        runtime=60,
    params:
        seed=config["seed"],
        roll=only("swiss_roll", "split", "n_components", "sigma", "radius"),
        parameters=config["extrapolation_runtime"],
    message:
        "Time extrapolation beside a new embedding"
    script:
        "../scripts/run_extrapolation_runtime.py"


rule present_swiss_roll:
    input:
        metrics=f"{RESULTS}/swiss_roll/metrics.tsv",
        pictures=f"{RESULTS}/swiss_roll/pictures.npz",
        code=code_behind("present_retrieval"),
    output:
        compared_table=f"{RESULTS}/swiss_roll/tables/compared.tsv",
        curves_table=f"{RESULTS}/swiss_roll/tables/curves.tsv",
        needed_table=f"{RESULTS}/swiss_roll/tables/needed.tsv",
        errors_table=f"{RESULTS}/swiss_roll/tables/errors.tsv",
        variants_table=f"{RESULTS}/swiss_roll/tables/variants.tsv",
        roll=report(
            multiext(f"{RESULTS}/swiss_roll/figures/roll", *FIGURE_TYPES),
            caption="../report/swiss_roll_roll.rst",
            category="Sparks 2011",
            subcategory="swiss_roll",
            labels={"figure": "roll"},
        ),
        curves=report(
            multiext(f"{RESULTS}/swiss_roll/figures/curves", *FIGURE_TYPES),
            caption="../report/swiss_roll_curves.rst",
            category="Sparks 2011",
            subcategory="swiss_roll",
            labels={"figure": "curves"},
        ),
        needed=report(
            multiext(f"{RESULTS}/swiss_roll/figures/needed", *FIGURE_TYPES),
            caption="../report/swiss_roll_needed.rst",
            category="Sparks 2011",
            subcategory="swiss_roll",
            labels={"figure": "needed"},
        ),
        error=report(
            multiext(f"{RESULTS}/swiss_roll/figures/error", *FIGURE_TYPES),
            caption="../report/swiss_roll_error.rst",
            category="Sparks 2011",
            subcategory="swiss_roll",
            labels={"figure": "error"},
        ),
        variants=report(
            multiext(f"{RESULTS}/swiss_roll/figures/variants", *FIGURE_TYPES),
            caption="../report/swiss_roll_variants.rst",
            category="Sparks 2011",
            subcategory="swiss_roll",
            labels={"figure": "variants"},
        ),
    log:
        f"results/logs/{STUDY}/present_swiss_roll.log",
    conda:
        "../../environment.yml"
    message:
        "Tables and figures of swiss_roll"
    script:
        "../scripts/present_retrieval.py"


use rule present_swiss_roll as present_gland_retrieval with:
    input:
        metrics=f"{RESULTS}/gland_retrieval/metrics.tsv",
        pictures=expand(
            f"{RESULTS}/gland_retrieval/parts/{{set}}_pictures.npz", set=RETRIEVAL_SETS
        ),
        code=code_behind("present_retrieval"),
    output:
        compared_table=f"{RESULTS}/gland_retrieval/tables/compared.tsv",
        curves_table=f"{RESULTS}/gland_retrieval/tables/curves.tsv",
        needed_table=f"{RESULTS}/gland_retrieval/tables/needed.tsv",
        errors_table=f"{RESULTS}/gland_retrieval/tables/errors.tsv",
        first_five_table=f"{RESULTS}/gland_retrieval/tables/first_five.tsv",
        separation_table=f"{RESULTS}/gland_retrieval/tables/separation.tsv",
        chance_table=f"{RESULTS}/gland_retrieval/tables/chance.tsv",
        variants_table=f"{RESULTS}/gland_retrieval/tables/variants.tsv",
        curves=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/curves", *FIGURE_TYPES),
            caption="../report/gland_retrieval_curves.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "curves"},
        ),
        needed=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/needed", *FIGURE_TYPES),
            caption="../report/gland_retrieval_needed.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "needed"},
        ),
        error=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/error", *FIGURE_TYPES),
            caption="../report/gland_retrieval_error.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "error"},
        ),
        query=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/query", *FIGURE_TYPES),
            caption="../report/gland_retrieval_query.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "query"},
        ),
        outlines=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/outlines", *FIGURE_TYPES),
            caption="../report/gland_retrieval_outlines.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "outlines"},
        ),
        separation=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/separation", *FIGURE_TYPES),
            caption="../report/gland_retrieval_separation.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "separation"},
        ),
        regions=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/regions", *FIGURE_TYPES),
            caption="../report/gland_retrieval_regions.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "regions"},
        ),
        variants=report(
            multiext(f"{RESULTS}/gland_retrieval/figures/variants", *FIGURE_TYPES),
            caption="../report/gland_retrieval_variants.rst",
            category="Sparks 2011",
            subcategory="gland_retrieval",
            labels={"figure": "variants"},
        ),
    log:
        f"results/logs/{STUDY}/present_gland_retrieval.log",
    message:
        "Tables and figures of gland_retrieval"


use rule present_swiss_roll as present_retrieval_calibration with:
    input:
        metrics=f"{RESULTS}/retrieval_calibration/metrics.tsv",
        picks=f"{RESULTS}/retrieval_calibration/tables/picks.tsv",
        code=code_behind("present_retrieval"),
    output:
        calibration=report(
            multiext(
                f"{RESULTS}/retrieval_calibration/figures/calibration", *FIGURE_TYPES
            ),
            caption="../report/retrieval_calibration_calibration.rst",
            category="Sparks 2011",
            subcategory="retrieval_calibration",
            labels={"figure": "calibration"},
        ),
    log:
        f"results/logs/{STUDY}/present_retrieval_calibration.log",
    message:
        "Tables and figures of retrieval_calibration"


use rule present_swiss_roll as present_extrapolation_runtime with:
    input:
        metrics=f"{RESULTS}/extrapolation_runtime/metrics.tsv",
        code=code_behind("present_retrieval"),
    output:
        runtime_table=f"{RESULTS}/extrapolation_runtime/tables/runtime.tsv",
        runtime=report(
            multiext(
                f"{RESULTS}/extrapolation_runtime/figures/runtime", *FIGURE_TYPES
            ),
            caption="../report/extrapolation_runtime_runtime.rst",
            category="Sparks 2011",
            subcategory="extrapolation_runtime",
            labels={"figure": "runtime"},
        ),
    log:
        f"results/logs/{STUDY}/present_extrapolation_runtime.log",
    message:
        "Tables and figures of extrapolation_runtime"


rule write_example_items:
    output:
        table="results/example/items.tsv",
        dissimilarities="results/example/dissimilarities.tsv",
    log:
        "results/logs/example_items.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    message:
        "Items with a few labels to try the retrieval on"
    script:
        "../scripts/write_example_items.py"

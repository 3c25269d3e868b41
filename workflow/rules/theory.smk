# Viswanath and Madabhushi 2012: the toy image of Fig. 1 and the propositions. One target per experiment.
localrules:
    toy_rgb,
    theory_strength,
    theory_error,
    theory_monotone,


rule toy_rgb:
    input:
        metrics=f"{RESULTS}/toy_rgb/metrics.tsv",
        figure=expand(
            f"{RESULTS}/toy_rgb/figures/{{name}}.png", name=["pictures", "accuracy"]
        ),
        table=f"{RESULTS}/toy_rgb/tables/accuracy.tsv",
    message:
        "The toy image of Fig. 1: done"


rule theory_strength:
    input:
        metrics=f"{RESULTS}/theory_strength/metrics.tsv",
        figure=f"{RESULTS}/theory_strength/figures/strength.png",
        table=f"{RESULTS}/theory_strength/tables/strength.tsv",
    message:
        "Strength of the consensus: done"


rule theory_error:
    input:
        metrics=f"{RESULTS}/theory_error/metrics.tsv",
        figure=f"{RESULTS}/theory_error/figures/error.png",
        table=f"{RESULTS}/theory_error/tables/error.tsv",
    message:
        "Error of the consensus distances: done"


rule theory_monotone:
    input:
        metrics=f"{RESULTS}/theory_monotone/metrics.tsv",
        figure=f"{RESULTS}/theory_monotone/figures/monotone.png",
        table=f"{RESULTS}/theory_monotone/tables/monotone.tsv",
    message:
        "Strength against class accuracy: done"


rule run_toy_rgb:
    input:
        code=code_behind("run_toy_rgb"),
    output:
        metrics=f"{RESULTS}/toy_rgb/metrics.tsv",
        pictures=f"{RESULTS}/toy_rgb/pictures.npz",
    log:
        f"results/logs/{STUDY}/run_toy_rgb.log",
    benchmark:
        f"{RESULTS}/benchmarks/toy_rgb/run.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        parameters=config["toy_rgb"],
    message:
        "Consensus of one-dimensional embeddings on the toy image"
    script:
        "../scripts/run_toy_rgb.py"


rule run_theory_strength:
    input:
        code=code_behind("run_theory_strength"),
    output:
        metrics=f"{RESULTS}/theory_strength/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_theory_strength.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory_strength/run.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        parameters=config["theory_strength"],
    message:
        "Strength of the consensus against the number of embeddings"
    script:
        "../scripts/run_theory_strength.py"


rule run_theory_error:
    input:
        code=code_behind("run_theory_error"),
    output:
        metrics=f"{RESULTS}/theory_error/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_theory_error.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory_error/run.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        parameters=config["theory_error"],
    message:
        "Error of the consensus against that of its embeddings"
    script:
        "../scripts/run_theory_error.py"


rule run_theory_monotone:
    input:
        slices=f"{EMBEDDED}/{MAIN_UNIT}/pn{config['theory_monotone']['noise']}.npz",
        splits=expand(f"{GENES}/{{set}}.npz", set=GENE_SETS),
        code=code_behind("run_theory_monotone"),
    output:
        metrics=f"{RESULTS}/theory_monotone/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_theory_monotone.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory_monotone/run.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        parameters=config["theory_monotone"],
        brain=only("brain", "slices"),
        unit=MAIN_UNIT,
        kind=config["image_embedding"]["objects"],
        names=list(GENE_SETS),
        sources=GENE_SOURCES,
        reductions=GENE_REDUCTIONS,
        pool_size=POOL_SIZE,
        gene_settings=GENE_POOL | only("gene_embedding", "n_embeddings"),
    message:
        "Embedding strength against the accuracy of classes"
    script:
        "../scripts/run_theory_monotone.py"


rule present_toy_rgb:
    input:
        metrics=f"{RESULTS}/toy_rgb/metrics.tsv",
        pictures=f"{RESULTS}/toy_rgb/pictures.npz",
        code=code_behind("present_theory"),
    output:
        table=f"{RESULTS}/toy_rgb/tables/accuracy.tsv",
        pictures=report(
            multiext(f"{RESULTS}/toy_rgb/figures/pictures", *FIGURE_TYPES),
            caption="../report/toy_rgb_pictures.rst",
            category="Viswanath 2012",
            subcategory="toy_rgb",
            labels={"figure": "pictures"},
        ),
        accuracy=report(
            multiext(f"{RESULTS}/toy_rgb/figures/accuracy", *FIGURE_TYPES),
            caption="../report/toy_rgb_accuracy.rst",
            category="Viswanath 2012",
            subcategory="toy_rgb",
            labels={"figure": "accuracy"},
        ),
    log:
        f"results/logs/{STUDY}/present_toy_rgb.log",
    conda:
        "../../environment.yml"
    message:
        "Table and figures of toy_rgb"
    script:
        "../scripts/present_theory.py"


use rule present_toy_rgb as present_theory_strength with:
    input:
        metrics=f"{RESULTS}/theory_strength/metrics.tsv",
        code=code_behind("present_theory"),
    output:
        table=f"{RESULTS}/theory_strength/tables/strength.tsv",
        strength=report(
            multiext(f"{RESULTS}/theory_strength/figures/strength", *FIGURE_TYPES),
            caption="../report/theory_strength_strength.rst",
            category="Viswanath 2012",
            subcategory="theory_strength",
            labels={"figure": "strength"},
        ),
    log:
        f"results/logs/{STUDY}/present_theory_strength.log",
    message:
        "Table and figures of theory_strength"


use rule present_toy_rgb as present_theory_error with:
    input:
        metrics=f"{RESULTS}/theory_error/metrics.tsv",
        code=code_behind("present_theory"),
    output:
        table=f"{RESULTS}/theory_error/tables/error.tsv",
        error=report(
            multiext(f"{RESULTS}/theory_error/figures/error", *FIGURE_TYPES),
            caption="../report/theory_error_error.rst",
            category="Viswanath 2012",
            subcategory="theory_error",
            labels={"figure": "error"},
        ),
    log:
        f"results/logs/{STUDY}/present_theory_error.log",
    message:
        "Table and figures of theory_error"


use rule present_toy_rgb as present_theory_monotone with:
    input:
        metrics=f"{RESULTS}/theory_monotone/metrics.tsv",
        code=code_behind("present_theory"),
    output:
        table=f"{RESULTS}/theory_monotone/tables/monotone.tsv",
        monotone=report(
            multiext(f"{RESULTS}/theory_monotone/figures/monotone", *FIGURE_TYPES),
            caption="../report/theory_monotone_monotone.rst",
            category="Viswanath 2012",
            subcategory="theory_monotone",
            labels={"figure": "monotone"},
        ),
    log:
        f"results/logs/{STUDY}/present_theory_monotone.log",
    message:
        "Table and figures of theory_monotone"

# Viswanath and Madabhushi 2012: the toy image of Fig. 1 and the propositions.
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
    params:
        seed=config["seed"],
        parameters=config["theory_monotone"],
        brain=only("brain", "slices"),
        unit=MAIN_UNIT,
        kind=config["image_embedding"]["objects"],
        image_settings=without("image_embedding", "exploratory_theta"),
        names=list(GENE_SETS),
        sources=GENE_SOURCES,
        reductions=GENE_REDUCTIONS,
        pool_size=POOL_SIZE,
        gene_settings=GENE_POOL | only("gene_embedding", "n_embeddings"),
    message:
        "Embedding strength against the accuracy of classes"
    script:
        "../scripts/run_theory_monotone.py"

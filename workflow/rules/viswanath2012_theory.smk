# Viswanath and Madabhushi 2012: the propositions on base embeddings of images and genes.
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

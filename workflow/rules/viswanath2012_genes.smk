# Viswanath and Madabhushi 2012 on gene expression: Experiment 4. The first rules make what its experiments share.
rule read_genes:
    input:
        files=gene_files,
        code=code_behind("read_genes"),
    output:
        split=f"{GENES}/{{set}}.npz",
    log:
        f"results/logs/{STUDY}/read_genes/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/genes/read_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(GENE_SETS),
    conda:
        "../../environment.yml"
    resources:
        runtime=10,
    params:
        item=gene_item,
        source=gene_source,
        seed=config["seed"],
    message:
        "Read the gene expression of {wildcards.set}"
    script:
        "../scripts/read_genes.py"


rule embed_genes:
    input:
        split=f"{GENES}/{{set}}.npz",
        code=code_behind("embed_genes"),
    output:
        pools=f"{GENE_POOLS}/{{set}}_{{reduction}}.npz",
    log:
        f"results/logs/{STUDY}/embed_genes/{{set}}_{{reduction}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/genes/embed_{{set}}_{{reduction}}.tsv"
    wildcard_constraints:
        set="|".join(GENE_SETS),
        reduction="|".join(GENE_REDUCTIONS),
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=GENE_POOL,
        pool_size=POOL_SIZE,
        repetitions=config["genes"]["repetitions"],
    message:
        "Base embeddings of {wildcards.set} by {wildcards.reduction}"
    script:
        "../scripts/embed_genes.py"


rule run_gene_calibration:
    input:
        splits=expand(f"{GENES}/{{set}}.npz", set=GENE_SETS),
        code=code_behind("run_gene_calibration"),
    output:
        metrics=f"{RESULTS}/gene_calibration/metrics.tsv",
        picks=f"{RESULTS}/gene_calibration/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_gene_calibration.log",
    benchmark:
        f"{RESULTS}/benchmarks/gene_calibration/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        sources=GENE_SOURCES,
        settings=config["gene_embedding"],
        parameters=config["gene_calibration"],
    message:
        "Try the choices on halvings of the training splits"
    script:
        "../scripts/run_gene_calibration.py"


rule score_gene_expression:
    input:
        **{
            reduction: f"{GENE_POOLS}/{{set}}_{reduction}.npz"
            for reduction in GENE_REDUCTIONS
        },
        split=f"{GENES}/{{set}}.npz",
        code=code_behind("score_gene_expression"),
    output:
        scores=f"{RESULTS}/gene_expression/parts/{{set}}.tsv",
        pictures=f"{RESULTS}/gene_expression/parts/{{set}}_pictures.npz",
    log:
        f"results/logs/{STUDY}/score_gene_expression/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/gene_expression/score_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(GENE_SETS),
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        source=gene_source,
        settings=config["gene_embedding"],
        variants=config["gene_expression"]["variants"],
        variant_repetitions=config["gene_expression"]["variant_repetitions"],
        pool_size=POOL_SIZE,
        repetitions=config["genes"]["repetitions"],
    message:
        "Cluster {wildcards.set} in every representation"
    script:
        "../scripts/score_gene_expression.py"


rule run_gene_expression:
    input:
        parts=expand(f"{RESULTS}/gene_expression/parts/{{set}}.tsv", set=GENE_SETS),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/gene_expression/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_gene_expression.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all data sets"
    script:
        "../scripts/gather_parts.py"


rule run_m_sensitivity:
    input:
        splits=expand(f"{GENES}/{{set}}.npz", set=GENE_SETS),
        pools=[f"{GENE_POOLS}/{name}_{reduction}.npz" for name, reduction in POOLS],
        code=code_behind("run_m_sensitivity"),
    output:
        metrics=f"{RESULTS}/m_sensitivity/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_m_sensitivity.log",
    benchmark:
        f"{RESULTS}/benchmarks/m_sensitivity/run.tsv"
    conda:
        "../../environment.yml"
    params:
        names=list(GENE_SETS),
        sources=GENE_SOURCES,
        pools=POOLS,
        settings=only(
            "gene_embedding",
            "n_components",
            "normalization",
            "mds",
            "linkage",
            "theta",
            "theta_reading",
        ),
        parameters=config["m_sensitivity"],
    message:
        "Consensus over numbers of base embeddings"
    script:
        "../scripts/run_m_sensitivity.py"


rule write_example_table:
    output:
        table="results/example/table.tsv",
    log:
        "results/logs/example_table.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    message:
        "Write a table of gene expression to try the experiments on"
    script:
        "../scripts/write_example_table.py"

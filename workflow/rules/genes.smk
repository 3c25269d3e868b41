# Experiment 4 of Viswanath and Madabhushi 2012: gene expression. One target per experiment; the first rules make what they share.
localrules:
    gene_calibration,
    gene_expression,
    m_sensitivity,


rule gene_calibration:
    input:
        metrics=f"{RESULTS}/gene_calibration/metrics.tsv",
        figure=expand(
            f"{RESULTS}/gene_calibration/figures/{{name}}.png",
            name=["calibration"],
        ),
        table=expand(
            f"{RESULTS}/gene_calibration/tables/{{name}}.tsv",
            name=["picks"],
        ),
    message:
        "Choices for gene expression: done"


rule gene_expression:
    input:
        metrics=f"{RESULTS}/gene_expression/metrics.tsv",
        figure=expand(
            f"{RESULTS}/gene_expression/figures/{{name}}.png",
            name=["accuracy", "controls", "variants", "views", "pairs"],
        ),
        table=expand(
            f"{RESULTS}/gene_expression/tables/{{name}}.tsv",
            name=["accuracy", "scores", "tests", "variants"],
        ),
    message:
        "Gene expression: done"


rule m_sensitivity:
    input:
        metrics=f"{RESULTS}/m_sensitivity/metrics.tsv",
        figure=expand(
            f"{RESULTS}/m_sensitivity/figures/{{name}}.png",
            name=["m_sensitivity"],
        ),
        table=expand(
            f"{RESULTS}/m_sensitivity/tables/{{name}}.tsv",
            name=["consensus_pca", "consensus_ge"],
        ),
    message:
        "Number of base embeddings: done"


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
        mem_mb=2000,
        runtime=30,
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
    resources:
        mem_mb=2000,
        runtime=30,
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
    resources:
        mem_mb=2000,
        runtime=30,
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
        split=f"{GENES}/{{set}}.npz",
        graph_embedding=f"{GENE_POOLS}/{{set}}_graph_embedding.npz",
        pca=f"{GENE_POOLS}/{{set}}_pca.npz",
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
    resources:
        mem_mb=2000,
        runtime=30,
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
        code=code_behind("run_gene_expression"),
    output:
        metrics=f"{RESULTS}/gene_expression/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_gene_expression.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all data sets"
    script:
        "../scripts/run_gene_expression.py"


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
    resources:
        mem_mb=2000,
        runtime=30,
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
        ),
        parameters=config["m_sensitivity"],
    message:
        "Consensus over numbers of base embeddings"
    script:
        "../scripts/run_m_sensitivity.py"


rule present_gene_expression:
    input:
        metrics=f"{RESULTS}/gene_expression/metrics.tsv",
        pictures=f"{RESULTS}/gene_expression/parts/{config['gene_expression']['views']}_pictures.npz",
        code=code_behind("present_genes"),
    output:
        accuracy_table=f"{RESULTS}/gene_expression/tables/accuracy.tsv",
        scores_table=f"{RESULTS}/gene_expression/tables/scores.tsv",
        tests_table=f"{RESULTS}/gene_expression/tables/tests.tsv",
        variants_table=f"{RESULTS}/gene_expression/tables/variants.tsv",
        accuracy=report(
            multiext(f"{RESULTS}/gene_expression/figures/accuracy", *FIGURE_TYPES),
            caption="../report/gene_expression_accuracy.rst",
            category="Viswanath 2012",
            subcategory="gene_expression",
            labels={"figure": "accuracy"},
        ),
        controls=report(
            multiext(f"{RESULTS}/gene_expression/figures/controls", *FIGURE_TYPES),
            caption="../report/gene_expression_controls.rst",
            category="Viswanath 2012",
            subcategory="gene_expression",
            labels={"figure": "controls"},
        ),
        variants=report(
            multiext(f"{RESULTS}/gene_expression/figures/variants", *FIGURE_TYPES),
            caption="../report/gene_expression_variants.rst",
            category="Viswanath 2012",
            subcategory="gene_expression",
            labels={"figure": "variants"},
        ),
        views=report(
            multiext(f"{RESULTS}/gene_expression/figures/views", *FIGURE_TYPES),
            caption="../report/gene_expression_views.rst",
            category="Viswanath 2012",
            subcategory="gene_expression",
            labels={"figure": "views"},
        ),
        pairs=report(
            multiext(f"{RESULTS}/gene_expression/figures/pairs", *FIGURE_TYPES),
            caption="../report/gene_expression_pairs.rst",
            category="Viswanath 2012",
            subcategory="gene_expression",
            labels={"figure": "pairs"},
        ),
    log:
        f"results/logs/{STUDY}/present_gene_expression.log",
    conda:
        "../../environment.yml"
    message:
        "Tables and figures of gene_expression"
    script:
        "../scripts/present_genes.py"


use rule present_gene_expression as present_gene_calibration with:
    input:
        metrics=f"{RESULTS}/gene_calibration/metrics.tsv",
        picks=f"{RESULTS}/gene_calibration/tables/picks.tsv",
        code=code_behind("present_genes"),
    output:
        calibration=report(
            multiext(f"{RESULTS}/gene_calibration/figures/calibration", *FIGURE_TYPES),
            caption="../report/gene_calibration_calibration.rst",
            category="Viswanath 2012",
            subcategory="gene_calibration",
            labels={"figure": "calibration"},
        ),
    log:
        f"results/logs/{STUDY}/present_gene_calibration.log",
    message:
        "Figure of gene_calibration"


use rule present_gene_expression as present_m_sensitivity with:
    input:
        metrics=f"{RESULTS}/m_sensitivity/metrics.tsv",
        code=code_behind("present_genes"),
    output:
        consensus_pca_table=f"{RESULTS}/m_sensitivity/tables/consensus_pca.tsv",
        consensus_ge_table=f"{RESULTS}/m_sensitivity/tables/consensus_ge.tsv",
        m_sensitivity=report(
            multiext(f"{RESULTS}/m_sensitivity/figures/m_sensitivity", *FIGURE_TYPES),
            caption="../report/m_sensitivity_m_sensitivity.rst",
            category="Viswanath 2012",
            subcategory="m_sensitivity",
            labels={"figure": "m sensitivity"},
        ),
    log:
        f"results/logs/{STUDY}/present_m_sensitivity.log",
    message:
        "Tables and figure of m_sensitivity"


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
        "A table of gene expression to try the experiments on"
    script:
        "../scripts/write_example_table.py"

# Tomo and Yoneoka 2025: median consensus embedding. The first rules make the pool of t-SNE runs that all share.
rule embed_runs:
    input:
        code=code_behind("embed_runs"),
    output:
        runs=f"{RESULTS}/embeddings/{{implementation}}/runs_{{start}}-{{stop}}.npz",
    log:
        f"results/logs/{STUDY}/embed_runs/{{implementation}}_{{start}}-{{stop}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/embeddings/{{implementation}}_{{start}}-{{stop}}.tsv"
    wildcard_constraints:
        implementation="exact|barnes_hut|scikit-learn|scikit-learn-fine",
        start=r"\d+",
        stop=r"\d+",
    priority: LONG
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        seed=config["seed"],
        n_samples=config["digits"]["n_samples"],
        perplexity=config["tsne"]["perplexity"],
        learning_rate=config["tsne"]["learning_rate"],
        early_exaggeration=config["tsne"]["early_exaggeration"],
        max_iter=config["tsne"]["max_iter"],
    message:
        "t-SNE ({wildcards.implementation}) of the digits: runs {wildcards.start} to {wildcards.stop}"
    script:
        "../scripts/embed_runs.py"


rule gather_runs:
    input:
        chunks=expand(f"{POOL}/runs_{{chunk}}.npz", chunk=POOL_CHUNKS),
        code=code_behind("gather_runs"),
    output:
        pool=f"{POOL}/pool.npz",
        gram=f"{POOL}/gram.npy",
    log:
        f"results/logs/{STUDY}/gather_runs.log",
    benchmark:
        f"{RESULTS}/benchmarks/embeddings/gather_runs.tsv"
    priority: LONG
    conda:
        "../../environment.yml"
    threads: 4 * WORKERS if WORKERS > 1 else 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        normalize=config["median_consensus"]["normalize"],
    message:
        "Inner products between all runs of the pool"
    script:
        "../scripts/gather_runs.py"


rule run_tsne_equivalence:
    input:
        # Scikit-learn's runs take several times longer, so fewer go into a job.
        runs=[
            f"{RESULTS}/embeddings/{implementation}/runs_{chunk}.npz"
            for implementation, n_runs in EQUIVALENCE_RUNS.items()
            for chunk in chunks(n_runs, max(1, config["tsne"]["runs_per_job"] // 10))
        ],
        code=code_behind("run_tsne_equivalence"),
    output:
        metrics=f"{RESULTS}/tsne_equivalence/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_tsne_equivalence.log",
    benchmark:
        f"{RESULTS}/benchmarks/tsne_equivalence/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        seed=config["seed"],
        n_samples=config["digits"]["n_samples"],
        median_consensus=only("median_consensus", "tolerance", "max_iter"),
    message:
        "Compare both kernels of our t-SNE with scikit-learn's"
    script:
        "../scripts/run_tsne_equivalence.py"


rule run_mce_convergence:
    input:
        pool=f"{POOL}/pool.npz",
        gram=f"{POOL}/gram.npy",
        code=code_behind("run_mce_convergence"),
    output:
        metrics=f"{RESULTS}/mce_convergence/metrics.tsv",
        pictures=f"{RESULTS}/mce_convergence/pictures.npz",
    log:
        f"results/logs/{STUDY}/run_mce_convergence.log",
    benchmark:
        f"{RESULTS}/benchmarks/mce_convergence/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seed=config["seed"],
        n_samples=config["digits"]["n_samples"],
        median_consensus=without("median_consensus", "normalize"),
        parameters=config["mce_convergence"],
    message:
        "Distances to the reference and between repetitions, against the number of runs"
    script:
        "../scripts/run_mce_convergence.py"


rule run_mce_tail:
    input:
        gram=f"{POOL}/gram.npy",
        code=code_behind("run_mce_tail"),
    output:
        metrics=f"{RESULTS}/mce_tail/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_mce_tail.log",
    benchmark:
        f"{RESULTS}/benchmarks/mce_tail/run.tsv"
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        n_samples=config["digits"]["n_samples"],
        median_consensus=only("median_consensus", "tolerance", "max_iter"),
        reference_runs=REFERENCE_RUNS,
        parameters=config["mce_tail"],
    message:
        "Probability of a deviation from the reference, against the number of runs"
    script:
        "../scripts/run_mce_tail.py"


rule run_consensus_comparison:
    input:
        pool=f"{POOL}/pool.npz",
        gram=f"{POOL}/gram.npy",
        code=code_behind("run_consensus_comparison"),
    output:
        metrics=f"{RESULTS}/consensus_comparison/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_consensus_comparison.log",
    benchmark:
        f"{RESULTS}/benchmarks/consensus_comparison/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seed=config["seed"],
        n_samples=config["digits"]["n_samples"],
        tsne=without("tsne", "runs_per_job"),
        median_consensus=config["median_consensus"],
        reference_runs=REFERENCE_RUNS,
        parameters=config["consensus_comparison"],
        # The perplexities that multiscale t-SNE joins.
        perplexities=config["mce_extensions"]["perplexities"],
    message:
        "Combine the same runs in other ways"
    script:
        "../scripts/run_consensus_comparison.py"


rule embed_extension:
    input:
        code=code_behind("embed_extension"),
    output:
        runs=f"{EXTENSIONS}/runs/{{kind}}_{{repetition}}.npz",
    log:
        f"results/logs/{STUDY}/embed_extension/{{kind}}_{{repetition}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/mce_extensions/{{kind}}_{{repetition}}.tsv"
    wildcard_constraints:
        kind="perplexity|multiscale|umap|imputation",
        repetition=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        n_samples=config["digits"]["n_samples"],
        tsne=without("tsne", "runs_per_job"),
        parameters=without("mce_extensions", "kinds", "repetitions", "normalize"),
    message:
        "Runs over {wildcards.kind}, repetition {wildcards.repetition}"
    script:
        "../scripts/embed_extension.py"


rule run_mce_extensions:
    input:
        runs=expand(
            f"{EXTENSIONS}/runs/{{kind}}_{{repetition}}.npz",
            kind=config["mce_extensions"]["kinds"],
            repetition=range(config["mce_extensions"]["repetitions"]),
        ),
        code=code_behind("run_mce_extensions"),
    output:
        metrics=f"{EXTENSIONS}/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_mce_extensions.log",
    benchmark:
        f"{RESULTS}/benchmarks/mce_extensions/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        n_samples=config["digits"]["n_samples"],
        median_consensus=only("median_consensus", "tolerance", "max_iter", "mds"),
        parameters=config["mce_extensions"],
        n_neighbors=config["consensus_comparison"]["n_neighbors"],
    message:
        "Median consensus over perplexities, UMAP runs, imputed data"
    script:
        "../scripts/run_mce_extensions.py"


rule run_mce_cost:
    input:
        code=code_behind("run_mce_cost"),
    output:
        metrics=f"{RESULTS}/mce_cost/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_mce_cost.log",
    benchmark:
        f"{RESULTS}/benchmarks/mce_cost/run.tsv"
    conda:
        "../../environment.yml"
    # Alone, so that no other job is timed with it.
    threads: ALL_CORES
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        seed=config["seed"],
        parameters=config["mce_cost"],
    message:
        "Time median consensus over the numbers of runs and points"
    script:
        "../scripts/run_mce_cost.py"

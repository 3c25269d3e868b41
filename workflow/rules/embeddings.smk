# t-SNE runs of the digits, in chunks; the pool that the median consensus experiments share.
from replication.papers.tomo2025.pools import pool_size

REFERENCE_RUNS, OUTSIDE_RUNS = pool_size(config)
POOL = f"{RESULTS}/embeddings/{config['tsne']['implementation']}"
POOL_CHUNKS = chunks(REFERENCE_RUNS + OUTSIDE_RUNS, config["tsne"]["runs_per_job"])


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
        implementation="exact|scikit-learn|scikit-learn-fine",
        start=r"\d+",
        stop=r"\d+",
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
    conda:
        "../../environment.yml"
    threads: 4 * WORKERS if WORKERS > 1 else 1
    resources:
        mem_mb=4000,
        runtime=60,
    message:
        "Inner products between all runs of the pool"
    script:
        "../scripts/gather_runs.py"

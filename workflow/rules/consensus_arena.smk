# Of no paper: which consensus should one use?
rule score_arena:
    input:
        unpack(arena_files),
        code=code_behind("score_arena"),
    output:
        scores=f"{ARENA_PARTS}/{{kind}}_{{data}}.tsv",
        # What an added method combines.
        pools=f"{ARENA_PARTS}/{{kind}}_{{data}}.npz",
    log:
        f"results/logs/{STUDY}/score_arena/{{kind}}_{{data}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/consensus_arena/{{kind}}_{{data}}.tsv"
    wildcard_constraints:
        kind="tsne|umap|perplexity|imputation|subsets|kappa",
        data="|".join(map(re.escape, ARENA_DATA)),
    priority: LONG
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        seed=config["seed"],
        about=arena_about,
        settings=arena_settings,
        tsne=arena_tsne,
        options=arena_options,
        sizes=only("consensus_arena", "repetitions", "n_embeddings"),
        n_neighbors=ARENA["n_neighbors"],
    message:
        "Combine {wildcards.kind} embeddings of {wildcards.data} by every method"
    script:
        "../scripts/score_arena.py"


rule run_consensus_arena:
    input:
        parts=[f"{ARENA_PARTS}/{kind}_{name}.tsv" for kind, name in ARENA_INPUTS],
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/consensus_arena/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_consensus_arena.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all inputs"
    script:
        "../scripts/gather_parts.py"

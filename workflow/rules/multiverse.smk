# All papers: one claim under many choices of what the papers leave open.
rule score_universes:
    input:
        unpack(universe_files),
        claims=config["claims"],
        choices="config/choices.tsv",
        schema="workflow/schemas/config.schema.yaml",
        code=universe_code,
    output:
        scores=f"{MULTIVERSE}/parts/{{family}}_{{start}}-{{stop}}.tsv",
    log:
        f"results/logs/{STUDY}/score_universes/{{family}}_{{start}}-{{stop}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/multiverse/{{family}}_{{start}}-{{stop}}.tsv"
    wildcard_constraints:
        family="|".join(FAMILIES),
        start=r"\d+",
        stop=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        seed=config["seed"],
        base=universe_base,
        n_universes=config["multiverse"]["n_universes"],
    message:
        "Universes {wildcards.start} to {wildcards.stop} of {wildcards.family}"
    script:
        "../scripts/score_universes.py"


rule run_multiverse:
    input:
        parts=expand(
            f"{MULTIVERSE}/parts/{{family}}_{{chunk}}.tsv",
            family=FAMILIES,
            chunk=UNIVERSE_CHUNKS,
        ),
        code=code_behind("run_multiverse"),
    output:
        metrics=f"{MULTIVERSE}/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_multiverse.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the universes of all families"
    script:
        "../scripts/run_multiverse.py"

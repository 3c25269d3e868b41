# All papers: one claim under many choices of what the papers leave open.
rule run_universes:
    input:
        unpack(universe_files),
        choices="config/choices.tsv",
        schema="workflow/schemas/config.schema.yaml",
        code=universe_code,
    output:
        universes=f"{MULTIVERSE}/parts/{{family}}_{{start}}-{{stop}}.json.gz",
    log:
        f"results/logs/{STUDY}/run_universes/{{family}}_{{start}}-{{stop}}.log",
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
        "../scripts/run_universes.py"


rule run_multiverse:
    input:
        parts=expand(
            f"{MULTIVERSE}/parts/{{family}}_{{chunk}}.json.gz",
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
    threads: WORKERS
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        families=[family for family in FAMILIES for _ in UNIVERSE_CHUNKS],
        claims=UNIVERSE_CLAIMS,
    message:
        "Judge the claims in the universes of all families"
    script:
        "../scripts/run_multiverse.py"

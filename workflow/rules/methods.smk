# Methods that the configuration adds: first their contract, then their scores. Nothing else depends on these but the
# tables and figures that show them.
rule verify_method:
    input:
        method=method_files,
        code=code_behind("verify_method"),
    output:
        checked=CHECKED_METHOD,
    log:
        f"results/logs/{STUDY}/verify_method/{{method}}.log",
    wildcard_constraints:
        method=r"\w+",
    # Before anything that takes long.
    priority: 100
    conda:
        "../../environment.yml"
    resources:
        runtime=10,
    params:
        method=method_item,
    message:
        "Check the contract of the added method {wildcards.method}"
    script:
        "../scripts/verify_method.py"


rule score_added:
    input:
        unpack(added_files),
        checked=CHECKED_METHOD,
        method=method_files,
        code=adding_code,
    output:
        scores=ADDED_SCORES,
    log:
        f"results/logs/{STUDY}/score_added/{{experiment}}/{{method}}/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{experiment}}/added_{{method}}_{{part}}.tsv"
    wildcard_constraints:
        experiment="|".join(ADDED),
        method=r"\w+",
        part="[^/]+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        seed=config["seed"],
        function=function_that_adds,
        method=method_item,
        settings=added_settings,
    message:
        "Score the added method {wildcards.method} in {wildcards.experiment}, {wildcards.part}"
    script:
        "../scripts/score_added.py"

# Sparks 2011: out-of-sample extrapolation, and retrieval by class.
rule run_retrieval_substitute:
    input:
        code=code_behind("run_retrieval_substitute"),
    output:
        metrics=f"{RESULTS}/retrieval_substitute/metrics.tsv",
        picks=f"{RESULTS}/retrieval_substitute/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_retrieval_substitute.log",
    benchmark:
        f"{RESULTS}/benchmarks/retrieval_substitute/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        seed=config["seed"],
        grid=only("out_of_sample", "floor", "eigenvectors", "nystroem"),
        query=config["out_of_sample"]["query"],
        simulator=config["glands"],
        configured=RETRIEVAL_SETTINGS,
        parameters=config["retrieval_substitute"],
    message:
        "Set the radius of the roll and the difficulty of glands and digits by the paper's baseline"
    script:
        "../scripts/run_retrieval_substitute.py"


rule run_retrieval_calibration:
    input:
        code=code_behind("run_retrieval_calibration"),
    output:
        metrics=f"{RESULTS}/retrieval_calibration/metrics.tsv",
        picks=f"{RESULTS}/retrieval_calibration/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_retrieval_calibration.log",
    benchmark:
        f"{RESULTS}/benchmarks/retrieval_calibration/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        seed=config["seed"],
        grid=only("out_of_sample", "floor", "eigenvectors", "nystroem"),
        simulator=config["glands"],
        configured=RETRIEVAL_SETTINGS,
        parameters=config["retrieval_calibration"],
    message:
        "Try the choices on rolls, glands and digits of their own"
    script:
        "../scripts/run_retrieval_calibration.py"


rule score_swiss_roll:
    input:
        code=code_behind("score_swiss_roll"),
    output:
        scores=f"{RESULTS}/swiss_roll/parts/draws_{{start}}-{{stop}}.tsv",
    log:
        f"results/logs/{STUDY}/score_swiss_roll/{{start}}-{{stop}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/swiss_roll/draws_{{start}}-{{stop}}.tsv"
    wildcard_constraints:
        start=r"\d+",
        stop=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        seed=config["seed"],
        grid=config["out_of_sample"],
        parameters=config["swiss_roll"],
    message:
        "Extrapolate the Swiss roll: draws {wildcards.start} to {wildcards.stop}"
    script:
        "../scripts/score_swiss_roll.py"


rule run_swiss_roll:
    input:
        parts=[
            f"{RESULTS}/swiss_roll/parts/draws_{draws}.tsv"
            for draws in shares(config["out_of_sample"]["draws"])
        ],
        code=code_behind("run_swiss_roll"),
    output:
        metrics=f"{RESULTS}/swiss_roll/metrics.tsv",
        pictures=f"{RESULTS}/swiss_roll/pictures.npz",
    log:
        f"results/logs/{STUDY}/run_swiss_roll.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        grid=config["out_of_sample"],
        parameters=config["swiss_roll"],
    message:
        "Gather the scores of all rolls, and draw the first"
    script:
        "../scripts/run_swiss_roll.py"


rule score_gland_retrieval:
    input:
        table=items_file,
        code=code_behind("score_gland_retrieval"),
    output:
        scores=f"{RESULTS}/gland_retrieval/parts/{{set}}.tsv",
        pictures=f"{RESULTS}/gland_retrieval/parts/{{set}}_pictures.npz",
        queries=f"{RESULTS}/gland_retrieval/tables/queries_{{set}}.tsv",
    log:
        f"results/logs/{STUDY}/score_gland_retrieval/{{set}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/gland_retrieval/score_{{set}}.tsv"
    wildcard_constraints:
        set="|".join(RETRIEVAL_SETS),
    priority: LONG
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        seed=config["seed"],
        grid=config["out_of_sample"],
        simulator=retrieval_simulator,
        parameters=retrieval_parameters,
        own=own_items,
    message:
        "Retrieve by class, {wildcards.set}"
    script:
        "../scripts/score_gland_retrieval.py"


rule run_gland_retrieval:
    input:
        parts=expand(f"{RESULTS}/gland_retrieval/parts/{{set}}.tsv", set=RETRIEVAL_SETS),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/gland_retrieval/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_gland_retrieval.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores of all data sets"
    script:
        "../scripts/gather_parts.py"


rule run_extrapolation_runtime:
    input:
        code=code_behind("run_extrapolation_runtime"),
    output:
        metrics=f"{RESULTS}/extrapolation_runtime/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_extrapolation_runtime.log",
    benchmark:
        f"{RESULTS}/benchmarks/extrapolation_runtime/run.tsv"
    conda:
        "../../environment.yml"
    # Alone, so that no other job is timed with it.
    threads: ALL_CORES
    resources:
        mem_mb=6000,
        runtime=60,
    params:
        seed=config["seed"],
        roll=only("swiss_roll", "split", "n_components", "sigma", "radius"),
        parameters=config["extrapolation_runtime"],
    message:
        "Time extrapolation against a new embedding"
    script:
        "../scripts/run_extrapolation_runtime.py"


rule write_example_items:
    output:
        table="results/example/items.tsv",
        dissimilarities="results/example/dissimilarities.tsv",
    log:
        "results/logs/example_items.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    message:
        "Write items with a few labels to try the retrieval on"
    script:
        "../scripts/write_example_items.py"

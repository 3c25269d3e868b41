# Tiwari 2008: C-LLE on MR spectra of the prostate. The first rules make what its experiments share.
rule simulate_spectra:
    input:
        code=code_behind("simulate_spectra"),
    output:
        evaluation=f"{SPECTRA}/{{condition}}_evaluation.npz",
        training=f"{SPECTRA}/{{condition}}_training.npz",
    log:
        f"results/logs/{STUDY}/simulate_spectra/{{condition}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra/simulate_{{condition}}.tsv"
    wildcard_constraints:
        condition=r"main|draw_\d+|noise_.+",
    group:
        "simulate"
    conda:
        "../../environment.yml"
    resources:
        runtime=10,
    params:
        seed=config["seed"],
        parameters=config["prostate_mrsi"],
        n_studies=simulated_studies,
        condition=simulated_condition,
    message:
        "Simulate MR spectra, {wildcards.condition}"
    script:
        "../scripts/simulate_spectra.py"


rule read_spectra:
    input:
        files=[
            item[key]
            for item in OWN_SPECTRA.values()
            for key in OWN_STUDY
            if key in item
        ],
        code=code_behind("read_spectra"),
    output:
        evaluation=f"{SPECTRA}/own_evaluation.npz",
        training=f"{SPECTRA}/own_training.npz",
    log:
        f"results/logs/{STUDY}/read_spectra.log",
    conda:
        "../../environment.yml"
    params:
        studies=list(OWN_SPECTRA.values()),
    message:
        "Read your own MR spectra"
    script:
        "../scripts/read_spectra.py"


rule run_spectra_substitute:
    input:
        code=code_behind("run_spectra_substitute"),
    output:
        metrics=f"{RESULTS}/spectra_substitute/metrics.tsv",
        picks=f"{RESULTS}/spectra_substitute/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_spectra_substitute.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra_substitute/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        simulator=config["prostate_mrsi"],
        settings=config["spectra_embedding"],
        parameters=config["spectra_substitute"],
    message:
        "Set contrast and noise of the simulated spectra by the paper's baselines"
    script:
        "../scripts/run_spectra_substitute.py"


rule run_spectra_calibration:
    input:
        training=f"{SPECTRA}/{SPECTRA_BASE}_training.npz",
        code=code_behind("run_spectra_calibration"),
    output:
        metrics=f"{RESULTS}/spectra_calibration/metrics.tsv",
        picks=f"{RESULTS}/spectra_calibration/tables/picks.tsv",
    log:
        f"results/logs/{STUDY}/run_spectra_calibration.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra_calibration/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        dataset=SPECTRA_DATASET,
        source=SPECTRA_SOURCE,
        settings=config["spectra_embedding"],
        parameters=config["spectra_calibration"],
    message:
        "Try the choices on the training studies"
    script:
        "../scripts/run_spectra_calibration.py"


rule score_spectra:
    input:
        evaluation=f"{SPECTRA}/{{condition}}_evaluation.npz",
        training=f"{SPECTRA}/{{condition}}_training.npz",
        code=code_behind("score_spectra"),
    output:
        scores=f"{RESULTS}/spectra_methods/parts/{{condition}}.tsv",
        pictures=f"{RESULTS}/spectra_methods/parts/{{condition}}_pictures.npz",
    log:
        f"results/logs/{STUDY}/score_spectra/{{condition}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra_methods/score_{{condition}}.tsv"
    wildcard_constraints:
        condition="|".join(re.escape(name) for name in SPECTRA_CONDITIONS),
    group:
        "score"
    conda:
        "../../environment.yml"
    resources:
        runtime=10,
    params:
        seed=config["seed"],
        dataset=SPECTRA_DATASET,
        source=SPECTRA_SOURCE,
        settings=config["spectra_embedding"],
        condition=spectra_condition,
        parameters=config["prostate_mrsi"],
        map_study=config["spectra_methods"]["map_study"],
    message:
        "Call cancer by every method, {wildcards.condition}"
    script:
        "../scripts/score_spectra.py"


rule run_spectra_methods:
    input:
        parts=expand(
            f"{RESULTS}/spectra_methods/parts/{{condition}}.tsv",
            condition=SPECTRA_CONDITIONS,
        ),
        code=code_behind("gather_parts"),
    output:
        metrics=f"{RESULTS}/spectra_methods/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_spectra_methods.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores under all conditions"
    script:
        "../scripts/gather_parts.py"


rule run_spectra_dimensions:
    input:
        evaluation=f"{SPECTRA}/{SPECTRA_BASE}_evaluation.npz",
        training=f"{SPECTRA}/{SPECTRA_BASE}_training.npz",
        code=code_behind("run_spectra_dimensions"),
    output:
        metrics=f"{RESULTS}/spectra_dimensions/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_spectra_dimensions.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra_dimensions/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        dataset=SPECTRA_DATASET,
        source=SPECTRA_SOURCE,
        settings=config["spectra_embedding"],
        parameters=config["spectra_dimensions"],
    message:
        "C-LLE and LLE over the dimension of the embedding"
    script:
        "../scripts/run_spectra_dimensions.py"


rule run_spectra_stability:
    input:
        draws=expand(
            f"{SPECTRA}/{{name}}_evaluation.npz", name=[SPECTRA_BASE, *SPECTRA_DRAWS]
        ),
        training=f"{SPECTRA}/{SPECTRA_BASE}_training.npz",
        code=code_behind("run_spectra_stability"),
    output:
        metrics=f"{RESULTS}/spectra_stability/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_spectra_stability.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra_stability/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        dataset=SPECTRA_DATASET,
        source=SPECTRA_SOURCE,
        settings=config["spectra_embedding"],
        parameters=config["spectra_stability"],
    message:
        "Spread over kappa, noise and the starts of k-means"
    script:
        "../scripts/run_spectra_stability.py"


rule run_spectra_components:
    input:
        evaluation=f"{SPECTRA}/{SPECTRA_BASE}_evaluation.npz",
        training=f"{SPECTRA}/{SPECTRA_BASE}_training.npz",
        code=code_behind("run_spectra_components"),
    output:
        metrics=f"{RESULTS}/spectra_components/metrics.tsv",
        pictures=f"{RESULTS}/spectra_components/pictures.npz",
    log:
        f"results/logs/{STUDY}/run_spectra_components.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectra_components/run.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    params:
        seed=config["seed"],
        dataset=SPECTRA_DATASET,
        source=SPECTRA_SOURCE,
        settings=config["spectra_embedding"],
        parameters=config["spectra_components"],
        n_studies=None if OWN_SPECTRA else config["spectra"]["n_varied"],
        map_study=config["spectra_methods"]["map_study"],
    message:
        "Independent components of the clusters called cancer"
    script:
        "../scripts/run_spectra_components.py"


rule write_example_spectra:
    output:
        tables=expand(
            "results/example/spectra_{name}.tsv",
            name=["first", "second", "third", "fourth"],
        ),
    log:
        "results/logs/example_spectra.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        parameters=config["prostate_mrsi"],
    message:
        "Write studies of MR spectra to try the experiments on"
    script:
        "../scripts/write_example_spectra.py"

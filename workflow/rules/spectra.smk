# Tiwari 2008: C-LLE on MR spectra of the prostate. One target per experiment; the first rules make what they share.
import re

SPECTRA_STUDIES = {
    "evaluation": config["spectra"]["n_studies"],
    "training": config["spectra"]["n_training"],
}


localrules:
    spectra_calibration,
    spectra_methods,
    spectra_dimensions,
    spectra_stability,
    spectra_components,


rule spectra_calibration:
    input:
        metrics=f"{RESULTS}/spectra_calibration/metrics.tsv",
        figure=expand(
            f"{RESULTS}/spectra_calibration/figures/{{name}}.png",
            name=["calibration"],
        ),
        table=expand(
            f"{RESULTS}/spectra_calibration/tables/{{name}}.tsv",
            name=["picks"],
        ),
    message:
        "Choices for spectra: done"


rule spectra_methods:
    input:
        metrics=f"{RESULTS}/spectra_methods/metrics.tsv",
        figure=expand(
            f"{RESULTS}/spectra_methods/figures/{{name}}.png",
            name=["methods", "maps", "typical", "sweep"],
        ),
        table=expand(
            f"{RESULTS}/spectra_methods/tables/{{name}}.tsv",
            name=["table_1a", "sweep", "studies", "ratios"],
        ),
    message:
        "Methods on spectra: done"


rule spectra_dimensions:
    input:
        metrics=f"{RESULTS}/spectra_dimensions/metrics.tsv",
        figure=expand(
            f"{RESULTS}/spectra_dimensions/figures/{{name}}.png",
            name=["dimensions"],
        ),
        table=expand(
            f"{RESULTS}/spectra_dimensions/tables/{{name}}.tsv",
            name=["table_1b"],
        ),
    message:
        "C-LLE over the dimension: done"


rule spectra_stability:
    input:
        metrics=f"{RESULTS}/spectra_stability/metrics.tsv",
        figure=expand(
            f"{RESULTS}/spectra_stability/figures/{{name}}.png",
            name=["kappa", "spread"],
        ),
        table=expand(
            f"{RESULTS}/spectra_stability/tables/{{name}}.tsv",
            name=["stability"],
        ),
    message:
        "Stability of C-LLE: done"


rule spectra_components:
    input:
        metrics=f"{RESULTS}/spectra_components/metrics.tsv",
        figure=expand(
            f"{RESULTS}/spectra_components/figures/{{name}}.png",
            name=["components"],
        ),
        table=expand(
            f"{RESULTS}/spectra_components/tables/{{name}}.tsv",
            name=["correlations"],
        ),
    message:
        "Components of the cancer cluster: done"


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
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        parameters=config["prostate_mrsi"],
        n_studies=SPECTRA_STUDIES,
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
            for key in ("table", "nifti", "mask", "box", "truth")
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
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        studies=list(OWN_SPECTRA.values()),
    message:
        "Read your own MR spectra"
    script:
        "../scripts/read_spectra.py"


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
    resources:
        mem_mb=2000,
        runtime=30,
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
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
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
        code=code_behind("run_spectra_methods"),
    output:
        metrics=f"{RESULTS}/spectra_methods/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_spectra_methods.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the scores under all conditions"
    script:
        "../scripts/run_spectra_methods.py"


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
    resources:
        mem_mb=2000,
        runtime=30,
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
    resources:
        mem_mb=2000,
        runtime=30,
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
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        dataset=SPECTRA_DATASET,
        source=SPECTRA_SOURCE,
        settings=config["spectra_embedding"],
        parameters=config["spectra_components"],
        map_study=config["spectra_methods"]["map_study"],
    message:
        "Independent components of the clusters called cancer"
    script:
        "../scripts/run_spectra_components.py"


rule present_spectra_methods:
    input:
        metrics=f"{RESULTS}/spectra_methods/metrics.tsv",
        pictures=f"{RESULTS}/spectra_methods/parts/{SPECTRA_BASE}_pictures.npz",
        code=code_behind("present_spectra"),
    output:
        table_1a_table=f"{RESULTS}/spectra_methods/tables/table_1a.tsv",
        sweep_table=f"{RESULTS}/spectra_methods/tables/sweep.tsv",
        studies_table=f"{RESULTS}/spectra_methods/tables/studies.tsv",
        ratios_table=f"{RESULTS}/spectra_methods/tables/ratios.tsv",
        methods=report(
            multiext(f"{RESULTS}/spectra_methods/figures/methods", *FIGURE_TYPES),
            caption="../report/spectra_methods_methods.rst",
            category="Tiwari 2008",
            subcategory="spectra_methods",
            labels={"figure": "methods"},
        ),
        maps=report(
            multiext(f"{RESULTS}/spectra_methods/figures/maps", *FIGURE_TYPES),
            caption="../report/spectra_methods_maps.rst",
            category="Tiwari 2008",
            subcategory="spectra_methods",
            labels={"figure": "maps"},
        ),
        typical=report(
            multiext(f"{RESULTS}/spectra_methods/figures/typical", *FIGURE_TYPES),
            caption="../report/spectra_methods_typical.rst",
            category="Tiwari 2008",
            subcategory="spectra_methods",
            labels={"figure": "typical"},
        ),
        sweep=report(
            multiext(f"{RESULTS}/spectra_methods/figures/sweep", *FIGURE_TYPES),
            caption="../report/spectra_methods_sweep.rst",
            category="Tiwari 2008",
            subcategory="spectra_methods",
            labels={"figure": "sweep"},
        ),
    log:
        f"results/logs/{STUDY}/present_spectra_methods.log",
    conda:
        "../../environment.yml"
    message:
        "Tables and figures of spectra_methods"
    script:
        "../scripts/present_spectra.py"


use rule present_spectra_methods as present_spectra_calibration with:
    input:
        metrics=f"{RESULTS}/spectra_calibration/metrics.tsv",
        picks=f"{RESULTS}/spectra_calibration/tables/picks.tsv",
        code=code_behind("present_spectra"),
    output:
        calibration=report(
            multiext(
                f"{RESULTS}/spectra_calibration/figures/calibration", *FIGURE_TYPES
            ),
            caption="../report/spectra_calibration_calibration.rst",
            category="Tiwari 2008",
            subcategory="spectra_calibration",
            labels={"figure": "calibration"},
        ),
    log:
        f"results/logs/{STUDY}/present_spectra_calibration.log",
    message:
        "Tables and figures of spectra_calibration"


use rule present_spectra_methods as present_spectra_dimensions with:
    input:
        metrics=f"{RESULTS}/spectra_dimensions/metrics.tsv",
        code=code_behind("present_spectra"),
    output:
        table_1b_table=f"{RESULTS}/spectra_dimensions/tables/table_1b.tsv",
        dimensions=report(
            multiext(
                f"{RESULTS}/spectra_dimensions/figures/dimensions", *FIGURE_TYPES
            ),
            caption="../report/spectra_dimensions_dimensions.rst",
            category="Tiwari 2008",
            subcategory="spectra_dimensions",
            labels={"figure": "dimensions"},
        ),
    log:
        f"results/logs/{STUDY}/present_spectra_dimensions.log",
    message:
        "Tables and figures of spectra_dimensions"


use rule present_spectra_methods as present_spectra_stability with:
    input:
        metrics=f"{RESULTS}/spectra_stability/metrics.tsv",
        code=code_behind("present_spectra"),
    output:
        stability_table=f"{RESULTS}/spectra_stability/tables/stability.tsv",
        kappa=report(
            multiext(f"{RESULTS}/spectra_stability/figures/kappa", *FIGURE_TYPES),
            caption="../report/spectra_stability_kappa.rst",
            category="Tiwari 2008",
            subcategory="spectra_stability",
            labels={"figure": "kappa"},
        ),
        spread=report(
            multiext(f"{RESULTS}/spectra_stability/figures/spread", *FIGURE_TYPES),
            caption="../report/spectra_stability_spread.rst",
            category="Tiwari 2008",
            subcategory="spectra_stability",
            labels={"figure": "spread"},
        ),
    log:
        f"results/logs/{STUDY}/present_spectra_stability.log",
    message:
        "Tables and figures of spectra_stability"


use rule present_spectra_methods as present_spectra_components with:
    input:
        metrics=f"{RESULTS}/spectra_components/metrics.tsv",
        pictures=f"{RESULTS}/spectra_components/pictures.npz",
        code=code_behind("present_spectra"),
    output:
        correlations_table=f"{RESULTS}/spectra_components/tables/correlations.tsv",
        components=report(
            multiext(
                f"{RESULTS}/spectra_components/figures/components", *FIGURE_TYPES
            ),
            caption="../report/spectra_components_components.rst",
            category="Tiwari 2008",
            subcategory="spectra_components",
            labels={"figure": "components"},
        ),
    log:
        f"results/logs/{STUDY}/present_spectra_components.log",
    message:
        "Tables and figures of spectra_components"


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
        "Studies of MR spectra to try the experiments on"
    script:
        "../scripts/write_example_spectra.py"

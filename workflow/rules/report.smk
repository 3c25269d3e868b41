# From metrics to verdicts, report and plan.
import os

METRICS = expand(
    f"{RESULTS}/{{experiment}}/metrics.tsv", experiment=config["experiments"]
)


localrules:
    all,
    plan,


rule judge_claims:
    input:
        claims="config/claims.tsv",
        metrics=METRICS,
        code=library(
            "claims",
            "comparison_judges",
            "gene_judges",
            "spectra_judges",
            "retrieval_judges",
            "retrieval_cells",
            "retrieval_values",
            "fine_judges",
            "fine_set_judges",
            "fine_values",
        ),
    output:
        ledger=report(
            f"{RESULTS}/claims.tsv",
            caption="../report/claims.rst",
            category="Verdicts",
        ),
    log:
        f"results/logs/{STUDY}/judge_claims.log",
    conda:
        "../../environment.yml"
    message:
        "Judge the claims"
    script:
        "../scripts/judge_claims.py"


rule write_report:
    input:
        ledger=f"{RESULTS}/claims.tsv",
        choices="config/choices.tsv",
        metrics=METRICS,
        figures=[
            getattr(rules, experiment).input.figure
            for experiment in config["experiments"]
        ],
        tables=[
            getattr(rules, experiment).input.table
            for experiment in config["experiments"]
        ],
        captions=[
            f"workflow/report/{experiment}.rst" for experiment in config["experiments"]
        ],
        template="workflow/report/report.html.j2",
        code=library(
            "report",
            "tables",
            "findings",
            "gene_findings",
            "spectra_findings",
            "spectra_tables",
            "spectra_values",
            "retrieval_findings",
            "retrieval_tables",
            "retrieval_values",
            "fine_findings",
            "fine_sets",
            "fine_tables",
            "fine_values",
        ),
    output:
        report=f"{RESULTS}/report.html",
        summary=f"{RESULTS}/summary.txt",
    log:
        f"results/logs/{STUDY}/write_report.log",
    conda:
        "../../environment.yml"
    params:
        study=STUDY,
        experiments=config["experiments"],
        configfile=os.path.relpath(workflow.configfiles[0]),
    message:
        "Write the report"
    script:
        "../scripts/write_report.py"


# The options that chose this configuration, to ask Snakemake about the same study again.
CONFIGURATION = []
if workflow.overwrite_configfiles:
    CONFIGURATION += ["--configfile", *map(str, workflow.overwrite_configfiles)]
if workflow.config_settings.config_args:
    CONFIGURATION += ["--config", *workflow.config_settings.config_args]


rule plan:
    input:
        timings="resources/timings.tsv",
    log:
        f"results/logs/{STUDY}/plan.log",
    conda:
        "../../environment.yml"
    # As many as the run has: Snakemake cuts it down.
    threads: 1000
    params:
        configuration=CONFIGURATION,
        pool=REFERENCE_RUNS + OUTSIDE_RUNS,
    message:
        "What would run, how long it takes here, how much it downloads"
    script:
        "../scripts/print_plan.py"

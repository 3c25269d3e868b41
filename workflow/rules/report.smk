# From metrics to verdicts, report and plan.
import os

from replication.catalogue.estimates import on_machine
from replication.platform.command_line import without_data

JUDGEMENT = {
    "ledger": f"{RESULTS}/claims.tsv",
    "rows": f"{RESULTS}/claim_rows.tsv",
}
# The sizes of the quick study prove that everything runs, and nothing more: its report shows the committed results of the
# paper-scale study next to its own.
PAPER_SCALE = {
    "paper_ledger": "resources/paper/claims.tsv",
    "paper_pictures": [
        paper.answer.paper_scale for paper in papers.PAPERS.values() if paper.answer
    ],
}
# What the experiments of the study end with.
MADE = {
    "metrics": [f"{RESULTS}/{name}/metrics.tsv" for name in config["experiments"]],
    "figures": [getattr(rules, name).input.figure for name in config["experiments"]],
    "tables": [getattr(rules, name).input.table for name in config["experiments"]],
}
# How the verdicts depend on what the papers leave open, if the study asks.
SENSITIVITY = (
    [f"{RESULTS}/multiverse/tables/sensitivity.tsv"]
    if "multiverse" in config["experiments"]
    else []
)


localrules:
    all,
    compare,
    plan,
    timings,


rule judge_claims:
    input:
        claims=claim_files(config["claims"]),
        metrics=MADE["metrics"],
    output:
        ledger=report(
            JUDGEMENT["ledger"],
            caption="../report/claims.rst",
            category="Verdicts",
        ),
        rows=JUDGEMENT["rows"],
    log:
        f"results/logs/{STUDY}/judge_claims.log",
    conda:
        "../../environment.yml"
    params:
        code=code_behind("judge_claims"),
    message:
        "Judge the claims"
    script:
        "../scripts/judge_claims.py"


rule draw_ledger:
    input:
        ledger=JUDGEMENT["ledger"],
        sensitivity=SENSITIVITY,
    output:
        picture=report(
            f"{RESULTS}/ledger.png",
            caption="../report/ledger.rst",
            category="Verdicts",
        ),
        drawing=f"{RESULTS}/ledger.svg",
    log:
        f"results/logs/{STUDY}/draw_ledger.log",
    conda:
        "../../environment.yml"
    params:
        code=code_behind("draw_ledger"),
    message:
        "Draw the ledger"
    script:
        "../scripts/draw_ledger.py"


# The options that chose this configuration, to ask Snakemake about the same study again.
CONFIGURATION = []
if workflow.overwrite_configfiles:
    CONFIGURATION += [
        "--configfile",
        *map(os.path.relpath, workflow.overwrite_configfiles),
    ]
if workflow.config_settings.config_args:
    CONFIGURATION += ["--config", *workflow.config_settings.config_args]


rule write_report:
    input:
        **(JUDGEMENT if JUDGED else {}),
        **(PAPER_SCALE if JUDGED and config["sizes"] == "quick" else {}),
        **MADE,
        sensitivity=SENSITIVITY,
        choices="config/choices.tsv",
        template="workflow/report/report.html.j2",
        parts=sorted(
            str(path)
            for path in Path("workflow/report").glob("report*")
            if path.suffix in (".css", ".js", ".j2")
        ),
        glossary="workflow/report/glossary.yaml",
    output:
        report=report(
            f"{RESULTS}/report.html",
            caption="../report/report.rst",
            category="Verdicts",
        ),
        summary=f"{RESULTS}/summary.txt",
    log:
        f"results/logs/{STUDY}/write_report.log",
    conda:
        "../../environment.yml"
    params:
        code=code_behind("write_report"),
        study=STUDY,
        experiments=config["experiments"],
        own_only=sorted(
            name
            for name, experiment in EXPERIMENTS.items()
            if experiment.own_only(STUDIED)
        ),
        own_results=own_results_of_experiments(),
        manifest=f"{RESULTS}/manifest.json",
        records=f"results/logs/{STUDY}",
        configuration=without_data(CONFIGURATION),
    message:
        "Write the report"
    script:
        "../scripts/write_report.py"


rule plan:
    log:
        f"results/logs/{STUDY}/plan.log",
    conda:
        "../../environment.yml"
    threads: AT_A_TIME
    params:
        where=on_machine(AT_A_TIME, "--cores" if CORES else "--jobs"),
        configuration=CONFIGURATION,
        wide=WIDE,
        workers=WORKERS,
    message:
        "Show what would run, how long it takes here, and how much it downloads"
    script:
        "../scripts/print_plan.py"


rule compare:
    log:
        f"results/logs/{STUDY}/compare.log",
    conda:
        "../../environment.yml"
    params:
        # No input: what is not there is not to be made.
        results=RESULTS,
        sizes=config["sizes"],
        experiments=config["experiments"],
        judged=JUDGED,
        rows="resources/paper/rows",
        ledger="resources/paper/claims.tsv",
    message:
        "Compare the numbers and verdicts of {STUDY} with the committed ones"
    script:
        "../scripts/compare_study.py"


rule timings:
    log:
        f"results/logs/{STUDY}/timings.log",
    conda:
        "../../environment.yml"
    params:
        # No input: what is not there is not to be made.
        results=RESULTS,
        records=f"results/logs/{STUDY}",
        alone=ALONE,
        wide=WIDE if config["workers"] == "auto" else [],
    message:
        "Show how long {STUDY} took, and would take on more cores"
    script:
        "../scripts/print_timings.py"

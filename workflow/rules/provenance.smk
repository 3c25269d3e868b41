# From every result to its data: the manifest, and the audit that compares it with the files.
import copy

MANIFEST = f"{RESULTS}/manifest.json"
# Where files were looked for, and on how many cores jobs worked, changes no result.
RECORDED_CONFIGURATION = copy.deepcopy(config)
RECORDED_CONFIGURATION["data"].pop("mirrors", None)
RECORDED_CONFIGURATION.pop("workers")
# Results by their own name -> rule, to say of one without a record what to run again.
MAKERS = {
    str(path): rule.name
    for rule in workflow.rules
    for path in rule.output
    if path.startswith(f"{RESULTS}/") and "{" not in path
}


# They read small files that jobs left next to their logs.
localrules:
    write_manifest,
    audit,


rule write_manifest:
    input:
        **MADE,
        report=rules.write_report.output if REPORTED else [],
        ledger=rules.judge_claims.output if JUDGED else [],
        picture=rules.draw_ledger.output if JUDGED else [],
        own=OWN_FILES,
    output:
        manifest=MANIFEST,
    log:
        f"results/logs/{STUDY}/write_manifest.log",
    conda:
        "../../environment.yml"
    params:
        code=code_behind("write_manifest"),
        configuration=RECORDED_CONFIGURATION,
        records=f"results/logs/{STUDY}",
        makers=MAKERS,
    message:
        "Record how every result was made"
    script:
        "../scripts/write_manifest.py"


rule audit:
    log:
        f"results/logs/{STUDY}/audit.log",
    conda:
        "../../environment.yml"
    params:
        # No input: an audit must not run the study.
        manifest=MANIFEST,
        configuration=RECORDED_CONFIGURATION,
        records=f"results/logs/{STUDY}",
    message:
        "Hash the results of {STUDY}, their data and their code again"
    script:
        "../scripts/audit_study.py"

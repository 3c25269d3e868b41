# Consensus embeddings: five papers on stable low-dimensional embeddings, rerun claim by claim.
#
#   snakemake --cores N                                    the paper-scale study
#   snakemake --cores N --configfile config/quick.yaml     the quick study
#   snakemake --cores N mce_convergence                    one experiment
#   snakemake plan | fetch | verify_data                   what will run | download | rehash the data
#   snakemake audit                                        rehash the results: what is stale or edited by hand
import os

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.27")

if not os.path.samefile(workflow.basedir, "."):
    raise WorkflowError(
        f"Paths start at the root of the repository, {workflow.basedir}: run snakemake there, without --directory, "
        "and name a study of its own (--config study=NAME) for results of its own"
    )


configfile: "config/config.yaml"
configfile: "config/simulators/glands.yaml"
configfile: "config/simulators/prostate_mrsi.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common/study.smk"
include: "workflow/rules/common/steps.smk"
include: "workflow/rules/steps.smk"
include: "workflow/rules/own_embedding.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/common/present.smk"
include: "workflow/rules/present.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/provenance.smk"


# Snakemake takes a missing file for done as long as a newer one that was made from it is there. So every file that a
# reader opens is asked for by name.
rule all:
    default_target: True
    input:
        report=rules.write_report.output if REPORTED else [],
        claims=rules.judge_claims.output if JUDGED else [],
        ledger=rules.draw_ledger.output if JUDGED else [],
        own=OWN_FILES,
        manifest=f"{RESULTS}/manifest.json",
        experiments=[experiment_files(name) for name in config["experiments"]],
    message:
        "The study {STUDY} is complete"


if workflow.is_main_process:
    check_targets()
    check_named_files(
        {str(path) for rule in workflow.rules for path in rule.output}
        | {f"resources/data/{name}" for name in REGISTRY}
    )

if not REPORTED and not OWN_RESULTS:
    raise WorkflowError(
        "The configuration cannot be used:\nexperiments: expected at least 1 entry, or data of your own to work on, "
        "such as own_embeddings, found none"
    )

# What is there before the run, to name at its end what it has made.
BEFORE = {path: written(path) for path in (f"{RESULTS}/summary.txt", *OWN_RESULTS)}


onstart:
    check_executor()
    share_imports()
    share_estimates()
    note_logs()


onsuccess:
    cancel_timers()
    note_time_stamps()
    show_summary()


onerror:
    cancel_timers()
    note_time_stamps()
    show_failures(log)

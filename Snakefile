# Consensus embeddings: five papers on stable low-dimensional embeddings, rerun claim by claim.
#
#   snakemake --cores N                                    the paper-scale study
#   snakemake --cores N --configfile config/quick.yaml     the quick study
#   snakemake --cores N mce_convergence                    one experiment
#   snakemake plan | fetch | verify_data                   what will run | download | rehash the data
#   snakemake audit                                        rehash the results: what is stale or edited by hand
from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"
configfile: "config/simulators/glands.yaml"
configfile: "config/simulators/prostate_mrsi.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common/study.smk"


# What the rules of the papers share, then the rules themselves: each paper has files of its name.
for paper in papers.PAPERS:
    for path in rule_files(f"common/{paper}"):

        include: path


for paper in papers.PAPERS:
    for path in rule_files(paper):

        include: path


include: "workflow/rules/common/own_embedding.smk"
include: "workflow/rules/own_embedding.smk"
include: "workflow/rules/common/consensus_arena.smk"
include: "workflow/rules/consensus_arena.smk"
include: "workflow/rules/common/methods.smk"
include: "workflow/rules/methods.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/common/multiverse.smk"
include: "workflow/rules/multiverse.smk"
include: "workflow/rules/common/present.smk"
include: "workflow/rules/present.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/trail.smk"


# Snakemake takes a missing file for done as long as a newer one that was made from it is there. So every file that a
# reader opens is asked for by name.
rule all:
    default_target: True
    input:
        report=rules.write_report.output if REPORTED else [],
        claims=rules.judge_claims.output if JUDGED else [],
        ledger=rules.draw_ledger.output if JUDGED else [],
        own=list(OWN_RESULTS),
        manifest=f"{RESULTS}/manifest.json",
        experiments=[
            getattr(rules, f"{step}_{name}").output
            for name in config["experiments"]
            for step in ("run", "present")
        ],
    message:
        "The study {STUDY} is complete"


if workflow.is_main_process:
    check_targets()

if not REPORTED and not OWN_RESULTS:
    raise WorkflowError(
        "The configuration cannot be used:\nexperiments: expected at least 1 entry, or data of your own to work on "
        "(own_images, own_embeddings), found none"
    )

# What is there before the run, to name at its end what it has made.
BEFORE = {path: written(path) for path in (f"{RESULTS}/summary.txt", *OWN_RESULTS)}


onstart:
    check_executor()


onsuccess:
    cancel_timers()
    show_summary()


onerror:
    cancel_timers()
    show_failures(log)

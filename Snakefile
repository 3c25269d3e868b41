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
include: "workflow/rules/common/images.smk"
include: "workflow/rules/common/genes.smk"
include: "workflow/rules/common/spectra.smk"
include: "workflow/rules/common/retrieval.smk"
include: "workflow/rules/common/features.smk"
include: "workflow/rules/common/own_images.smk"
include: "workflow/rules/common/multiverse.smk"
include: "workflow/rules/common/present.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/embeddings.smk"
include: "workflow/rules/median_consensus.smk"
include: "workflow/rules/images.smk"
include: "workflow/rules/genes.smk"
include: "workflow/rules/brain.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/spectra.smk"
include: "workflow/rules/retrieval.smk"
include: "workflow/rules/features.smk"
include: "workflow/rules/own_images.smk"
include: "workflow/rules/multiverse.smk"
include: "workflow/rules/present.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/trail.smk"


rule all:
    default_target: True
    input:
        report=f"{RESULTS}/report.html",
        claims=f"{RESULTS}/claims.tsv",
        manifest=f"{RESULTS}/manifest.json",
    message:
        "The study {STUDY} is complete"


onsuccess:
    show_summary()


onerror:
    show_failures(log)

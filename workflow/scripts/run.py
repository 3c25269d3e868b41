"""A step of the study: that of the rule's name, by its declaration."""

from replication.platform.job import job
from replication.ledger.steps import STEPS
from replication.platform.steps import Job

step = STEPS[snakemake.rule]
with job(snakemake, step.title) as say:
    step.run(
        Job(
            inputs=snakemake.input,
            outputs=snakemake.output,
            settings=snakemake.params.settings,
            wildcards=snakemake.wildcards,
            seed=snakemake.params.seed,
            threads=snakemake.threads,
            say=say,
        )
    )

"""
A step of the study: it calls the function that the step's declaration names, and writes what that returns.

`params.run` is "module.function" of the `run` of the step, as workflow/rules/steps.smk passes it.
"""

from importlib import import_module

from replication.platform.job import job
from replication.platform.steps import Job

module, _, function = snakemake.params.run.rpartition(".")
with job(snakemake, snakemake.params.title) as say:
    results = getattr(import_module(module), function)(
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
    if results:
        from replication.shared.tidy import write_results

        write_results(results, snakemake.output)

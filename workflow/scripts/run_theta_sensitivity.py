"""Experiment theta_sensitivity: the consensus over thresholds and numbers of embeddings."""

from consensus_embedding.experiments import theta_sensitivity
from consensus_embedding.experiments.brain_files import score_units
from consensus_embedding.experiments.tidy import write_table
from job import job

with job(snakemake.log[0], "theta_sensitivity") as say:
    params = snakemake.params
    metrics = score_units(
        "theta_sensitivity",
        snakemake.input.slices,
        theta_sensitivity.CONDITIONS,
        lambda metrics, slices, **at: theta_sensitivity.score_combination(
            metrics, slices, params.settings, params.parameters, seed=params.seed, **at
        ),
        params.brain,
        params.settings["objects"],
        n_jobs=snakemake.threads,
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)

"""Experiment fine_calibration: picks the details that Ginsburg 2016 leaves open."""

from job import job
from consensus_embedding.datasets.feature_set import load_feature_set
from consensus_embedding.experiments import fine_calibration
from consensus_embedding.experiments.tidy import write_table

with job(snakemake, "fine_calibration") as say:
    params = snakemake.params
    tables = {name: load_feature_set(path) for name, path in zip(params.sets, snakemake.input.tables, strict=True)}
    metrics, picks = fine_calibration.run(
        tables, params.sources, params.parameters, params.configured,
        seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

"""Stability and accuracy of selected features on one data set."""

from replication.platform.job import every, job
from replication.datasets.feature_set import load_feature_set
from replication.papers.ginsburg2016 import feature_selection
from replication.shared.tidy import write_table

with job(snakemake, f"feature_selection, {snakemake.wildcards.set}") as say:
    params, table = snakemake.params, load_feature_set(snakemake.input.table)
    metrics = feature_selection.run(
        table, params.parameters, params.settings,
        name=snakemake.wildcards.set, source=params.source, seed=params.seed, n_jobs=snakemake.threads,
        progress=every(feature_selection.n_rounds(table, params.parameters, params.settings), say, "rounds"),
    )  # fmt: skip
    write_table(metrics, snakemake.output.scores)

"""Scores of a method that the configuration adds, on one part of an experiment."""

from replication.platform.job import job
from replication.platform.methods import AddedMethod
from replication.shared.presenting import call
from replication.shared.tidy import write_table

params, wildcards = snakemake.params, snakemake.wildcards
method = AddedMethod.of(params.method)
with job(snakemake, f"{wildcards.experiment}, {method.label}, {wildcards.part}") as say:
    files = {name: path for name, path in snakemake.input.items() if name not in ("code", "checked", "method")}
    given = {"method": method, "seed": params.seed, "n_jobs": snakemake.threads, "progress": say}
    metrics = call(params.function, {**given, **files, **params.settings})
    write_table(metrics.table(), snakemake.output.scores)

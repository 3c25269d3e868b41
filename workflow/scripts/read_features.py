"""Read a table of features with two classes, whatever its form."""

from replication.platform.job import job
from replication.data.feature_set import read_feature_set, save_feature_set

with job(snakemake, f"features, {snakemake.wildcards.set}") as say:
    params = snakemake.params
    table = read_feature_set(params.item, halve_gisette=params.halve_gisette, seed=params.seed)
    n, m = table.values.shape
    say(f"{snakemake.wildcards.set}: {n} samples, {m} features, classes {' and '.join(table.classes)}")
    save_feature_set(snakemake.output.table, table)

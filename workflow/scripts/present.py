"""Tables and figures of an experiment, by its declaration."""

from replication.platform.job import job
from replication.shared.figures import save_figure, styled
from replication.shared.presenting import call, read_results
from replication.shared.tidy import write_table

params = snakemake.params
with job(snakemake, f"figures of {params.experiment}"), styled():
    given = {**read_results(snakemake.input), **params.settings}
    for name, function in params.tables.items():
        table = given[f"{name}_table"] = call(function, given)
        write_table(table, snakemake.output[f"{name}_table"])
    for name, function in params.figures.items():
        save_figure(call(function, given), *snakemake.output[name])

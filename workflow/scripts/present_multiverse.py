"""Tables and figures of the experiment multiverse."""

from replication.platform.job import job
from replication.ledger import sensitivity, sensitivity_figures
from replication.ledger.claims import read_claims
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

with job(snakemake, "figures of multiverse"):
    metrics = read_table(snakemake.input.metrics)
    shares = sensitivity.variance(metrics, read_table(snakemake.input.choices), snakemake.params.seed)
    found = sensitivity.sensitivity(metrics, read_claims(snakemake.input.claims), shares)
    write_table(shares, snakemake.output.variance_table)
    write_table(found, snakemake.output.sensitivity_table)
    write_table(sensitivity.universes(metrics), snakemake.output.universes_table)
    for name, figure in sensitivity_figures.draw(metrics, found, shares).items():
        figures.save_figure(figure, *snakemake.output[name])

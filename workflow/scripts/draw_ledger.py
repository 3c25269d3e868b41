"""Draw the ledger of a study."""

from replication.platform.job import job
from replication.report.ledger_figure import draw_ledger, save_ledger
from replication.report.page import read_sensitivity
from replication.shared.figures import styled
from replication.shared.tidy import read_table

with job(snakemake, "ledger"), styled():
    holds = {claim: row["holds"] for claim, row in read_sensitivity(snakemake.input.sensitivity).items()}
    save_ledger(draw_ledger(read_table(snakemake.input.ledger), holds), *snakemake.output)

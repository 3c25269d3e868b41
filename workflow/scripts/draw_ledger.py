"""Draw the ledger of a study."""

from job import job
from consensus_embedding.experiments.tidy import read_table
from consensus_embedding.ledger_figure import draw_ledger, save_ledger
from consensus_embedding.report import read_sensitivity

with job(snakemake, "ledger") as say:
    holds = {claim: found["holds"] for claim, found in read_sensitivity(snakemake.input.sensitivity).items()}
    save_ledger(draw_ledger(read_table(snakemake.input.ledger), holds), *snakemake.output)

"""Experiment gene_calibration: picks the details that the paper leaves open, on halvings of the training splits."""

from pathlib import Path

from replication.platform.job import job
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012 import gene_calibration
from replication.papers.viswanath2012.settings import GeneSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "gene_calibration") as say:
    params = snakemake.params
    tables = {Path(path).stem: load_split(path).training for path in snakemake.input.splits}
    settings = settings_of(GeneSettings, params.settings, "gene_embedding")
    parameters = settings_of(gene_calibration.GeneCalibration, params.parameters, "gene_calibration")
    metrics, picks = gene_calibration.run(
        tables, params.sources, settings, parameters,
        seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)

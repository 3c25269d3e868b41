"""Experiment ml_estimators: median against mean on the same selected embeddings."""

from replication.platform.job import job
from replication.papers.viswanath2012 import ml_estimators
from replication.papers.viswanath2012.brain_files import score_units
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "ml_estimators") as say:
    params = snakemake.params
    settings = settings_of(ImageSettings, params.settings, "image_embedding")
    metrics = score_units(
        "ml_estimators",
        snakemake.input.slices,
        ml_estimators.CONDITIONS,
        lambda metrics, slices, **at: ml_estimators.score_combination(
            metrics, slices, settings, params.parameters["estimators"], **at
        ),
        params.brain,
        settings.objects,
        n_jobs=snakemake.threads,
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)

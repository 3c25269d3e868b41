"""Experiment tsne_equivalence: our t-SNE beside scikit-learn's, from the same starts."""

import numpy as np
from consensus_embedding.datasets.digits import digits_name, digits_source
from consensus_embedding.experiments import tsne_equivalence
from consensus_embedding.experiments.tidy import write_table
from job import job


def runs(paths):
    chunks = [np.load(path) for path in paths]
    return [np.concatenate([chunk[key] for chunk in chunks]) for key in ("embeddings", "kl_divergences")]


with job(snakemake.log[0], "tsne_equivalence") as say:
    params = snakemake.params
    metrics = tsne_equivalence.run(
        *runs(snakemake.input.exact),
        *runs(snakemake.input.barnes_hut),
        solver={key: params.median_consensus[key] for key in ("tolerance", "max_iter")},
        seed=params.seed,
        dataset=digits_name(params.n_samples),
        source=digits_source(params.n_samples),
        n_jobs=snakemake.threads,
    )
    write_table(metrics, snakemake.output.metrics)

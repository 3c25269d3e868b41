"""Experiment consensus_comparison: other ways to combine the same runs."""

import numpy as np
from replication.platform.job import job
from consensus_embedding.manifold.distance_matrices import normalize_embeddings
from consensus_embedding.utils.seeds import stream_seed
from replication.data.digits import digits_name, digits_source, read_digits
from replication.papers.tomo2025 import consensus_comparison
from replication.papers.tomo2025.mce_extensions import multiscale_runs
from replication.papers.tomo2025.pools import TSNESettings, embed_runs
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "consensus_comparison") as say:
    params = snakemake.params
    X, labels = read_digits(params.n_samples)
    settings = dict(params.median_consensus)
    mds, normalize = settings.pop("mds"), settings.pop("normalize")
    tsne, dataset = from_section(TSNESettings, params.tsne, "tsne"), digits_name(params.n_samples)
    pool = np.load(snakemake.input.pool)
    say("one t-SNE run from the principal components")
    pca_runs, _ = embed_runs(X, [0], tsne, init="pca")
    say("multiscale t-SNE")
    seeds = [stream_seed(params.seed, dataset, "multiscale", r) for r in range(params.parameters["repetitions"])]
    multiscale = multiscale_runs(X, params.perplexities, seeds, tsne)
    metrics = consensus_comparison.run(
        X,
        labels,
        pool["embeddings"],
        pool["kl_divergences"],
        np.load(snakemake.input.gram),
        normalize_embeddings(pca_runs, normalize)[0],
        normalize_embeddings(multiscale, normalize),
        reference_runs=params.reference_runs,
        **params.parameters,
        solver=settings,
        mds=mds,
        seed=params.seed,
        dataset=dataset,
        source=digits_source(params.n_samples),
        n_jobs=snakemake.threads,
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)

"""Embed the digits by t-SNE, once per run of a range."""

from replication.platform.job import every, job, save_arrays
from replication.data.digits import digits_name, read_digits
from replication.papers.tomo2025.pools import TSNESettings, embed_runs, run_seeds

first, last = int(snakemake.wildcards.start), int(snakemake.wildcards.stop)
implementation = snakemake.wildcards.implementation
with job(snakemake, f"t-SNE ({implementation}) {first}-{last}") as say:
    params = snakemake.params
    X, _ = read_digits(params.n_samples)
    seeds = run_seeds(params.seed, digits_name(params.n_samples), range(first, last))
    tsne = TSNESettings(
        implementation=implementation,
        perplexity=params.perplexity,
        learning_rate=params.learning_rate,
        early_exaggeration=params.early_exaggeration,
        max_iter=params.max_iter,
    )
    embeddings, divergences = embed_runs(X, seeds, tsne, progress=every(len(seeds), say, "runs"))
    save_arrays(snakemake.output.runs, embeddings=embeddings, kl_divergences=divergences)

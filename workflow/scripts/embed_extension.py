"""Runs for one kind and repetition of mce_extensions."""

from job import every, job, save_arrays
from consensus_embedding.datasets.digits import digits_name, read_digits
from consensus_embedding.experiments.mce_extensions import extension_runs

kind, repetition = snakemake.wildcards.kind, int(snakemake.wildcards.repetition)
with job(snakemake, f"{kind} {repetition}") as say:
    params = snakemake.params
    X, _ = read_digits(params.n_samples)
    embeddings = extension_runs(
        kind,
        X,
        repetition,
        parameters=params.parameters,
        tsne=params.tsne,
        seed=params.seed,
        dataset=digits_name(params.n_samples),
        progress=every(params.parameters["n_embeddings"], say, "runs"),
    )
    save_arrays(snakemake.output.runs, embeddings=embeddings)

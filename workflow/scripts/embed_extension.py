"""Runs for one kind and repetition of mce_extensions."""

from replication.platform.job import every, job, save_arrays
from replication.data.digits import digits_name, read_digits
from replication.papers.tomo2025.mce_extensions import extension_runs
from replication.papers.tomo2025.pools import TSNESettings
from replication.platform.settings import from_section

kind, repetition = snakemake.wildcards.kind, int(snakemake.wildcards.repetition)
with job(snakemake, f"{kind} {repetition}") as say:
    params = snakemake.params
    X, _ = read_digits(params.n_samples)
    embeddings = extension_runs(
        kind,
        X,
        repetition,
        **params.parameters,
        tsne=from_section(TSNESettings, params.tsne, "tsne"),
        seed=params.seed,
        dataset=digits_name(params.n_samples),
        progress=every(params.parameters["n_embeddings"], say, "runs"),
    )
    save_arrays(snakemake.output.runs, embeddings=embeddings)

"""The pool of t-SNE runs that all experiments share. Light: the rules read it."""

from __future__ import annotations

from replication.papers.tomo2025.layout import pool_files, pool_size, runs_files
from replication.papers.tomo2025.settings import TSNESettings
from replication.platform.steps import Job, Results, Seconds, Step


def embed(job: Job) -> Results:
    """Embed the digits by t-SNE, once per run of a range."""
    from replication.data.digits import digits_name, read_digits
    from replication.papers.tomo2025.pools import embed_runs, run_seeds

    n_samples, runs = job.settings["n_samples"], range(int(job.wildcards.start), int(job.wildcards.stop))
    X, _ = read_digits(n_samples)
    tsne = TSNESettings(implementation=job.wildcards.implementation, **job.settings["tsne"])
    seeds = run_seeds(job.seed, digits_name(n_samples), runs)
    embeddings, divergences = embed_runs(X, seeds, tsne, progress=job.progress(len(seeds), "runs"))
    return {"runs": {"embeddings": embeddings, "kl_divergences": divergences}}


def gather(job: Job) -> Results:
    """Join the chunks of the pool and compute the Gram matrix of its distance matrices."""
    import numpy as np
    from consensus_embedding.manifold.distance_matrices import distance_gram, normalize_embeddings, validate_embeddings

    from replication.platform.files import complete_file

    chunks = [np.load(path) for path in job.inputs.chunks]
    embeddings = validate_embeddings(np.concatenate([chunk["embeddings"] for chunk in chunks]))
    embeddings = normalize_embeddings(embeddings, job.settings["normalize"])
    divergences = np.concatenate([chunk["kl_divergences"] for chunk in chunks])
    job.say(f"{len(embeddings)} runs of {embeddings.shape[1]} points")
    gram = distance_gram(embeddings, n_jobs=job.threads, progress=lambda share: job.say(f"{share:.0%} of the pairs"))
    with complete_file(job.outputs.gram) as partial, open(partial, "wb") as file:
        np.save(file, gram)
    return {"pool": {"embeddings": embeddings, "kl_divergences": divergences}}


STEPS = (
    Step(
        name="embed_runs",
        title="t-SNE ({implementation}) {start}-{stop}",
        run=embed,
        does="t-SNE ({wildcards.implementation}) of the digits: runs {wildcards.start} to {wildcards.stop}",
        makes={"runs": "embeddings/{implementation}/runs_{start}-{stop}.npz"},
        settings=lambda study, _: {
            "n_samples": study["digits"]["n_samples"],
            "tsne": study.only("tsne", "perplexity", "learning_rate", "early_exaggeration", "max_iter"),
        },
        wildcards={
            "implementation": ("exact", "barnes_hut", "scikit-learn", "scikit-learn-fine"),
            "start": r"\d+",
            "stop": r"\d+",
        },
        minutes=60,
        soon=True,
        takes=lambda _, at: {
            "exact": Seconds(1.3, 0.95, "runs", power=1.35),
            "barnes_hut": Seconds(1.3, 0.78, "runs", power=1.2),
            "scikit-learn": Seconds(1.3, 5, "runs", power=1.25),
            "scikit-learn-fine": Seconds(1.3, 37, "runs", power=1.5),
        }[at.implementation],
    ),
    Step(
        name="gather_runs",
        title="inner products",
        run=gather,
        does="Inner products between all runs of the pool",
        makes=pool_files,
        reads=lambda study, _: {
            "chunks": runs_files(study["tsne"]["implementation"], sum(pool_size(study)), study["tsne"]["runs_per_job"])
        },
        settings=lambda study, _: study.only("median_consensus", "normalize"),
        threads=lambda workers: 4 * workers if workers > 1 else 1,
        memory_mb=4000,
        minutes=60,
        soon=True,
        takes=lambda study, _: Seconds(1.2, 0.056 * sum(pool_size(study)), power=2.3),
    ),
)

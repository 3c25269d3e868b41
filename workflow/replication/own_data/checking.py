"""What in an embedding of the user's own data can be trusted: tables, figures and a page."""

from replication.platform.steps import Job, Results


def embed(job: Job) -> Results:
    """Make some of the runs of one entry of own_embeddings."""
    from consensus_embedding.consensus.runs import draw_seeds, run_embeddings, takes_distances
    from consensus_embedding.diagnostics.embedding_check import checked_table
    from consensus_embedding.manifold.tsne import default_tsne

    from replication.own_data.embedding_source import opened, seed_of

    start, stop = int(job.wildcards.start), int(job.wildcards.stop)
    item, embedder, points = opened(job, n_embeddings=stop - start)
    X = checked_table(points.X, has_features=not takes_distances(embedder))
    seeds = draw_seeds(seed_of(item, job.seed), stop)[start:]
    runs = run_embeddings(embedder or default_tsne(len(X)), X, seeds, n_jobs=job.threads, verbose=True)
    return {"runs": {"runs": runs}}


def check(job: Job) -> None:
    """Check one entry of own_embeddings."""
    from consensus_embedding.consensus.runs import takes_distances
    from consensus_embedding.diagnostics.embedding_check import check_embedding

    from replication.own_data.embedding_results import number_by_rows, write_results
    from replication.own_data.embedding_source import MadeRuns, opened, seed_of, start_of

    item, embedder, points = opened(job)
    made = MadeRuns(job.inputs.runs, "precomputed" if takes_distances(embedder) else None)
    result = check_embedding(
        points.X, made if job.inputs.runs else embedder, item.n_embeddings,
        embeddings=points.embeddings, labels=points.labels, n_neighbors=item.n_neighbors, tolerance=item.tolerance,
        n_jobs=job.threads, random_state=seed_of(item, job.seed), verbose=True,
    )  # fmt: skip
    result = number_by_rows(result, points.rows)
    files = {key: path for key, path in job.outputs.items() if isinstance(path, str)}
    figures = {key.removeprefix("figure_"): paths for key, paths in job.outputs.items() if key.startswith("figure_")}
    write_results(item, points, result, files, figures, job.inputs.template, job.seed, start_of(embedder))
    for line in result.summary():
        job.say(line)

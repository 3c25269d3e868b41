"""What in an embedding of the user's own data can be trusted: tables, figures and a page."""

from replication.platform.steps import Job


def check(job: Job) -> None:
    """Check one entry of own_embeddings."""
    from consensus_embedding.diagnostics.embedding_check import check_embedding
    from consensus_embedding.utils.seeds import stream_seed

    from replication.own_data.embedding_results import number_by_rows, write_results
    from replication.own_data.embedding_source import load_points, make_embedder, require_memory_of, start_of
    from replication.platform.own_embeddings import OwnEmbedding
    from replication.platform.settings import settings_of

    item = settings_of(OwnEmbedding, job.settings["item"], "own_embeddings")
    embedder = make_embedder(item)
    require_memory_of(item)
    points = load_points(item, job.seed)
    job.say(f"{len(points.rows)} points read")
    result = check_embedding(
        points.X, embedder, item.n_embeddings,
        embeddings=points.embeddings, labels=points.labels, n_neighbors=item.n_neighbors, tolerance=item.tolerance,
        n_jobs=job.threads, random_state=stream_seed(job.seed, "embedding_check", item.name), verbose=True,
    )  # fmt: skip
    result = number_by_rows(result, points.rows)
    files = {key: path for key, path in job.outputs.items() if isinstance(path, str)}
    figures = {key.removeprefix("figure_"): paths for key, paths in job.outputs.items() if key.startswith("figure_")}
    write_results(item, points, result, files, figures, job.inputs.template, job.seed, start_of(embedder))
    for line in result.summary():
        job.say(line)

"""What in an embedding of your own data can be trusted: tables, figures and a page."""

from replication.platform.job import job
from consensus_embedding import check_embedding
from consensus_embedding.utils.seeds import stream_seed
from replication.own_data.embedding_results import write_results
from replication.own_data.embedding_source import CheckedEmbedding, load_points, make_embedder, start_of
from replication.platform.settings import from_section

with job(snakemake, f"check of {snakemake.params.item['name']}") as say:
    seed, output = snakemake.params.seed, snakemake.output
    item = from_section(CheckedEmbedding, snakemake.params.item, "own_embeddings")
    embedder = make_embedder(item)
    points = load_points(item, seed)
    say(f"{len(points.rows)} points read")
    check = check_embedding(
        points.X, embedder, item.n_embeddings,
        embeddings=points.embeddings, labels=points.labels, n_neighbors=item.n_neighbors, tolerance=item.tolerance,
        n_jobs=snakemake.threads, random_state=stream_seed(seed, "embedding_check", item.name), verbose=True,
    )  # fmt: skip
    files = {key: path for key, path in output.items() if isinstance(path, str)}
    figures = {name: output[f"figure_{name}"] for name in snakemake.params.figures}
    write_results(item, points, check, files, figures, snakemake.input.template, seed, start_of(embedder))
    for line in check.summary():
        say(line)

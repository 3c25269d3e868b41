"""Join the chunks of the pool and compute the Gram matrix of its distance matrices."""

import numpy as np
from replication.platform.job import job, save_arrays
from consensus_embedding.manifold.distance_matrices import distance_gram, normalize_embeddings, validate_embeddings
from replication.shared.tidy import complete_file

with job(snakemake, "inner products") as say:
    chunks = [np.load(path) for path in snakemake.input.chunks]
    embeddings = validate_embeddings(np.concatenate([chunk["embeddings"] for chunk in chunks]))
    embeddings = normalize_embeddings(embeddings, snakemake.params.normalize)
    divergences = np.concatenate([chunk["kl_divergences"] for chunk in chunks])
    say(f"{len(embeddings)} runs of {embeddings.shape[1]} points")
    gram = distance_gram(embeddings, n_jobs=snakemake.threads, progress=lambda share: say(f"{share:.0%} of the pairs"))
    save_arrays(snakemake.output.pool, embeddings=embeddings, kl_divergences=divergences)
    with complete_file(snakemake.output.gram) as partial, open(partial, "wb") as file:
        np.save(file, gram)

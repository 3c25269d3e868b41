"""One embedding from many: consensus embeddings, consensus clusters, and how stable they are."""

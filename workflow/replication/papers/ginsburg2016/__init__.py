"""Ginsburg et al. 2016: the importance of features in embeddings."""

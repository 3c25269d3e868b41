"""Clusters of embeddings and of samples, and their scores."""

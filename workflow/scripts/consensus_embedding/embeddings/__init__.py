"""Base embeddings behind the scikit-learn interface."""

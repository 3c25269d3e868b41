"""Base embeddings behind the scikit-learn interface, and the graphs and solvers under them."""

"""Filters, importance and stability of features, and classifiers on subsets of them."""

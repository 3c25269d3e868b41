"""Texture features, and filters, importance and stability of features with classifiers on subsets of them."""

"""Checks of embeddings of your own. What a paper does with your data is in its own package."""

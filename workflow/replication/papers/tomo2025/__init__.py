"""Tomo and Yoneoka 2025: the median consensus embedding of t-SNE runs."""

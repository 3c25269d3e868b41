"""Viswanath and Madabhushi 2012: consensus embedding of images and of gene expression, and its theory."""

"""Readers of the files that the study works on: images, spectra, gene expression, features, items."""

"""Methods for images, spectra, genes and outlines, and retrieval."""

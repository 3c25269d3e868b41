"""Features of one kind of data: genes, spectra, outlines."""

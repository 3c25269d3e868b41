"""Experiments of Tiwari et al. 2008, each a file of its name, in the order of the report."""

EXPERIMENTS = [
    "spectra_substitute",
    "spectra_calibration",
    "spectra_methods",
    "spectra_dimensions",
    "spectra_stability",
    "spectra_components",
]

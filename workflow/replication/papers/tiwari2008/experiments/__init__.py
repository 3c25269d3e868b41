"""Experiments of Tiwari et al. 2008, each a file of its name, in the order of the report."""

from replication.papers.tiwari2008.experiments import (
    spectra_calibration,
    spectra_components,
    spectra_dimensions,
    spectra_methods,
    spectra_stability,
    spectra_substitute,
)

_IN_ORDER = [
    spectra_substitute,
    spectra_calibration,
    spectra_methods,
    spectra_dimensions,
    spectra_stability,
    spectra_components,
]
EXPERIMENTS = tuple(one.EXPERIMENT for one in _IN_ORDER)

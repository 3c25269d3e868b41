"""Tiwari et al. 2008: consensus locally linear embedding of MR spectra."""

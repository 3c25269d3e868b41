"""Experiments of Tiwari et al. 2008, each in a module of its name."""

"""Experiments of Ginsburg et al. 2016, each in a module of its name."""

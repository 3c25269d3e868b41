"""Experiments of Tomo and Yoneoka 2025, each in a module of its name."""

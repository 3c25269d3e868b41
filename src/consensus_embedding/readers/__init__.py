"""Readers of data files, and the data classes that they return."""

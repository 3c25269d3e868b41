"""Data sets: what there is, where it comes from, and how it is read or generated."""

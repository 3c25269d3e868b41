"""Sparks and Madabhushi 2011: out-of-sample extrapolation and retrieval."""

"""Verdicts on all claims, and how they are reported."""

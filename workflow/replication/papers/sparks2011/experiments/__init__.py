"""Experiments of Sparks and Madabhushi 2011, each in a module of its name."""

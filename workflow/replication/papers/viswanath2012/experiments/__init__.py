"""Experiments of Viswanath and Madabhushi 2012, each in a module of its name."""

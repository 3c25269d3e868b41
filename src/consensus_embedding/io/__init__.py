"""Readers of tables and AnnData files."""

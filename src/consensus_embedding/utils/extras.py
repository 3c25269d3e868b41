"""Packages that only some users need: the extras in pyproject.toml."""

from __future__ import annotations


def missing_package(what: str, package: str, extra: str) -> ImportError:
    """Say what needs the package and how to install it."""
    return ImportError(
        f"{what} needs {package}, which is not installed. Install it: pip install {package}, or "
        f'pip install "consensus-embedding[{extra}]".',
        name=package,
    )

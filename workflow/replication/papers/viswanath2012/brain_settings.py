"""What settings of experiments on images have to fit: the images that the section brain asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# Texture features of an image, which subsets are drawn from.
N_TEXTURES = 14


def of_brain(config: Mapping[str, Any], experiment: str, **keys: str) -> Iterator[str]:
    """Lines about levels or slices of an experiment that the section brain lacks; `keys`: its key -> that of brain."""
    for key, brain_key in keys.items():
        values = config[experiment][key]
        for value in values if isinstance(values, list) else [values]:
            yield from of_brain_value(config, f"{experiment}.{key}", brain_key, value)


def of_brain_value(config: Mapping[str, Any], where: str, brain_key: str, value: int) -> Iterator[str]:
    """A line if the section brain lacks a level or slice."""
    known = config["brain"][brain_key]
    if value not in known:
        yield f"{where}: expected values of brain.{brain_key} = {known}, found {value}"

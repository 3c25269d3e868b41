"""Sections of the configuration as frozen dataclasses: a function then says by its types which keys it reads."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Settings = TypeVar("Settings")


def from_section(kind: type[Settings], section: Mapping[str, Any], name: str | None = None) -> Settings:
    """Build a frozen dataclass from a section of the configuration.

    The schema has checked the values; here only the keys are, and no number is converted. A list becomes a tuple, and a
    section becomes the dataclass that the field is annotated with: by itself, as `X | None`, or as the entries of
    `tuple[X, ...]` or `Mapping[str, X]`.

    Parameters
    ----------
    kind : type
        The dataclass. A field with a default is a key that the section may leave out.
    section : mapping
        The keys and their values, as in the configuration.
    name : str, optional
        Name of the section in errors. Default: the name of the dataclass.

    Returns
    -------
    dataclass instance
        Of type `kind`.

    Raises
    ------
    ValueError
        If the section is not a mapping, has a key that is not a field, or lacks one that has no default.
    """
    name = name or kind.__name__
    if not isinstance(section, Mapping):
        raise ValueError(f"{name}: expected a section of keys, found {section!r}")
    known = {field.name: field for field in fields(kind)}
    problems, misspelt = [], set()
    for key in section:
        if key not in known:
            # A key that is there already is the less likely one.
            free = [other for other in known if other not in section]
            meant = difflib.get_close_matches(str(key), free) or difflib.get_close_matches(str(key), known)
            misspelt |= set(meant[:1])
            hint = f"did you mean '{meant[0]}'?" if meant else f"known here: {', '.join(known)}"
            problems.append(f"{name}.{key}: unknown key; {hint}")
    for key, field in known.items():
        optional = field.default is not MISSING or field.default_factory is not MISSING
        if not optional and key not in section and key not in misspelt:
            problems.append(f"{name}.{key}: missing")
    if problems:
        raise ValueError("\n".join(problems))
    hints = get_type_hints(kind)
    return kind(**{key: _typed(hints[key], value, f"{name}.{key}") for key, value in section.items()})


def _typed(hint: Any, value: Any, name: str) -> Any:
    """A value as the annotation of its field wants it."""
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[0]
    if is_dataclass(hint) and value is not None:
        return from_section(hint, value, name)
    inner = get_args(hint) or (Any,)
    if isinstance(value, list | tuple):
        return tuple(_typed(inner[0], one, f"{name}[{i}]") for i, one in enumerate(value))
    if isinstance(value, Mapping):
        return {key: _typed(inner[-1], one, f"{name}.{key}") for key, one in value.items()}
    return value

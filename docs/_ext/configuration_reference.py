"""
The configuration reference: every key of the configuration with what it may be, its default and what it means.

It is made from the models of the sections. A page shows it by `{{ configuration_reference() }}`. Importing this module
gives the pages this function.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import committed_numbers
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from replication.catalogue.configuration import CONFIGURATION, SECTIONS, read_configuration
from replication.platform.refusals import plain_type

LONGEST_DEFAULT = 100
BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below", "multiple_of": "a multiple of"}
KINDS = {int: "integer", float: "number", str: "text", bool: "`true` or `false`", Any: "any value"}
# Their values, and what they mean, are in files of their own.
EXPLAINED_ELSEWHERE = {"glands": "simulators/glands.yaml", "prostate_mrsi": "simulators/prostate_mrsi.yaml"}


def configuration_reference() -> str:
    """The reference in Markdown: a section of the page per section of the configuration."""
    defaults = read_configuration()
    single = [name for name in CONFIGURATION.model_fields if name not in ("data", *SECTIONS)]
    parts = ["## Keys without a section", "", *rows(CONFIGURATION, defaults, single)]
    for name, kind in {"data": CONFIGURATION.model_fields["data"].annotation, **SECTIONS}.items():
        parts += ["", f"## {name}", "", plain(inspect.getdoc(kind) or ""), ""]
        if name in EXPLAINED_ELSEWHERE:
            file = EXPLAINED_ELSEWHERE[name]
            parts += [
                f"[config/{file}](../config/{file}) has the values, where they come from, and what they mean.",
                "",
            ]
        parts += rows(kind, defaults[name])
    return "\n".join(parts) + "\n"


def rows(kind: type[BaseModel], defaults: Any, names: list[str] | None = None, path: str = "") -> Iterator[str]:
    """The entries of a section's keys; keys of sections in it are `section.key`, of lists of sections `list[].key`."""
    for key, field in kind.model_fields.items():
        if names is not None and key not in names:
            continue
        name = f"{path}{field.alias or key}"
        inner = plain_type(field.annotation)
        value = defaults.get(key, ...) if isinstance(defaults, Mapping) else ...
        if is_model(inner) and not field.metadata:
            yield from rows(inner, value, path=f"{name}.")
            continue
        yield row(name, field, value)
        item = get_args(inner)[0] if get_origin(inner) is tuple else None
        if is_model(plain_type(item)) and get_origin(item) is not Annotated:
            yield from rows(plain_type(item), ..., path=f"{name}[].")


def row(name: str, field: FieldInfo, value: Any) -> str:
    """The entry of a key: what it may be and its default, and below these what it means."""
    if value is ... and not field.is_required() and field.default not in (None, ()):
        value = field.default
    default = "" if value is ... else f"; default {written(value)}"
    entry = f"- **`{name}`**: {plain(allowed(field.annotation, field.metadata))}{default}"
    return f"{entry}  \n  {plain(sentence(field.description))}" if field.description else entry


def sentence(text: str) -> str:
    """A description as a sentence; names of values stay as they are."""
    first = text.split(maxsplit=1)[0]
    start = text if len(first) == 1 or re.search(r"\W\w|[_:,;]", first) else text[0].upper() + text[1:]
    return start if start.endswith((".", "?")) else f"{start}."


def plain(text: str) -> str:
    """Text without marks of Markdown or HTML outside code."""
    return re.sub(r"(`[^`]*`)|([<*_])", lambda m: m[1] or f"\\{m[2]}", text)


def written(value: Any) -> str:
    """A default as YAML in one line, cut where it is long."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False).removesuffix("...\n").strip()
    return f"`{text}`" if len(text) <= LONGEST_DEFAULT else f"`{text[:LONGEST_DEFAULT]}` ..."


def is_model(kind: Any) -> bool:
    """Whether a type is a section with named keys."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def allowed(kind: Any, limits: list[Any] | tuple[Any, ...] = ()) -> str:
    """What a value may be, in words."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return allowed(inner[0], [*kind.__metadata__, *limits])
    if origin in (Union, UnionType):
        return " or ".join(allowed(member, limits) if member is not NoneType else "`null`" for member in inner)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin is tuple:
        least = max([limit.min_length or 0 for limit in limits if hasattr(limit, "min_length")], default=0)
        most = [limit.max_length for limit in limits if getattr(limit, "max_length", None)]
        count = f" of {least}" if most else f" of at least {least}" if least else ""
        return f"list{count}: {'; '.join(allowed(entry) for entry in inner if entry is not Ellipsis)}"
    if is_model(kind):
        needed = [f"`{field.alias or key}`" for key, field in kind.model_fields.items() if field.is_required()]
        return f"sections; each needs {', '.join(needed)}" if needed else "any of the keys of a section"
    if origin is not None:
        return f"any keys: {allowed(inner[-1])}"
    return KINDS[kind] + bounds(limits)


def bounds(limits: Any) -> str:
    """The limits of a number, in words; of two of a kind the last one, and none that are there for mistakes alone."""
    values = {key: getattr(limit, key) for limit in limits for key in BOUNDS if abs(getattr(limit, key, 1e9)) < 1e9}
    return "".join(f", {words} {values[key]}" for key, words in BOUNDS.items() if key in values)


committed_numbers.FUNCTIONS["configuration_reference"] = configuration_reference

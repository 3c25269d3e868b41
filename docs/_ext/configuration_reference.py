"""
The configuration reference: every key of the configuration with what it may be, its default and its comment.

It is made from the schema (workflow/schemas/config.schema.yaml) and from the files of defaults with their comments. A
page shows it by `{{ configuration_reference() }}`. Importing this module gives the pages this function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import committed_numbers
import yaml
from committed_numbers import ROOT
from replication.platform.configuration import DEFAULT_FILES

SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
KEY = re.compile(r"^( *)([A-Za-z_][\w-]*):(?: |$)")
LONGEST_DEFAULT = 100
BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
    "multipleOf": "a multiple of",
}


def configuration_reference() -> str:
    """The reference in Markdown: a section of the page per section of the configuration."""
    schema = yaml.safe_load(SCHEMA.read_text())
    defaults, comments = {}, {}
    for name in DEFAULT_FILES:
        text = (ROOT / "config" / name).read_text()
        defaults |= yaml.safe_load(text)
        comments |= comments_of(text)
    schemas = schema["properties"]
    names = [*defaults, *(name for name in schemas if name not in defaults)]
    sections = {name: schemas[name] for name in names if is_section(resolve(schemas[name], schema))}
    parts = ["## Keys without a section", "", *heading()]
    for name in (name for name in names if name not in sections):
        parts.append(row((name,), schemas[name], schema, defaults, comments))
        if is_list_of_sections(schemas[name], schema):
            for path, below in keys((f"{name}[]",), schemas[name]["items"], schema):
                parts.append(row((".".join(path),), below, schema, defaults, comments))
    for name, part in sections.items():
        rows = [row(path, below, schema, defaults, comments) for path, below in keys((name,), part, schema)]
        parts += ["", f"## {name}", "", comments.get((name,), ""), "", *heading(), *rows]
    return "\n".join(parts) + "\n"


def comments_of(text: str) -> dict[tuple[str, ...], str]:
    """The comment directly above each key of a YAML file, by the path of the key."""
    found: dict[tuple[str, ...], str] = {}
    path: list[tuple[int, str]] = []
    comment: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            comment.append(line.lstrip().removeprefix("#").strip())
            continue
        match = KEY.match(line)
        if match:
            indent = len(match[1])
            path = [entry for entry in path if entry[0] < indent] + [(indent, match[2])]
            found[tuple(key for _, key in path)] = " ".join(comment)
        comment = []
    return found


def heading() -> list[str]:
    """The head of a table."""
    return ["| key | what it may be | default | meaning |", "| --- | --- | --- | --- |"]


def row(path: tuple[str, ...], part: dict, schema: dict, defaults: dict, comments: dict) -> str:
    """The row of a key."""
    value = defaults
    for key in path:
        value = value.get(key, ...) if isinstance(value, dict) else ...
    default = "" if value is ... else written(value)
    name = ".".join(path[1:] or path)
    cells = [f"`{name}`", allowed(part, schema), default, comments.get(path, "")]
    return f"| {' | '.join(plain(cell) for cell in cells)} |"


def plain(cell: str) -> str:
    """Text for a cell of a table: no sign of a table or of HTML outside code."""
    return re.sub(r"(`[^`]*`)|([<*_])", lambda m: m[1] or f"\\{m[2]}", cell.replace("|", "\\|"))


def written(value: Any) -> str:
    """A default as YAML in one line, cut where it is long."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False).removesuffix("...\n").strip()
    return f"`{text}`" if len(text) <= LONGEST_DEFAULT else f"`{text[:LONGEST_DEFAULT]}` ... (see the file)"


def resolve(part: dict, schema: dict) -> dict:
    """A part of the schema with the definition that it refers to."""
    if "$ref" in part:
        return resolve(schema["$defs"][part["$ref"].rpartition("/")[2]], schema) | {
            key: value for key, value in part.items() if key != "$ref"
        }
    return part


def is_section(part: dict) -> bool:
    """Whether a part of the schema is a section with named keys."""
    return part.get("type") == "object" and "properties" in part


def is_list_of_sections(part: dict, schema: dict) -> bool:
    """Whether a part of the schema is a list whose entries have named keys."""
    return part.get("type") == "array" and is_section(resolve(part.get("items", {}), schema))


def keys(path: tuple[str, ...], part: dict, schema: dict) -> Iterator[tuple[tuple[str, ...], dict]]:
    """The keys of a section; those of sections in it as `section.key`, of lists of sections as `list[].key`."""
    for name, below in resolve(part, schema)["properties"].items():
        inner = resolve(below, schema)
        if is_section(inner):
            yield from keys((*path, name), inner, schema)
            continue
        yield (*path, name), below
        if is_list_of_sections(inner, schema):
            yield from keys((*path, f"{name}[]"), inner["items"], schema)


def allowed(part: dict, schema: dict) -> str:
    """What a value may be, in words."""
    part = resolve(part, schema)
    if "description" in part and part.get("type") != "array":
        return part["description"]
    if "enum" in part:
        return " or ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    for key in ("anyOf", "oneOf"):
        if key in part and "type" not in part:
            return ", or ".join(allowed(one, schema) for one in part[key])
    kinds = part.get("type", "any value")
    if isinstance(kinds, list):
        return " or ".join(allowed(part | {"type": kind}, schema) if kind != "null" else "`null`" for kind in kinds)
    if kinds == "array":
        return array(part, schema)
    if kinds in ("integer", "number"):
        return f"{kinds}{bounds(part)}"
    return {"string": "text", "boolean": "`true` or `false`", "object": "any keys", "null": "`null`"}.get(kinds, kinds)


def array(part: dict, schema: dict) -> str:
    """What a list may contain, in words."""
    least, most = part.get("minItems", 0), part.get("maxItems")
    count = f" of {least}" if least == most else f" of at least {least}" if least else ""
    if "items" not in part and "prefixItems" in part:
        return f"list{count}: " + "; ".join(allowed(one, schema) for one in part["prefixItems"])
    if is_list_of_sections(part, schema):
        items = resolve(part["items"], schema)
        needed = [f"`{name}`" for name in items.get("required", items["properties"])]
        return f"list{count} of sections; each needs {', '.join(needed)}"
    words = allowed(part["items"], schema) if isinstance(part.get("items"), dict) else part.get("description", "")
    return f"list{count}: {words}" if words else f"list{count}"


def bounds(part: dict) -> str:
    """The limits of a number, in words."""
    return "".join(f", {words} {part[key]}" for key, words in BOUNDS.items() if key in part)


committed_numbers.FUNCTIONS["configuration_reference"] = configuration_reference

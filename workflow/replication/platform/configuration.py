"""Read the YAML files of a configuration, and say in plain words what is wrong with them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from os import PathLike
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[3] / "config"
# What is laid over the defaults of the models in every study, in the order in which the Snakefile reads it.
DEFAULT_FILES = ("config.yaml", "simulators/glands.yaml", "simulators/prostate_mrsi.yaml")

# Python turns no more than 4300 digits into an integer.
_MOST_DIGITS = 300
# The parser in C overflows the stack at some tens of thousands.
_MOST_LEVELS = 100


class ConfigurationError(ValueError):
    """A configuration file cannot be read or is invalid; one line per problem."""


def merge(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Lay changes over a configuration: sections key by key, everything else, lists too, is replaced."""
    merged = deepcopy(dict(config))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else deepcopy(value)
    return merged


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the known word that is nearest to a misspelt one, or None."""
    matches = difflib.get_close_matches(word, known, n=1)
    return matches[0] if matches else None


# The parser in C, several times faster, where PyYAML was built with it.
class _UniqueKeyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML silently takes the last of two equal keys; here they are an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build the dict of a mapping node after checking its keys."""
        seen: dict[str, int] = {}
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                continue
            line = key_node.start_mark.line + 1
            if key_node.value in seen:
                places = f"in lines {seen[key_node.value]} and {line}"
                raise yaml.constructor.ConstructorError(problem=f"the key '{key_node.value}' occurs twice, {places}")
            seen[key_node.value] = line
        return super().construct_mapping(node, deep)


def _require_a_tree(text: str) -> None:
    """Refuse a section inside itself, and more sections inside one another than the parser has room for."""
    within: list[str | None] = []  # the anchors of the sections and lists around the place
    for event in yaml.parse(text, Loader=_UniqueKeyLoader):
        problem = None
        if isinstance(event, yaml.CollectionStartEvent):
            within.append(event.anchor)
            if len(within) > _MOST_LEVELS:
                problem = f"more than {_MOST_LEVELS} sections or lists inside one another"
        elif isinstance(event, yaml.CollectionEndEvent):
            within.pop()
        elif isinstance(event, yaml.AliasEvent) and event.anchor in within:
            problem = f"&{event.anchor} refers to itself"
        if problem:
            raise yaml.constructor.ConstructorError(problem=problem, problem_mark=event.start_mark)


def _construct_number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int | float:
    """Build a number; YAML 1.1 reads 1:30 as 90, which nobody means."""
    if ":" in node.value:
        raise yaml.constructor.ConstructorError(
            problem=f"{node.value} is read as a number of base sixty; put it in quotes if it is meant as text",
            problem_mark=node.start_mark,
        )
    is_integer = node.tag.endswith(":int")
    if is_integer and len(node.value) > _MOST_DIGITS:
        raise yaml.constructor.ConstructorError(
            problem=f"an integer of {len(node.value)} digits; put it in quotes if it is meant as text",
            problem_mark=node.start_mark,
        )
    return loader.construct_yaml_int(node) if is_integer else loader.construct_yaml_float(node)


_UniqueKeyLoader.add_constructor("tag:yaml.org,2002:int", _construct_number)
_UniqueKeyLoader.add_constructor("tag:yaml.org,2002:float", _construct_number)


class _PlainLoader(_UniqueKeyLoader):
    """Only true and false are booleans: on, off, yes and no are words."""


_PlainLoader.yaml_implicit_resolvers = {
    first: [
        (tag, re.compile("^(?:true|True|TRUE|false|False|FALSE)$") if tag.endswith(":bool") else pattern)
        for tag, pattern in resolvers
    ]
    for first, resolvers in _UniqueKeyLoader.yaml_implicit_resolvers.items()
}


def read_yaml(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a YAML file with keys at its top level, each of them once."""
    content = load_yaml(path)
    if content is None:
        raise ConfigurationError(f"{path}: the file is empty")
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path}: expected keys at the top level, found {shown(content)}")
    return content


def load_yaml(path: str | PathLike[str], *, plain: bool = False) -> Any:
    """Read a YAML file with anything in it, every key once; plain: its only booleans are true and false."""
    text = ""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        _require_a_tree(text)
        return yaml.load(text, Loader=_PlainLoader if plain else _UniqueKeyLoader)  # noqa: S506 - both are safe loaders
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not text in UTF-8 ({error.reason}); save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: {_describe_yaml_error(error, text)}") from error


def _describe_yaml_error(error: yaml.YAMLError, text: str) -> str:
    """One line for an error of the YAML parser in a text."""
    problem = getattr(error, "problem", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    if mark and text[mark.index : mark.index + 1] == "\t":
        problem = "indented with a tab; YAML wants spaces"
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"not valid YAML: {place}{problem}" if place else problem


def shown(value: Any) -> str:
    """A found value with its kind, short enough for one line."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{str(value).lower()} (true or false)"
    if isinstance(value, str):
        if "//" in value:
            # Most jobs say nothing of the kind, and need not wait for the import.
            from replication.platform.readable import without_secrets

            value = without_secrets(value)
        return f"the text '{value}'" if len(value) < 60 else f"the text '{value[:57]}...'"
    if isinstance(value, Mapping):
        return "a section of keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"a number of more than {_MOST_DIGITS} digits"
    return str(value)

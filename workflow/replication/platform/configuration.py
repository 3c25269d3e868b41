"""Read YAML files, check them against a JSON schema, and say in plain words what is wrong with them."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from replication.platform.readable import without_secrets

if TYPE_CHECKING:
    from jsonschema import ValidationError

_FOLDER = Path(__file__).resolve().parents[3] / "config"
# What every study begins with, in the order in which the Snakefile reads it.
DEFAULT_FILES = ("config.yaml", "simulators/glands.yaml", "simulators/prostate_mrsi.yaml")

# The largest file of this project, a schema, has 12 levels and 3712 values.
_MOST_LEVELS = 100
_MOST_VALUES = 100_000
# Python turns no more than 4300 digits into an integer.
_MOST_DIGITS = 300

_TYPE_NAMES = {
    "object": "a section of keys",
    "array": "a list",
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
# Of numbers of a schema that says no other: a billion of anything is a mistake, and squares of numbers stay finite.
_BOUNDS = {
    "integer": {"minimum": -(10**9), "maximum": 10**9},
    "number": {"minimum": -1e100, "maximum": 1e100},
}
_LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
}


class ConfigurationError(ValueError):
    """A configuration file cannot be read or is invalid; one line per problem."""


def load_config(path: str | PathLike[str], schema_path: str | PathLike[str]) -> dict[str, Any]:
    """Read a YAML file and check it against a schema.

    Parameters
    ----------
    path : path-like
        The YAML file.
    schema_path : path-like
        A JSON schema (draft 2020-12) in YAML.

    Returns
    -------
    dict
        The content of the file.

    Raises
    ------
    ConfigurationError
        If the file is missing, is not valid YAML, is empty, repeats a key, has something else than keys at
        its top level, or does not fit the schema. Every line of the message begins with the path.
    """
    config = read_yaml(path)
    try:
        validate_config(config, schema_path)
    except ConfigurationError as error:
        raise ConfigurationError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None
    return config


def read_configuration(*overlays: str | PathLike[str]) -> dict[str, Any]:
    """Read the configuration of a study: the defaults, and files laid over them, as Snakemake merges them.

    Parameters
    ----------
    *overlays : path-like
        Files of ``--configfile``, relative to the folder config of this checkout; each is laid over those before it.

    Returns
    -------
    dict
        A new dict, not checked against the schema. The keys of the defaults come first, in their order.

    Raises
    ------
    ConfigurationError
        As `read_yaml`.
    """
    config: dict[str, Any] = {}
    for path in (*DEFAULT_FILES, *overlays):
        config = merge(config, read_yaml(_FOLDER / path))
    return config


def merge(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Lay changes over a configuration: sections key by key, everything else, lists too, is replaced.

    Parameters
    ----------
    config, changes : mapping

    Returns
    -------
    dict
        A new one, which shares no section or list with the given ones.
    """
    merged = deepcopy(dict(config))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else deepcopy(value)
    return merged


def in_order(config: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    """Put the keys of a configuration in the order of another one.

    Snakemake puts the keys of ``--configfile`` and ``--config`` before those of the defaults. The order of keys is that
    in which calibrations go through their options, and Snakemake takes parameters in another order for changed ones.

    Parameters
    ----------
    config, like : mapping
        Keys of `config` that `like` lacks come last, in their own order.

    Returns
    -------
    dict
        With the values of `config`.
    """
    ordered = {key: config[key] for key in (*like, *config) if key in config}
    for key, value in ordered.items():
        if isinstance(value, Mapping) and isinstance(like.get(key), Mapping):
            ordered[key] = in_order(value, like[key])
    return ordered


def validate_config(
    config: Mapping[str, Any], schema_path: str | PathLike[str], sections: Sequence[str] | None = None
) -> None:
    """Check a configuration that is already in memory against a schema.

    Parameters
    ----------
    config : mapping
        The configuration, as Snakemake has it.
    schema_path : path-like
        A JSON schema (draft 2020-12) in YAML.
    sections : sequence of str, optional
        The only top-level keys to look at, where the others are known to fit.

    Raises
    ------
    ConfigurationError
        With all problems, one line each: the dotted name of the key, what was expected, what was found.
    """
    validator = _validator(Path(schema_path))
    found = (
        validator.iter_errors(config)
        if sections is None
        else chain.from_iterable(
            validator.descend(config[name], validator.schema["properties"][name], path=name) for name in sections
        )
    )
    errors = sorted(found, key=lambda error: [str(step) for step in error.absolute_path])
    misspelt: set[str] = set()  # keys that a misspelt one was meant to be: not reported as missing again
    lines = []
    for error in errors:
        if error.validator == "additionalProperties":
            lines += _unknown_keys(error, misspelt)
    for error in errors:
        if error.validator != "additionalProperties":
            lines += [line for line in _describe(error, misspelt) if line not in lines]
    if lines:
        raise ConfigurationError("\n".join(lines))


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the known word that is nearest to a misspelt one, or None.

    Parameters
    ----------
    word : str
        What was written.
    known : sequence of str
        What could have been meant.
    """
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


def _require_a_tree(text: str) -> None:
    """Refuse YAML that refers to itself, or that is far larger or deeper than any configuration once it is expanded."""
    sizes: dict[str, int] = {}  # of the values with an anchor
    within: list[list[Any]] = [[None, 0]]  # anchor and size of each section or list around the place
    for event in yaml.parse(text, Loader=_UniqueKeyLoader):
        size, anchor, problem = 1, getattr(event, "anchor", None), None
        if isinstance(event, yaml.CollectionStartEvent):
            within.append([anchor, 0])
            if len(within) > _MOST_LEVELS:
                problem = f"more than {_MOST_LEVELS} sections or lists inside one another"
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = within.pop()
        elif isinstance(event, yaml.AliasEvent):
            # One that is not known either way is left to the parser.
            problem = f"&{anchor} refers to itself" if anchor in (one for one, _ in within) else None
            anchor, size = None, sizes.get(anchor, 1)
        elif not isinstance(event, yaml.ScalarEvent):
            continue
        within[-1][1] += size
        if anchor is not None:
            sizes[anchor] = size
        if within[-1][1] > _MOST_VALUES:
            problem = f"more than {_MOST_VALUES} values, with those that references repeat"
        if problem:
            raise yaml.constructor.ConstructorError(problem=problem, problem_mark=event.start_mark)


def _is_integer(_checker: Any, value: Any) -> bool:
    """Accept 30 and refuse 30.0, which JSON schema counts as an integer but ``range`` does not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_checker: Any, value: Any) -> bool:
    """Accept finite numbers: any comparison with nan is false, so that it would slip through every limit."""
    # Integers have no largest one, of which isfinite would fail.
    return _is_integer(_checker, value) or (isinstance(value, float) and math.isfinite(value))


@lru_cache(maxsize=4)
def _validator(schema_path: Path) -> Any:
    """Validator of a schema, read once: a calibration asks it about each of its options."""
    # Most jobs check nothing, and need not wait for the import.
    from jsonschema import Draft202012Validator, validators

    types = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_integer, "number": _is_number})
    return validators.extend(Draft202012Validator, type_checker=types)(read_schema(schema_path))


def read_schema(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a schema; a section must have all keys that it names and no others, unless it says otherwise.

    Parameters
    ----------
    path : path-like
        A JSON schema (draft 2020-12) in YAML. A section is what is of type object and names its properties.

    Returns
    -------
    dict
        The schema with ``required`` and ``additionalProperties`` in every section, and with limits of every number.

    Raises
    ------
    ConfigurationError
        As `read_yaml`.
    """
    return _closed(read_yaml(path))


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    is_section = schema.get("type") == "object" and "properties" in schema
    defaults = {"additionalProperties": False, "required": list(schema["properties"])} if is_section else {}
    types = schema.get("type")
    for kind in [types] if isinstance(types, str) else types or []:
        for limit, bound in _BOUNDS.get(kind, {}).items():
            if f"exclusive{limit.title()}" not in schema:
                defaults[limit] = bound
    return {**defaults, **{key: _closed(value) for key, value in schema.items()}}


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
    """Read a YAML file with keys at its top level, each of them once.

    Raises
    ------
    ConfigurationError
        As `load_config`, except for the schema.
    """
    content = load_yaml(path)
    if content is None:
        raise ConfigurationError(f"{path}: the file is empty")
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path}: expected keys at the top level, found {_show(content)}")
    return content


def load_yaml(path: str | PathLike[str], *, plain: bool = False) -> Any:
    """Read a YAML file with anything in it, every key once; plain: its only booleans are true and false.

    Raises
    ------
    ConfigurationError
        If the file is missing, is not valid YAML, or repeats a key.
    """
    text = ""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        _require_a_tree(text)
        return yaml.load(text, Loader=_PlainLoader if plain else _UniqueKeyLoader)
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


def _dotted(steps: Sequence[str | int]) -> str:
    """The name of a key as it is written in conversation: tsne.perplexity, mce_tail.n_embeddings[2]."""
    name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return name.removeprefix(".") or "top level"


def _child(error: ValidationError, key: Any) -> str:
    return _dotted([*error.absolute_path, str(key)])


def _show(value: Any) -> str:
    """A found value with its kind, short enough for one line."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{str(value).lower()} (true or false)"
    if isinstance(value, str):
        value = without_secrets(value) if "//" in value else value
        return f"the text '{value}'" if len(value) < 60 else f"the text '{value[:57]}...'"
    if isinstance(value, Mapping):
        return "a section of keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"a number of more than {_MOST_DIGITS} digits"
    return str(value)


def _unknown_keys(error: ValidationError, misspelt: set[str]) -> Iterator[str]:
    """One line for each key that the schema does not know; notes in `misspelt` which ones were meant."""
    known = list(error.schema.get("properties", {}))
    for key in error.instance:
        if key in known:
            continue
        # A key that is there already is the less likely one, but Snakemake fills in every key of the default file.
        meant = nearest(str(key), [name for name in known if name not in error.instance]) or nearest(str(key), known)
        if meant:
            misspelt.add(_child(error, meant))
            yield f"{_child(error, key)}: unknown key; did you mean '{meant}'?"
        else:
            yield f"{_child(error, key)}: unknown key; known here: {', '.join(known)}"


def _describe(error: ValidationError, misspelt: set[str]) -> Iterator[str]:
    """One line for each problem behind an error of the validator other than an unknown key."""
    key, rule, found = _dotted(error.absolute_path), error.validator_value, error.instance
    match error.validator:
        case "required":
            missing = (_child(error, name) for name in rule if name not in found)
            yield from (f"{name}: missing" for name in missing if name not in misspelt)
        case "type":
            yield _wrong_type(key, [rule] if isinstance(rule, str) else rule, found)
        case "enum":
            meant = nearest(found, [str(value) for value in rule]) if isinstance(found, str) else None
            hint = f"; did you mean '{meant}'?" if meant else ""
            yield f"{key}: expected one of {', '.join(map(str, rule))}, found {_show(found)}{hint}"
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            yield f"{key}: expected {_LIMITS[error.validator]} {rule}, found {_show(found)}"
        case "multipleOf":
            yield f"{key}: expected a multiple of {rule}, found {_show(found)}"
        case "pattern" | "anyOf" | "oneOf":
            yield f"{key}: expected {error.schema['description']}, found {_show(found)}{_number_hint(found)}"
        case "minItems" | "minProperties" | "minLength" | "maxItems":
            kind = "character" if isinstance(found, str) else "entry" if rule == 1 else "entries"
            limit = "at most" if error.validator == "maxItems" else "at least"
            yield f"{key}: expected {limit} {rule} {kind}, found {len(found) or 'none'}"
        case "uniqueItems":
            repeated = next(value for i, value in enumerate(found) if value in found[:i])
            yield f"{key}: expected every entry once, found {_show(repeated)} twice"
        case _:
            yield f"{key}: {error.message}"


def _wrong_type(key: str, expected: Sequence[str], found: Any) -> str:
    """The line for a value of the wrong type, with a hint where YAML's reading surprises."""
    hint = ""
    if {"number", "integer", "boolean"} & set(expected):
        hint = _number_hint(found) or _text_hint(found)
    elif "string" in expected and found is not None and not isinstance(found, list | Mapping):
        hint = "; put it in quotes if it is meant as text"
    return f"{key}: expected {' or '.join(_TYPE_NAMES[name] for name in expected)}, found {_show(found)}{hint}"


def _text_hint(found: Any) -> str:
    """A number or a truth value is text in quotes, and within braces or brackets of --config."""
    if not isinstance(found, str) or not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)|true|false", found):
        return ""
    return "; write it without quotes, in a file for --configfile: --config reads what is inside {} or [] as text"


def _number_hint(found: Any) -> str:
    """YAML 1.1 reads 1e-5 as text, because it has no dot."""
    number = re.fullmatch(r"([+-]?\d+)(\.\d*)?[eE]([+-]?)(\d+)", found) if isinstance(found, str) else None
    if number is None:
        return ""
    integer, fraction, sign, exponent = number.groups()
    fraction = fraction if fraction and len(fraction) > 1 else ".0"
    return f"; YAML reads it as text, write {integer}{fraction}e{sign or '+'}{exponent}"

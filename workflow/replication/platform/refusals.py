"""What is wrong with settings, in plain words: one line per problem."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from replication.platform.configuration import nearest, shown

_LIMITS = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "multiple_of": "a multiple of {multiple_of}",
    "expected": "{expected}",
}
_TYPES = {
    "int_type": "an integer",
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "mapping_type": "a section of keys",
    "dict_type": "a section of keys",
    "model_type": "a section of keys",
}


def refusals(error: ValidationError, kind: type[BaseModel], values: Any, name: str = "") -> list[str]:
    """The lines of a validation error: the dotted name of the key, what was expected, and what was found."""
    problems = [
        (tuple(step for step in problem["loc"] if step != "[key]"), problem)
        for problem in error.errors(include_url=False)
    ]
    problems.sort(key=lambda entry: _position(values, entry[0]))
    meant = {}  # key that is not known -> the one that it was meant to be, which is not missing then
    for loc, problem in problems:
        if problem["type"] == "extra_forbidden":
            fields, written = _type_at(kind, loc[:-1]).model_fields, _value_at(values, loc[:-1])
            known = [field.alias or key for key, field in fields.items()]
            # A key that is there already is the less likely one, but the defaults have every key.
            near = nearest(str(loc[-1]), [key for key in known if key not in written]) or nearest(str(loc[-1]), known)
            problem["ctx"] = {"hint": f"did you mean '{near}'?" if near else f"known here: {', '.join(known)}"}
            meant[(*loc[:-1], near)] = loc
    return [
        line
        for loc, problem in problems
        if problem["type"] != "missing" or loc not in meant
        for line in _lines(_dotted([*filter(None, [name]), *loc]), problem)
    ]


def _lines(key: str, problem: Mapping[str, Any]) -> list[str]:
    """The lines of one problem."""
    kind, value, context = problem["type"], problem["input"], problem.get("ctx", {})
    if kind in ("unfit", "repeated"):
        return [f"{'.'.join(filter(None, [key, below]))}: {text}" for below, text in context["problems"]]
    if kind == "missing":
        return [f"{key}: missing"]
    if kind == "extra_forbidden":
        return [f"{key}: unknown key; {context['hint']}"]
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'|([\d.]+)", context["expected"])
        words = [text or number for text, number in known]
        near = nearest(value, words) if isinstance(value, str) else None
        hint = f"; did you mean '{near}'?" if near else ""
        return [f"{key}: expected one of {', '.join(words)}, found {shown(value)}{hint}"]
    if kind in _LIMITS:
        return [f"{key}: expected {_LIMITS[kind].format(**context)}, found {shown(value)}{_hint(value)}"]
    if kind in _TYPES:
        quotes = isinstance(value, bool | int | float) and kind == "string_type"
        hint = (
            "; put it in quotes if it is meant as text"
            if quotes
            else _hint(value)
            if kind in ("int_type", "bool_type")
            else ""
        )
        return [f"{key}: expected {_TYPES[kind]}, found {shown(value)}{hint}"]
    if kind in ("too_short", "string_too_short", "too_long"):
        limit, count = ("at most", context["max_length"]) if kind == "too_long" else ("at least", context["min_length"])
        entries = "character" if kind == "string_too_short" else "entry" if count == 1 else "entries"
        # Entries that cannot be used do not count.
        short = kind == "too_long" or len(value) < count
        return [f"{key}: expected {limit} {count} {entries}, found {len(value) or 'none'}"] if short else []
    return [f"{key}: {problem['msg']}"]


def _hint(value: Any) -> str:
    """What to write where text looks like a number: YAML 1.1 reads 1e-5 as text, because it has no dot."""
    if not isinstance(value, str):
        return ""
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)|true|false", value):
        return "; write it without quotes, in a file for --configfile: --config reads what is inside {} or [] as text"
    number = re.fullmatch(r"([+-]?\d+)(?:\.(\d*))?[eE]([+-]?)(\d+)", value)
    if number is None:
        return ""
    integer, fraction, sign, exponent = number.groups()
    return f"; YAML reads it as text, write {integer}.{fraction or 0}e{sign or '+'}{exponent}"


def _dotted(steps: Sequence[str | int]) -> str:
    """The name of a key as it is written in conversation: tsne.perplexity, mce_tail.n_embeddings[2]."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _value_at(values: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        values = values[step]
    return values


def _position(values: Any, steps: Sequence[str | int]) -> list[int]:
    """Where a key is in the configuration; one that is not there comes last."""
    position = []
    for step in steps:
        if isinstance(values, Mapping):
            position.append(list(values).index(step) if step in values else len(values))
            values = values.get(step)
        else:
            position.append(step)
            values = values[step] if isinstance(values, Sequence) and step < len(values) else None
    return position


def _type_at(kind: Any, steps: Sequence[str | int]) -> Any:
    """The type of a value in a model."""
    for step in steps:
        kind = plain_type(kind)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            kind = kind.model_fields[step].annotation
        else:  # a list or a mapping
            kind = next(argument for argument in reversed(get_args(kind)) if argument is not Ellipsis)
    return plain_type(kind)


def plain_type(kind: Any) -> Any:
    """A type without its limits, and without None."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            kind = next(member for member in get_args(kind) if member is not NoneType)
        else:
            return kind

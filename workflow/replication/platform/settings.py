"""Sections of the configuration as frozen models: each key with its limits, its default and its meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Self, TypeVar

from annotated_types import Ge, Gt, Le, Len, Lt
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from replication.platform.configuration import ConfigurationError, shown
from replication.platform.refusals import refusals

T = TypeVar("T")


class Settings(BaseModel):
    """
    A section of the configuration, or a section in one.

    Unknown keys are refused and nothing is converted, except that lists become tuples. The docstring of a subclass and
    the descriptions of its fields are the reference of the configuration, docs/configuration.md.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True, validate_default=True)

    def unfit(self) -> Iterator[tuple[str, str]]:
        """What does not fit another key of the section: key, and what was expected and found."""
        yield from ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        return _refuse(self, list(self.unfit()))

    def only(self, *keys: str) -> dict[str, Any]:
        """Some keys and their values."""
        return {key: getattr(self, key) for key in keys}

    def replace(self, **changes: Any) -> Self:
        """The same with other values of some keys, which are not checked."""
        return self.model_copy(update=changes)


class Item(Settings):
    """An entry of a list: a key whose default is None may be left out, and is then None."""

    model_config = ConfigDict(validate_default=False)


Kind = TypeVar("Kind", bound=Settings)


def settings_of(kind: type[Kind], section: Mapping[str, Any], name: str) -> Kind:
    """
    Build settings from a section, or from the part of one that a job gets.

    Every key of a section has to be there: a default in place of one that a rule forgets would be a silent mistake.
    """
    needed = () if issubclass(kind, Item) else kind.model_fields
    missing = [f"{name}.{key}: missing" for key in needed if key not in section]
    try:
        settings = kind.model_validate(section)
    except ValidationError as error:
        raise ConfigurationError("\n".join([*missing, *refusals(error, kind, section, name)])) from None
    if missing:
        raise ConfigurationError("\n".join(missing))
    return settings


def defaults(kind: type[Settings]) -> dict[str, Any]:
    """The defaults of a section as a configuration file would say them; keys without a default are left out."""
    values = {}
    for key, field in kind.model_fields.items():
        if not field.is_required():
            values[key] = _as_read(field.default)
        elif isinstance(field.annotation, type) and issubclass(field.annotation, Settings):
            below = defaults(field.annotation)
            values |= {key: below} if below else {}
    return values


def _as_read(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_read(entry) for key, entry in value.items()}
    return [_as_read(entry) for entry in value] if isinstance(value, tuple) else value


def _refuse(value: T, problems: list[tuple[str, str]], kind: str = "unfit") -> T:
    """The value itself, unless there are problems with it: (key in it or "", expected and found)."""
    if problems:
        raise PydanticCustomError(kind, "unfit", {"problems": problems})
    return value


def refuse_unless(fits: bool, expected: str) -> None:
    """Refuse a value, in a validator; what was found is added."""
    if not fits:
        raise PydanticCustomError("expected", "unexpected", {"expected": expected})


def needs_label(table: str) -> bool:
    """Whether a table has to have its column of classes named: CSV and TSV do not say which it is."""
    return table.lower().endswith((".csv", ".tsv"))


def is_number(value: Any) -> bool:
    """Whether a value is a finite number: NaN passes every comparison."""
    return type(value) is int or (isinstance(value, float) and math.isfinite(value))


def _number(value: Any) -> float:
    refuse_unless(is_number(value), "a number")
    return value  # integers stay integers


def matching(pattern: str, expected: str) -> AfterValidator:
    """Refuse text that does not fit a pattern."""

    def check(value: str) -> str:
        refuse_unless(re.fullmatch(pattern, value) is not None, expected)
        return value

    return AfterValidator(check)


def _each_once(values: tuple) -> tuple:
    repeated = [value for i, value in enumerate(values) if value in values[:i]]
    problems = [("", f"expected every entry once, found {shown(value)} twice") for value in repeated[:1]]
    return _refuse(values, problems, "repeated")


def _rising(values: tuple) -> tuple:
    falls = any(low >= high for low, high in pairwise(values))
    return _refuse(values, [("", f"expected numbers that rise, found {list(values)}")] if falls else [])


def _not_falling(values: tuple) -> tuple:
    falls = any(low > high for low, high in pairwise(values))
    return _refuse(values, [("", f"expected the smaller number first, found {list(values)}")] if falls else [])


def different_names(items: tuple) -> tuple:
    """Refuse entries of the same name."""
    names = [item["name"] if isinstance(item, Mapping) else item.name for item in items]
    # Not by case alone either: some file systems take such folders for one.
    alike = len({str(name).casefold() for name in names}) < len(names)
    return _refuse(items, [("", f"expected names that differ, found {names}")] if alike else [])


# A billion of anything is a mistake, and squares of numbers stay finite.
Integer = Annotated[int, Ge(-(10**9)), Le(10**9)]
Number = Annotated[float, PlainValidator(_number), Ge(-1e100), Le(1e100)]
Count = Annotated[Integer, Ge(1)]
Natural = Annotated[Integer, Ge(0)]
Percentage = Annotated[Integer, Ge(0), Le(100)]
Positive = Annotated[Number, Gt(0)]
NonNegative = Annotated[Number, Ge(0)]
Share = Annotated[Number, Gt(0), Le(1)]
Part = Annotated[Number, Ge(0), Le(1)]
Inner = Annotated[Number, Gt(0), Lt(1)]
Threshold = Annotated[Number, Ge(0), Lt(1)]
Perplexity = Annotated[Number, Gt(1)]
Text = Annotated[str, Field(min_length=1)]
# It becomes the name of a file or a folder.
Name = Annotated[
    str,
    matching(
        r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", "at most 100 letters, digits, _ and - only, starting with a letter or digit"
    ),
]
# Lists; of a configuration file, so that a list stands for a tuple.
Some = Annotated[tuple[T, ...], Field(strict=False)]
AtLeastOne = Annotated[Some[T], Len(1)]
Distinct = Annotated[Some[T], Len(1), AfterValidator(_each_once)]
DistinctOrNone = Annotated[Some[T], AfterValidator(_each_once)]
Rising = Annotated[Distinct[T], AfterValidator(_rising)]
Pair = Annotated[Some[T], Len(2, 2)]
Range = Annotated[Pair[T], AfterValidator(_rising)]
# The smallest and the largest value, which may be one.
Bounds = Annotated[Pair[T], AfterValidator(_not_falling)]


def given(model: type[Item], fewest: int = 1) -> Any:
    """Type of a mapping of keys of a model: those that are given, in their order."""

    def check(value: Any, handler: Any) -> dict[str, Any]:
        item = handler(value)
        entries = "entry" if fewest == 1 else "entries"
        problem = ("", f"expected at least {fewest} {entries}, found {len(value) or 'none'}")
        _refuse(value, [problem] if len(value) < fewest else [])
        return {key: getattr(item, key) for key in value}

    return Annotated[model, WrapValidator(check)]


def some_of(**types: Any) -> Any:
    """Type of a mapping of keys that may be left out, in the order in which they are given."""
    return given(create_model("Some", __base__=Item, **{key: (kind, None) for key, kind in types.items()}))


def calibration_margin(score: str) -> Any:
    """Field of the margin by which an option of a calibration has to be better than the start value."""
    return Field(
        0.01, description=f"a start value stays unless another option is better by more than this mean {score}"
    )


def options_of(kind: type[Settings], **more: Any) -> Any:
    """Type of what a calibration tries: key of a section -> its options, the start value first."""
    return some_of(**{key: Distinct[annotation] for key, annotation in (_types(kind) | more).items()})


def variants_of(*kinds: type[Settings], **more: Any) -> Any:
    """Type of variants: each a name and some keys of sections; `more`: further keys and their types."""
    types = {key: annotation for kind in kinds for key, annotation in _types(kind).items()} | more
    fields = {"name": (Text, ...), **{key: (annotation, None) for key, annotation in types.items()}}
    variant = given(create_model("Variant", __base__=Item, **fields), fewest=2)
    return Annotated[Some[variant], AfterValidator(different_names)]


def _types(kind: type[Settings]) -> dict[str, Any]:
    """The types of a section's keys with their limits."""
    fields = kind.model_fields.items()
    return {
        key: Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        for key, field in fields
    }

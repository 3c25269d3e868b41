"""Allowed values of the parameters of an estimator, and their check."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np


@dataclass(frozen=True)
class Range:
    """Finite numbers between two bounds."""

    kind: Any  # `Integral` or `Real`
    low: float
    high: float = inf
    above: bool = False  # whether the lower bound itself is left out

    def __contains__(self, value: object) -> bool:
        # Python takes True for 1.
        if not isinstance(value, self.kind) or isinstance(value, bool) or not value < inf:
            return False
        return (self.low < value if self.above else self.low <= value) and value <= self.high

    def __str__(self) -> str:
        kind = "an integer" if self.kind is Integral else "a finite number"
        most = f" and at most {self.high}" if self.high < inf else ""
        return f"{kind} {'above' if self.above else 'of at least'} {self.low}{most}"


class _AllCores(Range):
    """-1, as joblib and scikit-learn have it."""

    def __str__(self) -> str:
        return "-1 for all cores"


COUNT = Range(Integral, 1)
JOBS = (COUNT, _AllCores(Integral, -1, -1))
POSITIVE = Range(Real, 0, above=True)
NOT_NEGATIVE = Range(Real, 0)
# Whatever NumPy takes for a seed, as in scikit-learn.
SEED = Range(Integral, 0, 2**32 - 1)
RANDOM_STATE = (SEED, np.random.RandomState, None)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
# Of each parameter: ranges, sets of texts, types, None.
Allowed = Mapping[str, Sequence[Any]]


def check_parameters(estimator: object, allowed: Allowed) -> None:
    """Check the parameters of an estimator."""
    check_values(type(estimator).__name__, allowed, **{name: getattr(estimator, name) for name in allowed})


def check_values(owner: str, allowed: Allowed, **values: object) -> None:
    """Check values by name; `owner` is what they are parameters of."""
    for name, value in values.items():
        if not any(_is_allowed(value, option) for option in allowed[name]):
            listed = " or ".join(map(_in_words, allowed[name]))
            raise ValueError(f"{name} of {owner} must be {listed}, found {as_text(value)}.")


# Annotations of arguments that are not arrays, as they are written.
_KINDS = {"int": (Integral, "an integer"), "float": (Real, "a number"), "bool": (bool, "True or False")}
_KINDS["str"] = (str, "text")


# What every argument of such a name must be.
_LIMITS: Allowed = {
    **dict.fromkeys(("n_at_a_time", "n_runs", "n_components", "max_iter"), (COUNT,)),
    **dict.fromkeys(("tolerance", "max_memory_gb"), (NOT_NEGATIVE,)),
    "n_jobs": JOBS, "n_features": (Range(Integral, 0),),
}  # fmt: skip


def checked_arguments(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a function refuse arguments that do not have their annotated types, where these are plain ones."""
    signature, plain = inspect.signature(function), {}
    for name, hint in function.__annotations__.items():
        kind, _, other = str(hint).partition(" | ")
        if name != "return" and kind in _KINDS and other in ("", "None"):
            plain[name] = (*_KINDS[kind], bool(other))

    @functools.wraps(function)
    def checking(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """The function, after a look at its arguments."""
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            # Python says which argument is missing or too much.
            return function(*args, **kwargs)
        given = bound.arguments
        for name in plain.keys() & given.keys():
            _check_argument(function.__name__, name, given[name], *plain[name])
            if name in _LIMITS and given[name] is not None:
                check_values(function.__name__, {name: _LIMITS[name]}, **{name: given[name]})
        if given.get("n_jobs") == -1:
            from consensus_embedding.utils.parallel import n_threads

            given["n_jobs"] = n_threads(-1)
        return function(*bound.args, **bound.kwargs)

    return checking


def _check_argument(owner: str, name: str, value: object, kind: type, words: str, optional: bool) -> None:
    if optional and value is None:
        return
    # Python takes True for 1, and NaN is not equal to itself.
    is_bool = isinstance(value, bool | np.bool_)
    if not (is_bool if kind is bool else isinstance(value, kind) and not is_bool and value == value):
        raise ValueError(f"{name} of {owner} must be {words}{' or None' if optional else ''}, found {as_text(value)}.")


def as_text(value: object) -> str:
    """A value as it is written, or what it is where Python writes none so long."""
    try:
        return repr(value)
    except ValueError:
        return "a number of more than 4300 digits"


def _is_allowed(value: object, option: Range | set[str] | type | None) -> bool:
    if option is None:
        return value is None
    if isinstance(option, type):
        return isinstance(value, option)
    return value in option if isinstance(option, Range) else isinstance(value, str) and value in option


def _in_words(option: Range | set[str] | type | None) -> str:
    if isinstance(option, type):
        return f"a {option.__name__}"
    return f"one of {sorted(option)}" if isinstance(option, set) else str(option)

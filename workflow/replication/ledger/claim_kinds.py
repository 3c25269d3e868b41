"""
The declared kinds of claims, and the files of claims: read, and refused if anything in them is wrong.

Nothing here looks at numbers or imports what does, so that a workflow can check its claims before anything runs.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from replication.ledger.papers import PAPERS
from replication.platform.declarations import Kind
from replication.shared.kinds import SHARED_KINDS

COLUMNS = [
    "id",
    "paper",
    "where",
    "experiment",
    "kind",
    "statement",
    "paper_value",
    "margin",
    "dataset",
    "test",
]
# Columns in which no row may be empty.
_FILLED = ("id", "paper", "experiment", "kind", "dataset")
# Parameters of every kind.
_SHARED = {
    "cells": "text",
    "across": "names",
    "subset": "section",
    "universal": "flag",
    "identity": "flag",
    "new_data": "section",
    "choices": "sections",
}
_MOST_CASES = 10**6
_LARGEST = 1e300  # integers have no largest one in JSON
# Numbers with limits: what they are, whether they are integers, their least and largest.
_LIMITED = {
    "size": ("a number of at least 0", False, 0, _LARGEST),
    "factor": ("a number of at least 1", False, 1, _LARGEST),
    "share": ("a number from 0 to 1", False, 0, 1),
    "correlation": ("a number from -1 to 1", False, -1, 1),
    "count": (f"an integer from 1 to {_MOST_CASES}", True, 1, _MOST_CASES),
    "position": (f"an integer from 0 to {_MOST_CASES}", True, 0, _MOST_CASES),
}
_WORDS = {
    "text": "text",
    "number": "a number",
    "names": "a list of names",
    "text or names": "a name or a list of names",
    "list": "a list with entries",
    "section": "an object in braces",
    "sections": "a list of objects in braces",
    "flag": "true or false",
    "text or list": "a word or a list of words",
} | {what: limits[0] for what, limits in _LIMITED.items()}


DECLARED: dict[str, Kind] = SHARED_KINDS | {
    name: kind for paper in PAPERS.values() for name, kind in paper.kinds.items()
}


def form_of(kind: str, test: Mapping[str, object]) -> str:
    """The declared name of a kind with the cells that a claim has: "compare", "compare/shares"."""
    return f"{kind}/{test['cells']}" if "cells" in test else kind


def kinds() -> list[str]:
    """The kinds, without their cells."""
    return list(dict.fromkeys(name.split("/")[0] for name in DECLARED))


def cells_of_kind(kind: str) -> list[str]:
    """The cells that a claim of a kind can name."""
    return [name.split("/")[1] for name in DECLARED if name.startswith(f"{kind}/")]


def which_test(kind: str, test: Mapping[str, object]) -> str:
    """Which test of `declarations.TESTS` a claim is judged by; its criterion may change that of its kind."""
    return _test_and_family(kind, test)[0]


def which_holm_family(kind: str, test: Mapping[str, object]) -> str:
    """Over what the p-values of a claim are corrected together, or "none"; see `Kind`."""
    return _test_and_family(kind, test)[1]


def _test_and_family(kind: str, test: Mapping[str, object]) -> tuple[str, str]:
    declared = DECLARED[form_of(kind, test)]
    return declared.by_criterion.get(test.get("criterion"), (declared.test, declared.holm_family))


def read_rows(paths: str | Path | Sequence[str | Path], experiments: Iterable[str] | None = None) -> list[dict]:
    """
    Read and check files of claims.

    Parameters
    ----------
    paths : path-like or sequence of them
        Tab-separated, columns `COLUMNS`; `test` has the parameters of the kind of test as JSON.
    experiments : iterable of str, optional
        Known experiments; without them the names are not checked.

    Returns
    -------
    list of dict
        One a claim, in the order of the files, with `test` as dict.

    Raises
    ------
    ValueError
        At the first row that cannot be used: file, line, claim, what was expected and what was found.
    """
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    known = None if experiments is None else list(experiments)
    rows, seen = [], {}
    for path in paths:
        for number, row in _rows_of(path):
            name = row["id"]
            where = f"{path}: line {number}" + (f", claim {name}" if name else "")
            if name in seen:
                raise ValueError(
                    f"{where}: expected an id that no other claim has, found the id of {seen[name]}; choose another."
                )
            seen[name] = f"line {number} of {path}"
            try:
                rows.append(_checked(row, known))
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
    return rows


def _rows_of(path: str | Path) -> Iterable[tuple[int, dict]]:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise ValueError(f"{path}: expected a file of claims, found none to read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}: expected text in UTF-8, found other bytes ({error.reason}); save it as UTF-8."
        ) from None
    columns = lines[0].split("\t") if lines else []
    if columns != COLUMNS:
        found = ", ".join(columns) if any(columns) else "none"
        raise ValueError(f"{path}: expected the columns {', '.join(COLUMNS)}, with tabs between; found {found}.")
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if not line.strip():
            continue
        if len(cells) != len(COLUMNS):
            raise ValueError(
                f"{path}: line {number}, claim {cells[0]}: expected {len(COLUMNS)} cells with tabs between, found "
                f"{len(cells)}."
            )
        yield number, dict(zip(COLUMNS, cells, strict=True))


def _checked(row: dict, experiments: Sequence[str] | None) -> dict:
    """The row with its test as dict; a ValueError says what is wrong."""
    empty = [column for column in _FILLED if not row[column].strip()]
    if empty:
        raise ValueError(f"expected something in the column {empty[0]}, found nothing.")
    if row["kind"] not in kinds():
        raise ValueError(f"expected a kind of {', '.join(kinds())}; found {_meant(row['kind'], kinds())}.")
    if experiments is not None and row["experiment"] not in experiments:
        raise ValueError(
            f"expected an experiment of {', '.join(experiments)}; found {_meant(row['experiment'], experiments)}."
        )
    try:
        test = json.loads(
            row["test"],
            object_pairs_hook=_without_repeats,
            parse_constant=_number,
            parse_float=_number,
            parse_int=_number,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"expected a test in valid JSON, found {row['test']!r} ({error}).") from None
    except RecursionError:
        raise ValueError(f"expected a test of a few levels, found one nested too deep: {row['test'][:40]!r}.") from None
    if not isinstance(test, dict):
        raise ValueError(f"expected a test of the form {{...}}, found {row['test']!r}.")
    _check_parameters(row["kind"], test)
    return {**row, "test": test}


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON, whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"expected every key of a test once, found {repeated!r} twice.")
    return found


def _number(text: str) -> float:
    """A number of JSON that fits in one of Python's, whose integers are as long as one likes."""
    number = float(text)
    if not abs(number) <= _LARGEST:
        found = text if len(text) < 20 else f"one of {len(text)} digits"
        raise ValueError(f"expected finite numbers in a test, found {found}.")
    return int(text) if re.fullmatch("-?[0-9]+", text) else number


def merged(test: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    """
    Parameters of a claim with some of them changed; inside a section key by key.

    Parameters
    ----------
    test, changes : mapping

    Returns
    -------
    dict
    """
    inner = {
        key: {**test[key], **value}
        for key, value in changes.items()
        if isinstance(value, dict) and isinstance(test.get(key), dict)
    }
    return {**test, **changes, **inner}


def _check_parameters(kind: str, test: Mapping[str, object]) -> None:
    known = cells_of_kind(kind)
    declared = DECLARED.get(form_of(kind, test)) if isinstance(test.get("cells", ""), str) else None
    if declared is None:
        found = _meant(str(test["cells"]), known) if "cells" in test else "none"
        raise ValueError(
            f"expected 'cells' of the kind {kind} to be one of {', '.join(known) or 'none'}; found {found}."
        )
    allowed = {**_SHARED, **declared.optional, **declared.required}
    for key in test:
        if key not in allowed:
            raise ValueError(f"a test of the kind {kind} takes {', '.join(allowed)}; found {_meant(key, allowed)}.")
    required = [*declared.required]
    if kind == "count" and "cells" not in test:
        required += ["pairs"] if "pairs" in test else ["method", "against"]
    required += ["margin"] if test.get("criterion") in ("equivalent", "beyond") else []
    if declared.one_of and not set(declared.one_of) & set(test):
        required.append(" or ".join(declared.one_of))
    for key, also in declared.needed_with.items():
        required += also if key in test else []
    missing = [key for key in required if key not in test]
    if missing:
        raise ValueError(
            f"a test of the kind {kind} needs {', '.join(required)}; found no {' and no '.join(missing)} in "
            f"{json.dumps(test)}."
        )
    for key, value in test.items():
        _check_value(key, value, allowed[key])
    # How many of how many, or a share: with others a claim would hold whatever the numbers, or never.
    most = test.get("of", 1)
    if "of" in test and not 0 < most <= _MOST_CASES:
        raise ValueError(f"expected of to be above 0 and at most {_MOST_CASES}, found {json.dumps(most)}.")
    if "at_least" in test and not 0 < test["at_least"] <= most:
        raise ValueError(
            f"expected at_least to be above 0 and at most {json.dumps(most)}, found {json.dumps(test['at_least'])}."
        )
    if "significant" in test and test["significant"] >= len(test.get("above", [])):
        raise ValueError(
            f"expected significant to be the number of a statement of above, counted from 0, found "
            f"{test['significant']} and {len(test.get('above', []))} statements."
        )
    for key in ("by", "pair"):
        _check_apart({key: test.get(key, []), "its results": ["method", "metric", "value"]}, key, "its results")
    _check_apart(test, "by", "pair")
    _check_apart(test, "method", "against")
    if isinstance(test.get("on"), str):
        _check_apart(test, "on", "pair")
    plain = {key: value for key, value in test.items() if key not in ("new_data", "choices")}
    if "new_data" in test:
        _check_parameters(kind, merged(plain, test["new_data"]))
    for other in test.get("choices", []):
        if set(other) != {"choice", "level", "with"} or not isinstance(other["with"], dict):
            raise ValueError(f"expected choices with choice, level and with (an object), found {json.dumps(other)}.")
        _check_parameters(kind, merged(plain, other["with"]))


def _check_apart(test: Mapping[str, object], first: str, second: str) -> None:
    """Refuse a test that names the same in two places."""
    named = [[names] if isinstance(names := test.get(key, []), str) else names for key in (first, second)]
    both = [name for name in named[0] if name in named[1]]
    if both:
        raise ValueError(f"expected other names in {second} than in {first}, found {both[0]!r} in both.")


def _check_value(key: str, value: object, what: str) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = isinstance(value, str) and value != ""
    listed = isinstance(value, list) and len(value) > 0
    names = listed and all(isinstance(one, str) for one in value)
    fits = {
        "text": text,
        "number": number,
        "names": names,
        "text or names": text or names,
        "text or list": text or names,
        "list": listed,
        "section": isinstance(value, dict),
        "sections": listed and all(isinstance(one, dict) for one in value),
        "flag": isinstance(value, bool),
    }
    if what in _LIMITED:
        _, integer, least, most = _LIMITED[what]
        fits[what] = number and least <= value <= most and not (integer and isinstance(value, float))
    expected = _WORDS.get(what) or " or ".join(what.split("|"))
    if not fits.get(what, value in what.split("|") if text else False):
        raise ValueError(f"expected {expected} as {key}, found {json.dumps(value)}.")
    if "names" in what and names and len(set(value)) < len(value):
        repeated = next(one for one in value if value.count(one) > 1)
        raise ValueError(f"expected every name of {key} once, found {repeated!r} twice.")


def _meant(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"{word!r} (did you mean {close[0]}?)" if close else repr(word)
